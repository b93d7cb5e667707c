// What a server shows to who looks at the whole: how much of each source there is, and where subscriptions stand, and
// what is kept.

import type { NodeId } from '../../core/index.ts'
import { decodeFilter } from '../filter.ts'
import { LOOKED_MAX, looksFor } from '../limits.ts'
import { sizeOf } from '../signed.ts'
import {
  type EventsMessage,
  type Head,
  ITEMS_BYTES_MAX,
  REMINDED_MAX,
  type RetainedEvent,
  SURVEYED_CURSORS_MAX,
  SURVEYED_ENTRIES_MAX,
  SURVEYED_MAX,
  type SurveyedCursor,
} from '../wire.ts'
import { placeBehind, topicsInOrder } from './retaining.ts'
import { fits, headOf } from './serving.ts'
import type { ServerScene, ServerState } from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

export function onSurvey({ state, turn }: ServerScene, from: NodeId, { id, channel }: Message<'survey'>): void {
  const entries: Head[] = []
  const wanted = (of: string) => channel === '' || of === channel
  // The newest first: where there are more than one answer holds, the old ones are left out.
  const streams = [...state.streams.values()].filter(({ source }) => wanted(source.channel))
  for (const stream of streams.sort((a, b) => b.changed - a.changed).slice(0, SURVEYED_MAX))
    entries.push(headOf(stream))
  turn.do({ kind: 'send', to: from, body: { kind: 'surveyed', id, entries, cursors: subscriptionsOf(state, wanted) } })
}

/** As many as one answer holds, and no more are put together. */
function subscriptionsOf(state: ServerState, wanted: (channel: string) => boolean): SurveyedCursor[] {
  const found: SurveyedCursor[] = []
  for (const { channel, name, owner, entries } of state.cursors.values()) {
    if (found.length >= SURVEYED_CURSORS_MAX) return found
    if (wanted(channel))
      found.push({ channel, name, owner, queue: false, entries: entries.slice(0, SURVEYED_ENTRIES_MAX) })
  }
  for (const { channel, name, owner, sources } of state.queues.values()) {
    if (found.length >= SURVEYED_CURSORS_MAX) return found
    if (!wanted(channel)) continue
    const all = [...sources.values()].slice(-SURVEYED_ENTRIES_MAX)
    const entries = all.map(({ source: { author, boot }, done }) => ({ author, boot, counter: done }))
    found.push({ channel, name, owner, queue: true, entries })
  }
  return found
}

/**
 * A page of what is kept, in the order of the topics. It ends where an answer is full, or enough was looked at, and says where that is: else
 * whoever keeps three hundred events hides those of everybody else. Every page has looked at one topic at least, so that the next goes on.
 * What has expired is shown like the rest: one that lags, or lies, may show what was there before it.
 */
export function onRemind(
  { state, turn }: ServerScene,
  from: NodeId,
  { id, channel, filter: encoded, after }: Message<'remind'>,
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
