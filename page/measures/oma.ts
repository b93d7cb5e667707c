// Experiments of lab/oma that need nothing of Node, nor the curve's library: measured in the page's worker.

import { trivialTokenExperiment } from '../../lab/oma/baselines.ts'
import { errataCoordinator, errataDecoding, errataRelease, errataRounds } from '../../lab/oma/errata.ts'
import { caieMany, caieOrder, caieRelease } from '../../lab/oma/lemmas.ts'
import { strongOr } from '../../lab/oma/strong.ts'
import { thirdPartyExperiment } from '../../lab/oma/third-party.ts'
import { tokenCost } from '../../lab/oma/token-cost.ts'
import { utilisationExperiment } from '../../lab/oma/utilisation.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(
  trivialTokenExperiment,
  errataCoordinator,
  errataDecoding,
  errataRelease,
  errataRounds,
  caieMany,
  caieOrder,
  caieRelease,
  strongOr,
  thirdPartyExperiment,
  tokenCost,
  utilisationExperiment,
)
