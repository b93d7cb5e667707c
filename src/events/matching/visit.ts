// One event on its way through the index, and what it has hit so far.

import type { Attributes } from '../values.ts'

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
  /** Names of subscriptions that were hit; beyond `count` stand those of former events. */
  readonly found: unknown[] = []
  count = 0
  /** By number of the subscription: the event that hit it last. Only where one may be hit twice. */
  private lastHits = new Float64Array(0)

  begin(attributes: Attributes): void {
    this.event++
    this.attributes = attributes
    this.hasLists = false
    this.count = 0
  }

  /** A subscription that cannot be hit twice by this event. */
  hit(name: unknown): void {
    this.found[this.count++] = name
  }

  /** One that may be hit through several entries: it counts once. */
  hitOnce(subscription: number, name: unknown): void {
    if (subscription >= this.lastHits.length) this.reserve(subscription)
    if (this.lastHits[subscription] === this.event) return
    this.lastHits[subscription] = this.event
    this.found[this.count++] = name
  }

  private reserve(subscription: number): void {
    const lastHits = new Float64Array(Math.max(1024, subscription + (subscription >> 1)))
    lastHits.set(this.lastHits)
    this.lastHits = lastHits
  }
}
