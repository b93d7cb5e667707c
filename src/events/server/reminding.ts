// The newest kept event of each topic, for who asks: page by page, in the order of the topics.
//
// The obvious answer shows as many as it holds, and says nothing of the rest: whoever keeps three hundred events that nobody is to
// have any more hides those of everybody else. What has expired is shown like the rest: a server that lags, or lies, may show what
// was there before it, and a client that does not see it would take that for the newest.

import type { NodeId } from '../../core/index.ts'
import { decodeFilter } from '../filter.ts'
import { LOOKED_MAX, looksFor } from '../limits.ts'
import { sizeOf } from '../signed.ts'
import { type EventsMessage, ITEMS_BYTES_MAX, REMINDED_MAX, type RetainedEvent } from '../wire.ts'
import { fits } from './serving.ts'
import type { ServerScene } from './state.ts'
import { placeBehind, topicsInOrder } from './topic-order.ts'

/** A page ends where an answer is full, or enough was looked at. Every page has looked at one topic at least, so that the next goes on. */
export function onRemind(
  { state, turn }: ServerScene,
  from: NodeId,
  { id, channel, filter: encoded, after }: EventsMessage & { kind: 'remind' },
): void {
  const filter = decodeFilter(encoded)
  if (!filter.ok) return
  const order = topicsInOrder(state, channel)
  const events: RetainedEvent[] = []
  let at = after === undefined ? 0 : placeBehind(order, after)
  let bytes = 0
  let looksLeft = LOOKED_MAX
  for (; at < order.length; at++) {
    looksLeft -= looksFor(encoded)
    if (looksLeft < 0) break
    const { source, identity, item } = state.retained.get(channel)!.get(order[at]!)!
    if (!fits(filter.value, item)) continue
    bytes += sizeOf(item)
    if (events.length >= REMINDED_MAX || (events.length > 0 && bytes > ITEMS_BYTES_MAX)) break
    events.push({ source, identity, item })
  }
  const through = at < order.length ? order[at - 1] : undefined
  turn.do({ kind: 'send', to: from, body: { kind: 'reminded', id, after, through, events } })
}
