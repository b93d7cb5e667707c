// Sums that nobody sees alone: each pair of arms has a number that one adds and the other takes away. The user adds all
// and gets the sum of all rewards; a single box is a random number to it, and to whoever helps it.

import type { BanditTools } from './settings.ts'

const MODULUS = 1n << 64n
const SUM_BYTES = 8

/** The mask of a pair, from the key that these two have. */
function maskOf(tools: BanditTools, pairKey: Uint8Array, run: Uint8Array): bigint {
  const drawn = tools.prf(pairKey, run)
  return new DataView(drawn.buffer, drawn.byteOffset, drawn.byteLength).getBigUint64(0)
}

/**
 * An arm's sum, masked for all arms of the run. There is one set of arms in a run and so one mask: a sum that was masked
 * for two sets would be the difference of the two answers.
 */
export function maskSum(
  tools: BanditTools,
  run: Uint8Array,
  sum: number,
  place: number,
  pairKeys: ReadonlyMap<number, Uint8Array>,
): Uint8Array {
  let masked = BigInt(sum)
  for (const [other, key] of pairKeys) {
    const mask = maskOf(tools, key, run)
    masked += place < other ? mask : -mask
  }
  const out = new Uint8Array(SUM_BYTES)
  new DataView(out.buffer).setBigUint64(0, BigInt.asUintN(64, masked))
  return out
}

/** The sum of all, from the masked sums of all; undefined for what no sum of this size can be. */
export function unmaskSums(masked: readonly Uint8Array[], most: number): number | undefined {
  let sum = 0n
  for (const one of masked) {
    if (one.length !== SUM_BYTES) return undefined
    sum += new DataView(one.buffer, one.byteOffset, one.byteLength).getBigUint64(0)
  }
  sum %= MODULUS
  return sum <= BigInt(most) ? Number(sum) : undefined
}
