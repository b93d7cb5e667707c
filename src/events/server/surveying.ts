// What a server shows to who looks at the whole: how much of each source there is, where subscriptions stand, and the newest
// kept event of each topic.

import type { NodeId } from '../../core/index.ts'
import { decodeFilter } from '../filter.ts'
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
  const cursors = subscriptionsOf(state).filter(cursor => wanted(cursor.channel))
  turn.do({
    kind: 'send',
    to: from,
    body: { kind: 'surveyed', id, entries, cursors: cursors.slice(0, SURVEYED_CURSORS_MAX) },
  })
}

function subscriptionsOf(state: ServerState): SurveyedCursor[] {
  const named = [...state.cursors.values()].map(({ channel, name, owner, entries }) => {
    return { channel, name, owner, queue: false, entries: entries.slice(0, SURVEYED_ENTRIES_MAX) }
  })
  const queues = [...state.queues.values()].map(({ channel, name, owner, sources }) => {
    const all = [...sources.values()].slice(-SURVEYED_ENTRIES_MAX)
    const entries = all.map(({ source: { author, boot }, done }) => ({ author, boot, counter: done }))
    return { channel, name, owner, queue: true, entries }
  })
  return [...named, ...queues]
}

export function onRemind({ state, turn }: ServerScene, from: NodeId, body: Message<'remind'>): void {
  const filter = decodeFilter(body.filter)
  if (!filter.ok) return
  const events: RetainedEvent[] = []
  let bytes = 0
  for (const { source, identity, item } of state.retained.get(body.channel)?.values() ?? []) {
    if (!fits(filter.value, item)) continue
    bytes += sizeOf(item)
    if (events.length >= REMINDED_MAX || (events.length > 0 && bytes > ITEMS_BYTES_MAX)) break
    events.push({ source, identity, item })
  }
  turn.do({ kind: 'send', to: from, body: { kind: 'reminded', id: body.id, events } })
}
