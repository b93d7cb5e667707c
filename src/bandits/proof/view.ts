// The comparator's view of many rounds, and how far it is from chance: for tests, and for the lab.

import { seededRandom } from '../../core/index.ts'
import { type BlockFunction, comparable, compareTags, TAG_BYTES, tagsOf } from '../encoding.ts'
import { permutation } from '../printed/ring.ts'

/** Distances from uniform, as chi-squares: of the winner's slot, of the order of slots, of the place where two lists agree. */
export interface ViewDistances {
  readonly winner: number
  readonly order: number
  readonly place: number
}

/** What is looked at: fixed indices, seats anew in every round. */
export interface ViewShape {
  readonly indices: readonly number[]
  readonly bits: number
  readonly rounds: number
  readonly seed: number
  readonly key: BlockFunction
  ties(arm: number, slot: number, all: number): number
  /** The arm of each slot, in every round: a planted bug. */
  readonly seats?: readonly number[]
}

/** Looks at so many rounds of these indices. */
export function comparatorView({ indices, bits, rounds, seed, key, ties, seats }: ViewShape): ViewDistances {
  const slots = indices.length
  const random = seededRandom(seed)
  const winners = new Map<string, number>()
  const orders = new Map<string, number>()
  const places = new Map<string, number>()
  const count = (map: Map<string, number>, what: unknown) => map.set(String(what), (map.get(String(what)) ?? 0) + 1)
  for (let all = 1; all <= rounds; all++) {
    const lists = (seats ?? permutation(slots, random.below)).map((arm, slot) =>
      tagsOf(comparable(indices[arm]!, ties(arm, slot, all)), slot, { slots, bits }, { all, attempt: 0 }, key),
    )
    const found = compareTags(lists, bits)
    if ('refusal' in found) throw new Error(found.refusal)
    count(winners, found.ranks.indexOf(slots - 1))
    count(orders, found.ranks)
    const place = placeOf(lists[0]!, lists[1]!, bits)
    if (place !== undefined) count(places, place)
  }
  const all = Array.from({ length: slots }, (_, place) => place + 1).reduce((product, one) => product * one, 1)
  return { winner: chiSquare(winners, slots), order: chiSquare(orders, all), place: chiSquare(places, bits) }
}

function chiSquare(counts: ReadonlyMap<string, number>, cells: number): number {
  const total = [...counts.values()].reduce((a, b) => a + b, 0)
  const expected = total / cells
  const squares = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  return squares + (cells - counts.size) * expected
}

/** Where the first lists of two slots agree. */
function placeOf(one: Uint8Array, other: Uint8Array, bits: number): number | undefined {
  for (let place = 0; place < bits; place++) {
    const from = place * TAG_BYTES
    const to = from + TAG_BYTES
    if (one.subarray(from, to).every((byte, at) => byte === other[from + at])) return place
  }
  return undefined
}
