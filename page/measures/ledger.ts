// Experiments of lab/ledger that need nothing of Node: measured in the page's worker.

import { lossExperiment } from '../../lab/ledger/loss.ts'
import { splitExperiment } from '../../lab/ledger/split.ts'
import { spentErratum, twoInOneExperiment } from '../../lab/ledger/two-in-one.ts'
import { impossibleExperiment, noViewExperiment } from '../../lab/ledger/worlds.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(
  lossExperiment,
  splitExperiment,
  spentErratum,
  twoInOneExperiment,
  impossibleExperiment,
  noViewExperiment,
)
