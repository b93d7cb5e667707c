// Subscriptions and events to measure matching with: six kinds of content, and topics. All are drawn from a seed.

import { type Random, seededRandom } from '../../src/core/index.ts'
import { type Attributes, type Filter, mqtt, parseFilter } from '../../src/events/index.ts'

export interface Workload {
  readonly name: string
  readonly title: string
  /** The share of subscriptions that an event should match; null where it follows from no formula. */
  readonly share: number | null
  /** How much that chance differs from filter to filter; none where it is left out. */
  readonly deviation?: number
  /** In our own language. */
  source(random: Random): Record<string, unknown>
  event(random: Random): Attributes
}

const NAMES = Array.from({ length: 10 }, (_, at) => `a${at}`)
const SYMBOLS = 1000
/** Zipf: the k-th symbol is drawn 1/k as often as the first. */
const CUMULATED = cumulated()

function cumulated(): Float64Array {
  const sums = new Float64Array(SYMBOLS)
  for (let k = 1, sum = 0; k <= SYMBOLS; k++) sums[k - 1] = sum += 1 / k
  return sums.map(sum => sum / sums[SYMBOLS - 1]!)
}

function zipf(random: Random): number {
  const drawn = random.unit()
  return CUMULATED.findIndex(sum => drawn < sum)
}

/** The chance that two draws are the same symbol. */
export function sameSymbol(): number {
  return CUMULATED.reduce((sum, at, k) => sum + (at - (CUMULATED[k - 1] ?? 0)) ** 2, 0)
}

/** A range of this width within the unit: a number drawn from the unit lies in it with just this chance. */
function range(random: Random, width: number): { gte: number; lt: number } {
  const from = random.unit() * (1 - width)
  return { gte: from, lt: from + width }
}

function picked(random: Random, count: number): string[] {
  const names = [...NAMES]
  return Array.from({ length: count }, () => names.splice(random.below(names.length), 1)[0]!)
}

const symbol = (k: number) => `${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[k % 26]}${String.fromCharCode(65 + ((k * 7) % 26))}${k}`

function ranges(count: number, width: number): Pick<Workload, 'source' | 'event' | 'share'> {
  return {
    share: width ** count,
    source: random => Object.fromEntries(picked(random, count).map(name => [name, range(random, width)])),
    event: random => Object.fromEntries(NAMES.map(name => [name, random.unit()])),
  }
}

/** As many for each of the 26 beginnings: what an event of the mixture matches is then in closed form. */
const MIXED_SYMBOLS = 156
const MARKETS = 20
const BEGINNINGS = 26

/** Which symbol; all of them alike, or the k-th 1/k as often as the first. */
type Drawn = (random: Random) => number

/** Of each kind of the mixture, where all symbols are alike: the chance that one of its filters holds for an event. */
function mixedShares(): number[] {
  const same = 1 / MIXED_SYMBOLS
  const oneOfThree = 1 - (1 - same) ** 3
  const ranges = 0.1 * 0.1
  return [same * 0.3, 0.3 / BEGINNINGS, oneOfThree * 0.5, same * (1 - 1 / MARKETS), same * 0.9, ranges * 0.5]
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** How much the chances of the mixture's filters differ from kind to kind: their deviation. */
function mixedDeviation(): number {
  const shares = mixedShares()
  return Math.sqrt(meanOf(shares.map(share => share ** 2)) - meanOf(shares) ** 2)
}

function mixed(drawn: Drawn): Pick<Workload, 'source' | 'event'> {
  return { source: random => mixedSource(random, drawn), event: random => mixedEvent(random, drawn) }
}

function mixedSource(random: Random, drawn: Drawn): Record<string, unknown> {
  const one = () => symbol(drawn(random))
  switch (random.below(6)) {
    case 0:
      return { symbol: one(), a0: range(random, 0.3) }
    case 1:
      return { symbol: { prefix: one().slice(0, 2) }, a1: range(random, 0.3) }
    case 2:
      return { symbol: [one(), one(), one()], side: 'buy' }
    case 3:
      return { symbol: one(), market: { not: ['test', `m${random.below(MARKETS)}`] } }
    case 4:
      return { symbol: one(), halted: { exists: false } }
    default:
      return { a0: range(random, 0.1), a1: range(random, 0.1), side: random.chance(0.5) ? 'buy' : 'sell' }
  }
}

function mixedEvent(random: Random, drawn: Drawn): Attributes {
  return {
    symbol: symbol(drawn(random)),
    a0: random.unit(),
    a1: random.unit(),
    side: random.chance(0.5) ? 'buy' : 'sell',
    market: `m${random.below(MARKETS)}`,
    ...(random.chance(0.1) ? { halted: true } : {}),
  }
}

export const workloads: readonly Workload[] = [
  { name: 'W1', title: 'two ranges of 10 % on 2 of 10 attributes', ...ranges(2, 0.1) },
  { name: 'W2', title: 'three ranges of 21.5 % on 3 of 10', ...ranges(3, 0.215) },
  { name: 'W3', title: 'one range of 1 %', ...ranges(1, 0.01) },
  { name: 'W4', title: 'two ranges of 1 %', ...ranges(2, 0.01) },
  {
    name: 'W5',
    title: 'a symbol of 1,000 (Zipf) and half the prices',
    share: sameSymbol() / 2,
    source: random => ({
      symbol: symbol(zipf(random)),
      price: random.chance(0.5) ? { lt: random.unit() } : { gte: random.unit() },
    }),
    event: random => ({ symbol: symbol(zipf(random)), price: random.unit() }),
  },
  {
    name: 'W6',
    title: 'equal, prefix, in, not, exists and range, mixed, all symbols alike',
    share: meanOf(mixedShares()),
    deviation: mixedDeviation(),
    ...mixed(random => random.below(MIXED_SYMBOLS)),
  },
  {
    name: 'W6 skewed',
    title: 'the same, a symbol of 1,000 (Zipf): three times as many match',
    share: null,
    ...mixed(zipf),
  },
]

export function drawn(workload: Workload, seed: number, subscriptions: number, events: number) {
  const random = seededRandom(seed)
  const sources = Array.from({ length: subscriptions }, () => workload.source(random))
  return {
    sources,
    filters: sources.map(parseFilter),
    events: Array.from({ length: events }, () => workload.event(random)),
  }
}

const WORDS = Array.from({ length: 40 }, (_, at) => `word${at}`)
const LEVELS = [3, 4, 5]
const ONE_SHARE = 0.2
const REST_SHARE = 0.2

/** The chance that a filter of `drawnTopics` holds for a topic of this many levels. */
export function topicShare(levels: number): number {
  const level = ONE_SHARE + (1 - ONE_SHARE) / WORDS.length
  const exact = (level ** levels * (1 - REST_SHARE)) / LEVELS.length
  // `#` stands in place of the last level, and takes any number of levels, also none.
  const open = LEVELS.filter(own => own - 1 <= levels).map(own => (level ** (own - 1) * REST_SHARE) / LEVELS.length)
  return exact + open.reduce((sum, share) => sum + share, 0)
}

/** How much one filter's own chance to hold for a topic differs from filter to filter: its deviation. */
export function topicDeviation(): number {
  let mean = 0
  let square = 0
  const add = (chance: number, levels: number, weight: number) => {
    for (let fixed = 0; fixed <= levels; fixed++) {
      const share = weight * binomial(levels, fixed) * (1 - ONE_SHARE) ** fixed * ONE_SHARE ** (levels - fixed)
      mean += share * chance * WORDS.length ** -fixed
      square += share * (chance * WORDS.length ** -fixed) ** 2
    }
  }
  for (const own of LEVELS) {
    add(1 / LEVELS.length, own, (1 - REST_SHARE) / LEVELS.length)
    const long = LEVELS.filter(levels => levels >= own - 1).length / LEVELS.length
    add(long, own - 1, REST_SHARE / LEVELS.length)
  }
  return Math.sqrt(square - mean * mean)
}

function binomial(from: number, taken: number): number {
  return taken === 0 ? 1 : (binomial(from - 1, taken - 1) * from) / taken
}

/** Topic filters of three to five levels, some of them `+`, a fifth ending in `#`; and topics. */
export function drawnTopics(seed: number, subscriptions: number, events: number) {
  const random = seededRandom(seed)
  const word = () => WORDS[random.below(WORDS.length)]!
  const patterns = Array.from({ length: subscriptions }, () => {
    const count = LEVELS[random.below(LEVELS.length)]!
    const levels = Array.from({ length: count }, () => (random.chance(ONE_SHARE) ? '+' : word()))
    if (random.chance(REST_SHARE)) levels[levels.length - 1] = '#'
    return levels.join('/')
  })
  const topics = Array.from({ length: events }, () => {
    return Array.from({ length: LEVELS[random.below(LEVELS.length)]! }, word).join('/')
  })
  const filters: readonly Filter[] = patterns.map(pattern => mqtt(pattern))
  return { patterns, filters, topics }
}
