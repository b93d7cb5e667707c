import type { Experiment } from '../experiment.ts'
import { errata5b } from './errata-5b.ts'
import { errataLate } from './errata-late.ts'
import { errataMakespan } from './errata-makespan.ts'
import { improvementsExperiment } from './improvements.ts'
import { backoffResponse } from './response.ts'
import { backoffStrategiesExperiment } from './strategies.ts'

/** BACKOFF §4: the lock as printed; §5: ours. */
export const backoffExperiments: readonly Experiment[] = [
  backoffResponse,
  errataMakespan,
  errata5b,
  errataLate,
  backoffStrategiesExperiment,
  improvementsExperiment,
]
