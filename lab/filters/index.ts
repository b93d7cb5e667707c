import type { Experiment } from '../experiment.ts'
import { errataBaselines } from './errata/errata-baselines.ts'
import { errataBest } from './errata/errata-best.ts'
import { errataBound } from './errata/errata-bound.ts'
import { errataFigures } from './errata/errata-figures.ts'
import { errataQueueFn } from './errata/errata-queue-fn.ts'
import { figure33 } from './figures/figure-3-3.ts'
import { figure34 } from './figures/figure-3-4.ts'
import { figure35 } from './figures/figure-3-5.ts'
import { figure41 } from './figures/figure-4-1.ts'
import { figure42 } from './figures/figure-4-2.ts'
import { figure43 } from './figures/figure-4-3.ts'
import { figure45 } from './figures/figure-4-5.ts'
import { figure46 } from './figures/figure-4-6.ts'
import { figure47 } from './figures/figure-4-7.ts'
import { figure48 } from './figures/figure-4-8.ts'
import { figure49 } from './figures/figure-4-9.ts'
import { filterGames } from './games.ts'
import { table31 } from './tables/table-3-1.ts'
import { table32 } from './tables/table-3-2.ts'
import { table33 } from './tables/table-3-3.ts'
import { table34 } from './tables/table-3-4.ts'
import { table35 } from './tables/table-3-5.ts'
import { table36 } from './tables/table-3-6.ts'
import { forgettingTheorem } from './theorems/forgetting.ts'
import { memoryTheorem } from './theorems/memory.ts'
import { shortHashTheorems } from './theorems/short-hashes.ts'
import { twoBuffers } from './theorems/two-buffers.ts'

/** Every table and figure of THESIS chapters 3 and 4, in its order, then the games and the errata. */
export const filterExperiments: readonly Experiment[] = [
  table31,
  table32,
  table33,
  table34,
  table35,
  table36,
  figure33,
  figure34,
  figure35,
  figure41,
  figure42,
  figure43,
  figure45,
  figure46,
  figure47,
  figure48,
  figure49,
  shortHashTheorems,
  twoBuffers,
  filterGames,
  errataQueueFn,
  errataBaselines,
  errataFigures,
  errataBest,
  errataBound,
  memoryTheorem,
  forgettingTheorem,
]
