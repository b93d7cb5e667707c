// OMA: the assignment game, what the tokens cost, the baselines, and the errata.

import type { Experiment } from '../experiment.ts'
import { caie } from './caie.ts'

export const omaExperiments: readonly Experiment[] = [caie]
