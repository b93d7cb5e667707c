// Theorem 3.4.2, by the name "the thesis's bound". It says that no filter of M bits errs less than this. That is not so
// in general: it counts one element per bit, while a filter need not remember which elements it saw to guess
// well (errata-bound has one that goes below). For windows up to M it says nothing. Draw it; never assert it.

import { powerOfRest } from './numeric.ts'

/** 1 - (1 - g^M) / (1 - g^min(n, w)), g = 1 - 1/|Γ|; 0 where min(n, w) ≤ M. */
export function thesisBound(bits: number, alphabet: number, window: number, length = Number.POSITIVE_INFINITY): number {
  const reach = Math.min(window, length)
  if (reach <= bits) return 0
  return 1 - (1 - powerOfRest(1 / alphabet, bits)) / (1 - powerOfRest(1 / alphabet, reach))
}
