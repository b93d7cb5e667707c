// OMA: the assignment game, what the tokens cost, the baselines, and the errata.

import type { Experiment } from '../experiment.ts'
import { trivialTokenExperiment } from './baselines.ts'
import { caie } from './caie.ts'
import { errataCoordinator, errataDecoding, errataRelease, errataRounds } from './errata.ts'
import { caieMany, caieOrder, caieRelease } from './lemmas.ts'
import { strongOr } from './strong.ts'
import { thirdPartyExperiment } from './third-party.ts'
import { tokenCost } from './token-cost.ts'
import { utilisationExperiment } from './utilisation.ts'

export const omaExperiments: readonly Experiment[] = [
  caie,
  caieRelease,
  caieOrder,
  caieMany,
  strongOr,
  tokenCost,
  utilisationExperiment,
  trivialTokenExperiment,
  thirdPartyExperiment,
  errataRelease,
  errataDecoding,
  errataCoordinator,
  errataRounds,
]
