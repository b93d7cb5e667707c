// One event on its way through the index, and what it has hit so far.

import type { Attributes } from '../values.ts'

const CAPACITY_FIRST = 1024

/** What is asked for an event. */
export interface Asked {
  ask(visit: Visit): void
}

/** The event that is being matched; one object serves all events, one after the other. */
export class Visit {
  /** Counts events; what was computed for an event carries its number. */
  event = 0
  attributes: Attributes = {}
  /** Whether one of its attributes is a list of several items. */
  hasLists = false
  count = 0
  hits = new Int32Array(CAPACITY_FIRST)
  /** For subscriptions with several entries: the event that hit it last. */
  private lastHits = new Float64Array(CAPACITY_FIRST)

  begin(attributes: Attributes): void {
    this.event++
    this.attributes = attributes
    this.hasLists = false
    this.count = 0
  }

  /** Room for so many subscriptions: each is hit once at most. */
  reserve(subscriptions: number): void {
    if (subscriptions <= this.hits.length) return
    const length = Math.max(subscriptions, 2 * this.hits.length)
    this.hits = new Int32Array(length)
    const lastHits = new Float64Array(length)
    lastHits.set(this.lastHits)
    this.lastHits = lastHits
  }

  /** A subscription by its number; one with several entries by the complement of it, and it counts once. */
  hit(subscription: number): void {
    if (subscription >= 0) {
      this.hits[this.count++] = subscription
      return
    }
    const several = ~subscription
    if (this.lastHits[several] === this.event) return
    this.lastHits[several] = this.event
    this.hits[this.count++] = several
  }
}
