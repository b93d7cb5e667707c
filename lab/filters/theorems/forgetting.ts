// THESIS theorem 3.9.1: "no filter can resist a false negative attack on an infinite sliding window": whatever p < 1,
// sending hM fresh elements after one makes the filter forget it with chance at least 1 - (1 - 1/M)^hM. Played here with
// its own strategy. A Bloom filter forgets nothing: once full it calls everything a duplicate, and that is right for all
// that came. A quotient table loses an element with at most 1 - 1/S: somebody's fingerprint stands there.

import { seededRandom } from '../../../src/core/index.ts'
import {
  A2,
  Bloom,
  Cuckoo,
  QuotientHashTable,
  StableBloom,
  tableFalseNegative,
  tableShape,
} from '../../../src/filters/index.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { bonferroni, rateTolerance } from '../../statistics.ts'
import type { Streamed } from '../measure.ts'
import { flood } from '../players.ts'
import { CONFIDENCE } from '../rows.ts'

const BITS = 300
const ROUNDS = { small: 400, full: 20_000 }
/** h: fresh elements for each bit. */
const TIMES = [1, 2, 4, 8]
const TABLE = { bits: BITS, cells: 1, fingerprintBits: 3 }
const OTHERS: Readonly<Record<string, (key: Uint8Array) => Streamed>> = {
  Cuckoo: key => new Cuckoo({ bits: BITS, cells: 1, fingerprintBits: 3, key }),
  SBF: key => new StableBloom({ bits: BITS, cellBits: 2, hashes: 2, falsePositiveRate: 0.02, key }),
  A2: key => new A2({ bits: BITS, falsePositiveRate: 0.1, key }),
}

function forgotten(make: (key: Uint8Array) => Streamed, fresh: number, rounds: number, seed: number): number {
  const random = seededRandom(seed, 0x391)
  let won = 0
  for (let round = 0; round < rounds; round++) {
    const filter = make(random.bytes(8))
    if (flood(fresh + 1).play(element => filter.stream(element) === 'duplicate', random)) won++
  }
  return won / rounds
}

export const forgettingTheorem: Experiment = {
  name: 'errata-3-9-1',
  title: 'The attack that no filter resists: a full Bloom filter does, and a quotient table in part.',
  source: 'THESIS §3.9, theorem 3.9.1',
  run({ scale, seed, progress }) {
    const rounds = ROUNDS[scale]
    const each = bonferroni(CONFIDENCE, TIMES.length)
    const shape = tableShape(TABLE)
    const rows: Row[] = []
    for (const [at, times] of TIMES.entries()) {
      progress(at / TIMES.length, `${times} M`)
      const fresh = times * BITS
      const promised = 1 - (1 - 1 / BITS) ** fresh
      const lost = forgotten(key => new QuotientHashTable({ ...TABLE, key }), fresh, rounds, seed + at)
      const due = tableFalseNegative('QHT', shape, fresh)
      const what = `after ${times} M fresh elements`
      rows.push(row(`QHT, ${what}: forgotten`, lost, due, rateTolerance(due, rounds, each), 'of games'))
      rows.push(row(`${what}: the theorem promises at least`, promised, null, null, 'of games'))
      rows.push(
        row(
          `Bloom, ${what}: forgotten`,
          forgotten(key => new Bloom({ bits: BITS, hashes: 3, key }), fresh, 50, seed),
          0,
          0,
        ),
      )
      for (const [name, make] of Object.entries(OTHERS)) {
        rows.push(
          row(`${name}, ${what}: forgotten`, forgotten(make, fresh, rounds / 4, seed + at), null, null, 'of games'),
        )
      }
    }
    const most = 1 - (1 - 1 / BITS) ** (TIMES.at(-1)! * BITS)
    const last = rows.find(one => one.what === `QHT, after ${TIMES.at(-1)} M fresh elements: forgotten`)!.measured
    const what = 'QHT: short of the promise at the end by more than'
    rows.push({ what, measured: most - last, expected: 0.05, tolerance: null, within: most - last > 0.05 })
    return { rows, pictures: [], notes: NOTES }
  },
}

const NOTES = [
  `Filters of ${BITS} bits; an element, hM fresh ones, the element again. It is won where the answer is "unseen".`,
  'The proof has a filter remember an element for M insertions on average. A filter that answers "duplicate" to everything ' +
    'remembers all of them, in no memory at all, and wins every game of this kind: the theorem lacks a bound on false positives.',
  'A learner that looks for elements which push its own out does win against a quotient table, key or no key: `filters-games`.',
]
