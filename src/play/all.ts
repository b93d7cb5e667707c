// All playgrounds at once, for the command and for tests. A page loads those beyond the first when they are chosen.

import type { Playground } from '../simulator/index.ts'
import { playgrounds } from './index.ts'
import { electionPlayground, membershipPlayground } from './members.ts'
import { mutexPlaygrounds } from './mutex.ts'
import { orderingPlayground } from './ordering.ts'
import { slotsPlayground } from './slots.ts'

/** Every playground. */
export const allPlaygrounds: readonly Playground[] = [
  ...playgrounds,
  orderingPlayground,
  membershipPlayground,
  electionPlayground,
  slotsPlayground,
  ...mutexPlaygrounds,
]
