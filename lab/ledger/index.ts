import type { Experiment } from '../experiment.ts'
import { keyZeroErratum } from './key-zero.ts'
import { lossExperiment } from './loss.ts'
import { speedExperiment } from './speed.ts'
import { splitExperiment } from './split.ts'
import { spentErratum, twoInOneExperiment } from './two-in-one.ts'
import { impossibleExperiment, noViewExperiment } from './worlds.ts'

/** THESIS chapter 5. */
export const ledgerExperiments: readonly Experiment[] = [
  impossibleExperiment,
  noViewExperiment,
  twoInOneExperiment,
  splitExperiment,
  lossExperiment,
  speedExperiment,
  spentErratum,
  keyZeroErratum,
]
