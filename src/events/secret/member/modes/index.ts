// All modes of secret channels, by name.

import type { SecretMode } from '../../keys.ts'
import { counted } from './counted.ts'
import type { Mode } from './mode.ts'
import { paired } from './paired.ts'
import { peks } from './peks.ts'
import { tagged } from './tagged.ts'

export type { Mode, OpenEpoch, SealedTotals } from './mode.ts'

/** One file each. */
export const modes: Readonly<Record<SecretMode, Mode>> = { tagged, counted, paired, peks }
