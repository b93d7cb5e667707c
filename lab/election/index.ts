// SRCEA, whole, and the LECTURE's elections.

import type { Experiment } from '../experiment.ts'
import { srceaAttacks } from './attacks.ts'
import { srceaCost } from './cost.ts'
import { srceaMessages } from './messages.ts'
import { srceaSpace } from './space.ts'
import { electionsTable } from './table.ts'
import { weightsErratum } from './weights.ts'

export const electionExperiments: readonly Experiment[] = [
  electionsTable,
  srceaMessages,
  srceaCost,
  srceaSpace,
  srceaAttacks,
  weightsErratum,
]
