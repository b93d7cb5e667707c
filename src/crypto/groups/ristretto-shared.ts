// What the two implementations of ristretto255 have in common: one name, because they are one group.

import type { Element, Group } from '../group.ts'
import { scalarArithmetic } from './scalars.ts'

export const RISTRETTO_NAME = 'ristretto255'
export const RISTRETTO_ELEMENT_BYTES = 32
/** RFC 9496 §4: 2^252 + 27742317777372353535851937790883648493. */
export const RISTRETTO_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/** What is hashed or drawn before it is reduced: a digest of SHA-512, after RFC 9496 §4.4. */
export const RISTRETTO_WIDE_BYTES = 64

export const ristrettoIntegers = scalarArithmetic(RISTRETTO_ORDER, 32, 'lowFirst', RISTRETTO_WIDE_BYTES)

export interface Ristretto extends Group {
  /** The one-way map of RFC 9496 §4.3.4, from 64 uniform bytes; `hashToElement` hashes to these. */
  fromUniformBytes(bytes: Uint8Array): Element
}
