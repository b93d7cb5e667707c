// LECTURE, "Mutual exclusion": the comparison table and the violation probabilities.

import type { Experiment } from '../experiment.ts'
import { mutexTable } from './table.ts'
import { violationExperiment } from './violation.ts'

export const mutexExperiments: readonly Experiment[] = [mutexTable, violationExperiment]
