// LECTURE, "Distributed event matching".

import type { Experiment } from '../experiment.ts'
import { eventsMatching } from './matching.ts'
import { eventsRouting } from './routing.ts'
import { equalityLeak } from './secret/equality-leak.ts'
import { keywordGuessing } from './secret/keyword-guessing.ts'
import { lyingBroker } from './secret/lying-broker.ts'
import { paeksEquality } from './secret/paeks.ts'
import { peksCost } from './secret/peks-cost.ts'
import { trapdoorInTheClear } from './secret/trapdoor-in-the-clear.ts'
import { sub2Sub } from './sub-2-sub.ts'
import { eventsTopics } from './topics.ts'
import { eventsTrees } from './trees.ts'

export const eventExperiments: readonly Experiment[] = [
  eventsMatching,
  eventsTopics,
  eventsRouting,
  eventsTrees,
  sub2Sub,
  peksCost,
  keywordGuessing,
  paeksEquality,
  equalityLeak,
  lyingBroker,
  trapdoorInTheClear,
]
