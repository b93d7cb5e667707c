// The filters that remember every element of the window: exactly (THESIS theorem 4.3.1), or by a short hash (theorems
// 4.3.2, 4.3.3). They miss nothing; what memory lacks comes back as false positives, and past some window all at once.
// The hash has a whole number of bits: leaving out the rounding, as the thesis does, is wrong where hashes are short.

import { powerOfRest } from './numeric.ts'
import { checkWhole, parameterError } from './refusal.ts'
import type { StreamShape } from './shapes.ts'

/** The short hash filter, plain or compact. */
export type ShortHashForm = 'SHF' | 'CSHF'

/** Longer hashes tell nothing more: their collisions are rarer than memory errors. */
const HASH_BITS_MAX = 64

/** Theorem 4.3.1, memory of the exact window: a queue and a dictionary with counters, w(log2 w + 2 log2 |Γ|) bits, in whole bits. */
export function thesisExactWindowBits(window: number, alphabet: number): number {
  checkWhole('window', window, 1)
  if (!(alphabet >= 1)) throw parameterError('alphabet', alphabet, 'the number of possible elements, at least 1, works')
  return window * (Math.ceil(Math.log2(window)) + 2 * Math.ceil(Math.log2(alphabet)))
}

/** The hash that fits: ⌊M/2w - ½ log2 w⌋ bits beside a dictionary (algorithm 5), ⌊M/w⌋ in the compact form. */
export function shortHashBits(form: ShortHashForm, bits: number, window: number): number {
  checkWhole('window', window, 1)
  if (!(bits > 0)) throw parameterError('bits', bits, 'a positive number of bits works')
  const length = form === 'SHF' ? bits / (2 * window) - Math.log2(window) / 2 : bits / window
  return Math.max(0, Math.min(HASH_BITS_MAX, Math.floor(length)))
}

/** FP after the window is full, for large |Γ|. A hash of no bits calls everything a duplicate. */
export function shortHashFalsePositive(form: ShortHashForm, bits: number, window: number): number {
  return 1 - powerOfRest(2 ** -shortHashBits(form, bits, window), window)
}

/**
 * FPR on a uniform stream: the window holds the w elements before, none of them the one asked for. How many others
 * share its hash is a matter of luck for each element: on average the same as fresh hashes for each.
 */
export function shortHashRate(form: ShortHashForm, bits: number, stream: StreamShape & { window: number }): number {
  const { window, length = Number.POSITIVE_INFINITY, alphabet = Number.POSITIVE_INFINITY } = stream
  const chance = 2 ** -shortHashBits(form, bits, window)
  const sharing = (held: number) => 1 - sharedByNone(chance, held, alphabet)
  if (length === Number.POSITIVE_INFINITY) return sharing(window)
  const filling = Math.min(window, length)
  let sum = 0
  const stride = Math.max(1, Math.floor(filling / 1000))
  let weight = 0
  for (let held = Math.floor(stride / 2); held < filling; held += stride) {
    sum += sharing(held) * stride
    weight += stride
  }
  const rest = Math.max(0, length - weight)
  return (sum + sharing(window) * rest) / (weight + rest)
}

/** The chance that none of the distinct elements among `held` draws has our hash. */
function sharedByNone(chance: number, held: number, alphabet: number): number {
  const distinct = alphabet === Number.POSITIVE_INFINITY ? held : alphabet * (1 - powerOfRest(1 / alphabet, held))
  return powerOfRest(chance, distinct)
}

/** Theorem 4.3.3 as printed, without the rounding of the hash. */
export function thesisShortHashFalsePositive(form: ShortHashForm, bits: number, window: number): number {
  const chance = form === 'SHF' ? Math.sqrt(window * 2 ** (-bits / window)) : 2 ** (-bits / window)
  return 1 - powerOfRest(Math.min(1, chance), window)
}

/** w_max: the largest window with a false-positive chance below one half, found by bisection; 0 if there is none. */
export function largestWindow(form: ShortHashForm, bits: number, falsePositive = 0.5): number {
  if (!(bits > 0)) throw parameterError('bits', bits, 'a positive number of bits works')
  if (!(falsePositive > 0 && falsePositive < 1)) {
    throw parameterError('falsePositive', falsePositive, 'a chance between 0 and 1 works')
  }
  let fits = 0
  let fails = Math.ceil(bits) + 1
  while (fails - fits > 1) {
    const middle = Math.floor((fits + fails) / 2)
    if (shortHashFalsePositive(form, bits, middle) < falsePositive) fits = middle
    else fails = middle
  }
  return fits
}

/** The thesis's straight lines for w_max (§4.3.2.3). They fail for small M: at 1,000 bits they promise four times the window that works. */
export function thesisLargestWindow(form: ShortHashForm, bits: number): number {
  return form === 'SHF' ? 0.0233 * bits + 186 : 0.0627 * bits + 443
}
