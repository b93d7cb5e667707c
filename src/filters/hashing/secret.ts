// The one place in this folder that reaches for chance: a fresh secret for a filter that was given no key.
// Tests, the lab and everything that must replay pass a key and never come here.

import { FilterError } from '../refusals.ts'

/** What HalfSipHash takes. */
export const KEY_BYTES = 8

interface RandomSource {
  getRandomValues(target: Uint8Array): Uint8Array
}

export function freshSecret(): Uint8Array {
  const source = (globalThis as { crypto?: RandomSource }).crypto
  if (source === undefined)
    throw new FilterError(`key is missing and this machine offers no randomness: pass ${KEY_BYTES} secret bytes as key`)
  return source.getRandomValues(new Uint8Array(KEY_BYTES))
}
