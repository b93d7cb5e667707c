// Words that a broker may guess from, engines that count, and chance from a seed.

import { seededRandom } from '../../../src/core/index.ts'
import type { PairingEngine } from '../../../src/crypto/peks/index.ts'

/** A source of bytes from a seed. */
export function seededBytes(seed: number): (length: number) => Uint8Array {
  const random = seededRandom(seed, 0x5ec)
  return length => Uint8Array.from({ length }, () => random.below(256))
}

/** As many words as are asked for. */
export function wordList(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, place) => new TextEncoder().encode(`word ${place}`))
}

/** How often each operation was called. */
export type Counts = Record<'hashToFirst' | 'multiplyFirst' | 'multiplySecond' | 'pair' | 'power', number>

/** The engine, with a count of what it is asked for since `counts` was last set to zero. */
export function counting(engine: PairingEngine): {
  readonly engine: PairingEngine
  readonly counts: Counts
  zero(): void
} {
  const counts: Counts = { hashToFirst: 0, multiplyFirst: 0, multiplySecond: 0, pair: 0, power: 0 }
  const counted = <Args extends unknown[], Result>(name: keyof Counts, work: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      counts[name]++
      return work(...args)
    }
  }
  return {
    counts,
    zero() {
      for (const name of Object.keys(counts)) counts[name as keyof Counts] = 0
    },
    engine: {
      ...engine,
      hashToFirst: counted('hashToFirst', engine.hashToFirst),
      multiplyFirst: counted('multiplyFirst', engine.multiplyFirst),
      multiplySecond: counted('multiplySecond', engine.multiplySecond),
      pair: counted('pair', engine.pair),
      power: counted('power', engine.power),
    },
  }
}

/** The share of those for which it holds. */
export function share<Item>(items: readonly Item[], holds: (item: Item, place: number) => boolean): number {
  return items.filter((item, place) => holds(item, place)).length / items.length
}
