// Everything of which small systems can be explored and walked through, for the command and for tests.

import { electionExplorer } from './election.ts'
import type { Explorer } from './explorer.ts'
import { lockExplorer } from './lock.ts'
import { mutexExplorer } from './mutex.ts'
import { orderingExplorer } from './ordering.ts'

/** Every explorer that a page offers. */
export const allExplorers: readonly Explorer[] = [lockExplorer, orderingExplorer, electionExplorer, mutexExplorer]
