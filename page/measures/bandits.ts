// Experiments of lab/bandits that need nothing of Node: measured in the page's worker.

import { boundErratum, controllerErratum, masksErratum, ringErratum, ringExperiment } from '../../lab/bandits/leaks.ts'
import { armErratum, noiseErratum, partiesExperiment, regretExperiment } from '../../lab/bandits/parties.ts'
import { floatErratum, phasesExperiment } from '../../lab/bandits/phases.ts'
import {
  batchExperiment,
  figure73Experiment,
  figure74Experiment,
  figure75Experiment,
  searchExperiment,
} from '../../lab/bandits/rewards.ts'
import { dpExperiment, viewExperiment } from '../../lab/bandits/views.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(
  boundErratum,
  controllerErratum,
  masksErratum,
  ringErratum,
  ringExperiment,
  armErratum,
  noiseErratum,
  partiesExperiment,
  regretExperiment,
  floatErratum,
  phasesExperiment,
  batchExperiment,
  figure73Experiment,
  figure74Experiment,
  figure75Experiment,
  searchExperiment,
  dpExperiment,
  viewExperiment,
)
