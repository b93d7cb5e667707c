// Seeded randomness for everything that must replay: the simulator, the explorer's sampling, workloads, the lab.
// sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, integer arithmetic only, so that the same seed
// gives the same numbers in every JavaScript engine. It is not for secrets: those come from the runtime.

/** Chance that a seed decides. */
export interface Random {
  /** Uniform in [0, bound), for bound from 1 to 2^32. */
  below(bound: number): number
  /** Uniform in [0, 1), 32 bits of it. */
  unit(): number
  /** True with the given chance. */
  chance(probability: number): boolean
  bytes(length: number): Uint8Array
  /** A generator whose numbers are independent of this one's later use: one per node, one per purpose. */
  fork(label: number): Random
}

const TWO_32 = 0x1_0000_0000

/** The same seed and stream give the same numbers. Not for secrets. */
export function seededRandom(seed: number, stream = 0): Random {
  let a = seed >>> 0
  let b = Math.floor(seed / TWO_32) >>> 0
  let c = stream >>> 0
  let counter = 1

  function next(): number {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return sum >>> 0
  }
  // The first outputs still resemble the seed; twelve rounds are the author's recommendation.
  for (let round = 0; round < 12; round++) next()

  return {
    below(bound) {
      if (!(Number.isInteger(bound) && bound >= 1 && bound <= TWO_32)) throw new RangeError(`below(${bound})`)
      // Rejection keeps it uniform: the last, incomplete block of the 32-bit range is thrown away.
      const limit = TWO_32 - (TWO_32 % bound)
      for (;;) {
        const value = next()
        if (value < limit) return value % bound
      }
    },
    unit: () => next() / TWO_32,
    chance: probability => next() / TWO_32 < probability,
    bytes(length) {
      const out = new Uint8Array(length)
      for (let i = 0; i < length; i++) out[i] = next() & 0xff
      return out
    },
    fork: label => seededRandom(next() * 0x20_0000 + (next() & 0x1f_ffff), label),
  }
}
