// Random filters and events through the twin, through the meaning in filter.ts, and through the index with its removals:
// all must agree. The small tests and the campaign of ten million pairs share this.

import {
  decodeFilter,
  encodeFilter,
  type Filter,
  InvalidFilter,
  type Language,
  Matcher,
  matches,
  parseAttributes,
} from '../../src/events/index.ts'
import { diceOf, type Event, randomEvent, randomFilters } from './random.ts'
import { twins } from './twin.ts'

export interface Compared {
  pairs: number
  matched: number
  /** Filters that are beyond the limits when written out. */
  refused: number
}

interface Subscription {
  readonly source: unknown
  readonly filter: Filter
}

/** Compares so many filters with so many events; throws with the first pair that differs. */
export function compareBatch(language: Language, seed: number, filters: number, events: number): Compared {
  const dice = diceOf(seed)
  const compared = { pairs: 0, matched: 0, refused: 0 }
  const matcher = new Matcher<number>()
  const subscriptions = new Map<number, Subscription>()
  for (let number = 0; number < filters; number++) {
    const source = randomFilters[language.name]!(dice)
    const filter = parsed(language, source)
    if (filter === undefined) {
      compared.refused++
      continue
    }
    subscriptions.set(number, { source, filter })
    matcher.add(number, filter)
    // A removal now and then, a replacement sometimes: the index must forget.
    const other = dice.below(filters)
    if (dice.chance(0.3) && matcher.remove(other)) subscriptions.delete(other)
  }
  for (let number = 0; number < events; number++) {
    compareEvent(language, randomEvent(dice), matcher, subscriptions, compared)
    const other = dice.below(filters)
    if (dice.chance(0.5) && matcher.remove(other)) subscriptions.delete(other)
  }
  return compared
}

function parsed(language: Language, source: unknown): Filter | undefined {
  try {
    const filter = language.parse(source)
    const decoded = decodeFilter(encodeFilter(filter))
    if (!decoded.ok || JSON.stringify(decoded.value) !== JSON.stringify(filter))
      throw new Error(`${JSON.stringify(source)} does not survive its encoding`)
    return filter
  } catch (error) {
    if (error instanceof InvalidFilter && /at most/.test(error.message)) return undefined
    throw error
  }
}

function compareEvent(
  language: Language,
  event: Event,
  matcher: Matcher<number>,
  subscriptions: ReadonlyMap<number, Subscription>,
  compared: Compared,
): void {
  const attributes = parseAttributes(event)
  const found = matcher.match(attributes)
  const hits = new Set(found)
  const fail = (what: string, source: unknown) => {
    throw new Error(`${what}: ${language.name} ${JSON.stringify(source)} on ${JSON.stringify(event)}`)
  }
  if (hits.size !== found.length) fail('one is named twice', found)
  for (const [number, { source, filter }] of subscriptions) {
    const expected = twins[language.name]!(source, event)
    compared.pairs++
    if (expected) compared.matched++
    if (matches(filter, attributes) !== expected) fail(`the twin says ${expected}`, source)
    if (hits.has(number) !== expected) fail(`the index says ${!expected}`, source)
    hits.delete(number)
  }
  if (hits.size > 0) fail('the index names what was removed', [...hits])
}
