import type { Experiment } from '../experiment.ts'
import { table31 } from './table-3-1.ts'
import { table32 } from './table-3-2.ts'

export const filterExperiments: readonly Experiment[] = [table31, table32]
