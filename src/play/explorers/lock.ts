// What of this protocol a page explores: see explorer.ts.

import { exploreLock, explorePlanted, lockSystems, plantedSystems } from '../../lock/proof/index.ts'
import { type Explorer, explorerOf } from './explorer.ts'

/** The lock, every schedule. */
export const lockExplorer: Explorer = explorerOf({
  protocol: 'lock',
  title: 'The lock',
  systems: lockSystems,
  planted: plantedSystems,
  explore: exploreLock,
  small: ['list-restart', 'list', 'list-time', 'list-duplicate', 'faults', 'restart'],
  exploreBug: explorePlanted,
})
