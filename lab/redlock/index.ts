import type { Experiment } from '../experiment.ts'
import { oneLiar } from './one-liar.ts'

export const redlockExperiments: readonly Experiment[] = [oneLiar]
