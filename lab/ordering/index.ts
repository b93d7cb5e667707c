// BACKOFF §6: the ordering of operations, as printed and as built.

import type { Experiment } from '../experiment.ts'
import { orderingErrata } from './errata.ts'
import { liarsExperiment } from './liars.ts'
import { ranksExperiment } from './ranks.ts'
import { roundtripsExperiment } from './roundtrips.ts'
import { zookeeperExperiment } from './zookeeper.ts'

export const orderingExperiments: readonly Experiment[] = [
  roundtripsExperiment,
  liarsExperiment,
  ranksExperiment,
  orderingErrata,
  zookeeperExperiment,
]
