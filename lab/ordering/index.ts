// BACKOFF §6: the ordering of operations, as printed and as built.

import type { Experiment } from '../experiment.ts'
import { ranksExperiment } from './ranks.ts'

export const orderingExperiments: readonly Experiment[] = [ranksExperiment]
