// LECTURE, "Gossip-based coordination": membership as it is run.

import type { Experiment } from '../experiment.ts'
import { accrual } from './accrual.ts'
import { forgedClaims } from './forged.ts'
import { membershipRest } from './rest.ts'
import { swimFlaps } from './swim-flaps.ts'
import { swimLarge } from './swim-large.ts'

export const membershipExperiments: readonly Experiment[] = [
  swimFlaps,
  swimLarge,
  forgedClaims,
  membershipRest,
  accrual,
]
