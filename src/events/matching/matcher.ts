// Which subscriptions want an event.

import { type Filter, matches } from '../filter.ts'
import type { Attributes } from '../values.ts'

/** Filters by name; says which of them match an event. */
export class Matcher<Id = string> {
  private readonly filters = new Map<Id, Filter>()

  /** How many there are. */
  get size(): number {
    return this.filters.size
  }

  /** Adds a filter, or replaces the one of this name. */
  add(id: Id, filter: Filter): void {
    this.filters.set(id, filter)
  }

  /** Removes a filter; false where there was none. */
  remove(id: Id): boolean {
    return this.filters.delete(id)
  }

  /** The names of all filters that match, each once, in no particular order. */
  match(attributes: Attributes): readonly Id[] {
    return [...this.filters].filter(([, filter]) => matches(filter, attributes)).map(([id]) => id)
  }
}
