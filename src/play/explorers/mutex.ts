// What of this protocol a page explores: see explorer.ts.

import { exploreMutex, exploreMutexBug, mutexSystems, plantedMutexSystems } from '../../papers/mutex/index.ts'
import { type Explorer, explorerOf } from './explorer.ts'

/** Mutual exclusion, the lecture’s, every schedule. */
export const mutexExplorer: Explorer = explorerOf({
  protocol: 'mutex',
  title: 'Mutual exclusion, the lecture’s',
  systems: mutexSystems,
  planted: plantedMutexSystems,
  explore: exploreMutex,
  exploreBug: exploreMutexBug,
})
