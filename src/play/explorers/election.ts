// What of this protocol a page explores: see explorer.ts.

import {
  electionSystems,
  exploreElection,
  exploreElectionBug,
  plantedElectionSystems,
} from '../../election/proof/index.ts'
import { type Explorer, explorerOf } from './explorer.ts'

/** Election of a coordinator, every schedule. */
export const electionExplorer: Explorer = explorerOf({
  protocol: 'election',
  title: 'Election of a coordinator',
  systems: electionSystems,
  planted: plantedElectionSystems,
  explore: exploreElection,
  exploreBug: exploreElectionBug,
})
