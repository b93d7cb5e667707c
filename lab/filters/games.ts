// The adversarial games of THESIS §2.1.4 against keyed and unkeyed filters. Unkeyed ones fall at once. Keyed ones stay
// within theorems 3.9.2 (n = w), 3.9.3 (n < w), 4.7.1 and 4.7.2 read with max. Beyond n = w a learner wins against a keyed
// table as well, which is why no table of fingerprints decides security here (protocols/filters).

import { seededRandom } from '../../src/core/index.ts'
import {
  falseNegativeResistance,
  falsePositiveResistance,
  QueueOf,
  QuotientHashTable,
  queuingFalseNegativeResistance,
  queuingFalsePositiveResistance,
  StreamingQuotientFilter,
  tableShape,
} from '../../src/filters/index.ts'
import type { Experiment, Row } from '../experiment.ts'
import { bonferroni, rateTolerance } from '../statistics.ts'
import { SEEDS, type Streamed } from './measure.ts'
import {
  dropped,
  evictorAtHome,
  fill,
  flood,
  floodOneSubfilter,
  learner,
  type Player,
  stayBehind,
  twinAtHome,
} from './players.ts'
import { CONFIDENCE } from './rows.ts'

const BITS = 300
const TABLE = { bits: BITS, cells: 1, fingerprintBits: 3 }
const WINDOW = 100
const SUBFILTERS = 4
const CAPACITY = 25
const QUEUE_BITS = SUBFILTERS * BITS

type Make = (key: Uint8Array) => Streamed

const keyedTable: Make = key => new QuotientHashTable({ ...TABLE, key })
const unkeyedTable = () => new QuotientHashTable({ ...TABLE, hashing: 'unkeyed' })
const unkeyedQuotient = () =>
  new StreamingQuotientFilter({ bits: BITS, cells: 1, remainderBits: 2, reducedBits: 1, hashing: 'unkeyed' })
const queue = (options: { key?: Uint8Array; hashing?: 'unkeyed' }) =>
  new QueueOf({
    ...options,
    bits: QUEUE_BITS,
    window: SUBFILTERS * CAPACITY,
    subfilters: SUBFILTERS,
    of: share => new QuotientHashTable({ ...share, cells: 1, fingerprintBits: 3 }),
  })
const keyedQueue: Make = key => queue({ key })
const unkeyedQueue = () => queue({ hashing: 'unkeyed' })

/** What a copy with another key is worth: the player who knows everything but the key. */
const strangerKey = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)

interface Game {
  readonly what: string
  readonly make: Make
  readonly player: () => Player
  /** Won at most this often; `falls` games must be won nearly always instead. */
  readonly bound?: number
  readonly falls?: number
  /** Won exactly this often. */
  readonly is?: number
}

/** Without a key everybody can look at home for keys that meet in a row. */
function unkeyedGames(): readonly Game[] {
  const filters = { QHT: unkeyedTable, SQF: unkeyedQuotient, queue: unkeyedQueue }
  return Object.entries(filters).flatMap(([name, make]) => [
    { what: `unkeyed ${name}, false negative: falls`, make, player: () => evictorAtHome(make()), falls: 1 },
    { what: `unkeyed ${name}, false positive: falls`, make, player: () => twinAtHome(make()), falls: 1 },
  ])
}

function games(): readonly Game[] {
  const shape = tableShape(TABLE)
  const missed = falseNegativeResistance(shape, WINDOW)
  const shown = falsePositiveResistance(shape, WINDOW)
  const eachShown = falsePositiveResistance(shape, CAPACITY)
  const queueMissed = queuingFalseNegativeResistance({
    lostChance: falseNegativeResistance(shape, CAPACITY),
    falsePositiveLeast: 0,
    subfilters: SUBFILTERS,
    capacity: CAPACITY,
    window: (SUBFILTERS - 1) * CAPACITY,
  })
  return [
    ...unkeyedGames(),
    {
      what: 'keyed QHT, evictor found at home: within 3.9.2',
      make: keyedTable,
      player: () => evictorAtHome(new QuotientHashTable({ ...TABLE, key: strangerKey })),
      bound: missed,
    },
    {
      what: 'keyed QHT, twin found at home: within 3.9.3',
      make: keyedTable,
      player: () => twinAtHome(new QuotientHashTable({ ...TABLE, key: strangerKey })),
      bound: shown,
    },
    { what: 'keyed QHT, flood, n = w: within 3.9.2', make: keyedTable, player: () => flood(WINDOW), bound: missed },
    { what: 'keyed QHT, fill, n < w: within 3.9.3', make: keyedTable, player: () => fill(WINDOW - 1), bound: shown },
    {
      what: 'keyed queue, fill, cL = w: within 4.7.1',
      make: keyedQueue,
      player: () => fill(SUBFILTERS * CAPACITY),
      bound: queuingFalsePositiveResistance(eachShown, SUBFILTERS),
    },
    {
      what: 'keyed queue, flood of one subfilter: within 4.7.2 with max',
      make: keyedQueue,
      player: () => floodOneSubfilter(CAPACITY, SUBFILTERS),
      bound: queueMissed,
    },
    ...queueGames(eachShown, falsePositiveResistance(shape, 1), falseNegativeResistance(shape, CAPACITY)),
    {
      what: 'keyed QHT, learner, n beyond w: falls',
      make: keyedTable,
      player: () => learner(20 * shape.rows),
      falls: 0.99,
    },
  ]
}

/** The second halves of theorems 4.7.1 and 4.7.2: a window that is shorter than the queue, and one that is longer. */
function queueGames(full: number, fresh: number, lost: number): readonly Game[] {
  return [
    {
      // Theorem 4.7.1 says at least 1 - (1 - p)^L. It is shown by its own subfilter unless lost there, or by a twin.
      what: 'keyed queue, cL > w, an element that has left the window: 4.7.1',
      make: keyedQueue,
      player: () => stayBehind(CAPACITY, SUBFILTERS),
      is: 1 - lost * (1 - full) ** (SUBFILTERS - 1),
    },
    {
      // Its subfilter is gone: it is missed where none of the others shows a twin. The newest holds one element.
      what: 'keyed queue, w > (L-1)c, an element whose subfilter is gone: 4.7.2',
      make: keyedQueue,
      player: () => dropped(CAPACITY, SUBFILTERS),
      is: (1 - full) ** (SUBFILTERS - 1) * (1 - fresh),
    },
  ]
}

export const filterGames: Experiment = {
  name: 'filters-games',
  title: 'The games against duplicate filters: without a key they fall, with one they hold for n ≤ w',
  source: 'THESIS §2.1.4, theorems 3.9.2, 3.9.3, 4.7.1, 4.7.2',
  run({ scale, seed, progress }) {
    const rounds = (scale === 'full' ? 10_000 : 300) * SEEDS
    const all = games()
    const rows: Row[] = []
    for (const [index, game] of all.entries()) {
      progress(index / all.length, game.what)
      const won = playAll(game, rounds, seed + index)
      rows.push(rowOf(game, won / rounds, rounds, all.length))
    }
    return { rows, pictures: [], notes: notes() }
  },
}

function playAll(game: Game, rounds: number, seed: number): number {
  const random = seededRandom(seed, 5)
  let won = 0
  for (let round = 0; round < rounds; round++) {
    const filter = game.make(random.bytes(8))
    if (game.player().play(element => filter.stream(element) === 'duplicate', random)) won++
  }
  return won
}

/** The expectation of a bounded game is the bound, and less is good; that of a game that falls is the win, and more is. */
function rowOf(game: Game, rate: number, rounds: number, games: number): Row {
  const expected = game.is ?? game.bound ?? game.falls ?? 0
  const tolerance = rateTolerance(expected, rounds, bonferroni(CONFIDENCE, games))
  const notLess = rate >= expected - tolerance
  const notMore = rate <= expected + tolerance
  const within = game.is !== undefined ? notLess && notMore : game.bound === undefined ? notLess : notMore
  return {
    what: game.what,
    measured: 100 * rate,
    expected: 100 * expected,
    tolerance: 100 * tolerance,
    unit: '% won',
    within,
  }
}

function notes(): string[] {
  const shape = tableShape(TABLE)
  const lost = falseNegativeResistance(shape, CAPACITY)
  return [
    'Bounded games are good at or below the bound, those that fall at or above; the last two of the queue have one right value.',
    `Theorem 4.7.2 prints min: it would allow ${(100 * lost ** SUBFILTERS).toFixed(2)} % of wins, which the flood exceeds a hundredfold. Its proof says max; with the least false-positive rate taken as 0, since the newest subfilter may be empty, that is ${(100 * lost).toFixed(2)} %.`,
    'The learner sends more than w elements. Theorem 3.9.2 is silent there, and rightly: it wins. Tables of fingerprints do not decide security.',
    `Tables of ${BITS} bits, ${shape.rows} rows, window ${WINDOW}; queue of ${SUBFILTERS} with ${CAPACITY} insertions each.`,
  ]
}
