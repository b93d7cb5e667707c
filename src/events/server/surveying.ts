// What a server shows to who looks at the whole: how much of each source there is, where subscriptions stand, and the newest
// kept event of each topic.

import type { NodeId } from '../../core/index.ts'
import { decodeFilter } from '../filter.ts'
import { looksFor } from '../limits.ts'
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
 * Kept events that are held against a filter for one answer: all of a channel against one of a kibibyte, against a longer one fewer.
 * One of 34 KiB would else keep a server for half a minute; now it is a second.
 */
export const REMIND_LOOKED_MAX = 100_000

export function onRemind({ state, turn }: ServerScene, from: NodeId, body: Message<'remind'>): void {
  const filter = decodeFilter(body.filter)
  if (!filter.ok) return
  const events: RetainedEvent[] = []
  let bytes = 0
  let looksLeft = REMIND_LOOKED_MAX
  for (const { source, identity, item } of state.retained.get(body.channel)?.values() ?? []) {
    looksLeft -= looksFor(body.filter)
    if (looksLeft < 0) break
    if (!fits(filter.value, item)) continue
    bytes += sizeOf(item)
    if (events.length >= REMINDED_MAX || (events.length > 0 && bytes > ITEMS_BYTES_MAX)) break
    events.push({ source, identity, item })
  }
  turn.do({ kind: 'send', to: from, body: { kind: 'reminded', id: body.id, events } })
}
