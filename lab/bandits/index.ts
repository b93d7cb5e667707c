import type { Experiment } from '../experiment.ts'
import { boundErratum, controllerErratum, masksErratum, ringErratum, ringExperiment } from './leaks.ts'
import { armErratum, noiseErratum, partiesExperiment, regretExperiment } from './parties.ts'
import { floatErratum, phasesExperiment } from './phases.ts'
import {
  countsExperiment,
  figure63Experiment,
  linkedErratum,
  rankingErratum,
  table61Experiment,
  table72Experiment,
} from './printed.ts'
import {
  batchExperiment,
  figure73Experiment,
  figure74Experiment,
  figure75Experiment,
  searchExperiment,
} from './rewards.ts'
import { timesExperiment } from './times.ts'
import { dpExperiment, viewExperiment } from './views.ts'

/** THESIS chapters 6 and 7. */
export const banditExperiments: readonly Experiment[] = [
  phasesExperiment,
  regretExperiment,
  partiesExperiment,
  searchExperiment,
  figure73Experiment,
  figure74Experiment,
  figure75Experiment,
  timesExperiment,
  batchExperiment,
  ringExperiment,
  floatErratum,
  boundErratum,
  controllerErratum,
  masksErratum,
  ringErratum,
  countsExperiment,
  table61Experiment,
  table72Experiment,
  figure63Experiment,
  linkedErratum,
  rankingErratum,
  noiseErratum,
  armErratum,
  viewExperiment,
  dpExperiment,
]
