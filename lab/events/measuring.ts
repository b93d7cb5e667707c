// How the index is held against asking every filter: what both find, how often, and how long each takes.

import { type Attributes, type Filter, Matcher, matches } from '../../src/events/index.ts'

/** Processor time for each of both, at least. */
const SECONDS = { small: 0.02, full: 1 }

export interface Held {
  /** Events for which the two found different subscriptions. */
  readonly differences: number
  /** For each event the share of subscriptions that it matches. */
  readonly shares: readonly number[]
  /** Events a second of processor time. */
  readonly rate: number
  readonly naiveRate: number
}

function asked(filters: readonly Filter[], event: Attributes): number[] {
  const found: number[] = []
  for (let id = 0; id < filters.length; id++) if (matches(filters[id]!, event)) found.push(id)
  return found
}

function rateOf(events: readonly Attributes[], seconds: number, match: (event: Attributes) => unknown): number {
  const start = process.cpuUsage()
  let done = 0
  for (;;) {
    match(events[done++ % events.length]!)
    const { user, system } = process.cpuUsage(start)
    if (user + system >= seconds * 1e6) return (done * 1e6) / (user + system)
  }
}

/** Among the first events as many are compared one by one as `compared` says. */
export function held(
  filters: readonly Filter[],
  events: readonly Attributes[],
  compared: number,
  scale: 'small' | 'full',
): Held {
  const matcher = new Matcher<number>()
  for (const [id, filter] of filters.entries()) matcher.add(id, filter)
  let differences = 0
  for (const event of events.slice(0, compared)) {
    const found = [...matcher.match(event)].sort((a, b) => a - b)
    const expected = asked(filters, event)
    if (found.length !== expected.length || found.some((id, at) => id !== expected[at])) differences++
  }
  const shares = events.map(event => matcher.count(event) / filters.length)
  const rate = rateOf(events, SECONDS[scale], event => matcher.match(event))
  const naiveRate = rateOf(events, SECONDS[scale], event => asked(filters, event))
  return { differences, shares, rate, naiveRate }
}
