// Subscriptions and events to measure matching with: six kinds of content, and topics. All are drawn from a seed.

import { type Random, seededRandom } from '../../src/core/index.ts'
import { type Attributes, type Filter, mqtt, parseFilter } from '../../src/events/index.ts'

export interface Workload {
  readonly name: string
  readonly title: string
  /** The share of subscriptions that an event should match; null where it follows from no formula. */
  readonly share: number | null
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

/** A range of this width, round: what leaves the unit at one end comes in at the other. */
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
    // Ranges lie within the unit, so a number in the middle is in more of them: the share is measured, not derived.
    share: null,
    source: random => Object.fromEntries(picked(random, count).map(name => [name, range(random, width)])),
    event: random => Object.fromEntries(NAMES.map(name => [name, random.unit()])),
  }
}

function mixedSource(random: Random): Record<string, unknown> {
  const one = () => symbol(zipf(random))
  switch (random.below(6)) {
    case 0:
      return { symbol: one(), a0: range(random, 0.3) }
    case 1:
      return { symbol: { prefix: one().slice(0, 2) }, a1: range(random, 0.3) }
    case 2:
      return { symbol: [one(), one(), one()], side: 'buy' }
    case 3:
      return { symbol: one(), market: { not: ['test', `m${random.below(20)}`] } }
    case 4:
      return { symbol: one(), halted: { exists: false } }
    default:
      return { a0: range(random, 0.1), a1: range(random, 0.1), side: random.chance(0.5) ? 'buy' : 'sell' }
  }
}

function mixedEvent(random: Random): Attributes {
  return {
    symbol: symbol(zipf(random)),
    a0: random.unit(),
    a1: random.unit(),
    side: random.chance(0.5) ? 'buy' : 'sell',
    market: `m${random.below(20)}`,
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
    title: 'equal, prefix, in, not, exists and range, mixed',
    share: null,
    source: mixedSource,
    event: mixedEvent,
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

/** Topic filters of three to five levels, some of them `+`, a fifth ending in `#`; and topics. */
export function drawnTopics(seed: number, subscriptions: number, events: number) {
  const random = seededRandom(seed)
  const word = () => WORDS[random.below(WORDS.length)]!
  const patterns = Array.from({ length: subscriptions }, () => {
    const levels = Array.from({ length: 3 + random.below(3) }, () => (random.chance(0.2) ? '+' : word()))
    if (random.chance(0.2)) levels[levels.length - 1] = '#'
    return levels.join('/')
  })
  const topics = Array.from({ length: events }, () => Array.from({ length: 3 + random.below(3) }, word).join('/'))
  const filters: readonly Filter[] = patterns.map(pattern => mqtt(pattern))
  return { patterns, filters, topics }
}
