// The lock as its users meet it: with real processes.

import type { Experiment } from '../experiment.ts'
import { stalledLoop } from './stalled-loop.ts'

export const lockLabExperiments: readonly Experiment[] = [stalledLoop]
