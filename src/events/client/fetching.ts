// Asks the server that sends for what follows of a source: whenever it has answered and the handler has not enough to do.
//
// Also when the handler has done something. A source that waited for the next beat with that had UNHANDED_MAX events a beat.

import { type ClientScene, FETCHED_BYTES_MAX, type Subscription, say, type Tracked, UNHANDED_MAX } from './state.ts'

/** Asks for what follows; not while the handler has enough to do. */
export function fetchNext(scene: ClientScene, subscription: Subscription, one: Tracked): void {
  const [lead] = subscription.members
  if (lead === undefined || one.fetching || hasEnough(subscription, one) || one.closedAt > 0) return
  one.fetching = true
  const { id: sub, version } = subscription
  say(scene, lead.server, { kind: 'fetch', sub, version, source: one.source, after: one.through, to: 0 })
}

/** The handler has enough to do. */
export function hasEnough({ unhanded }: Subscription, { items }: Tracked): boolean {
  return items.size >= UNHANDED_MAX || (items.size > 0 && unhanded >= FETCHED_BYTES_MAX)
}
