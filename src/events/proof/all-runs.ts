// The planted bugs of everything that events are made of: `npm run pin` searches for their seeds.

import type { PlantedRun } from '../../simulator/index.ts'
import { plantedInterestRuns } from './interest/runs.ts'
import { plantedRoutingRuns } from './routing/runs.ts'
import { plantedEventsRuns } from './runs.ts'
import { plantedSecretRuns } from './secret/runs.ts'

/** All of events. */
export const plantedRuns: Readonly<Record<string, PlantedRun>> = {
  ...plantedEventsRuns,
  ...plantedSecretRuns,
  ...plantedRoutingRuns,
  ...plantedInterestRuns,
}
