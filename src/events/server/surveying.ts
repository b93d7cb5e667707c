// What a server shows to who looks at the whole: how much of each source there is, and where subscriptions stand.

import type { NodeId } from '../../core/index.ts'
import {
  type EventsMessage,
  type Head,
  SURVEYED_CURSORS_MAX,
  SURVEYED_ENTRIES_MAX,
  SURVEYED_MAX,
  type SurveyedCursor,
} from '../wire.ts'
import { headOf } from './serving.ts'
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
