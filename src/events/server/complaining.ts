// What clients and servers hold against servers: kept and shown, and told to the people who run this one. Anybody can
// complain; it is worth what its accuser is, and more where several say the same.

import { keepComplaint, type NodeId } from '../../core/index.ts'
import { COMPLAINTS_MAX, type EventsMessage, isName } from '../wire.ts'
import type { ServerScene } from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

export function onComplain({ state, turn }: ServerScene, from: NodeId, body: Message<'complain'>): void {
  const { server, what, channel } = body
  // Nobody outside the group is accused.
  if (!state.others.includes(server) || !isName(channel)) return
  const complaint = { client: from, server, what, channel }
  if (!keepComplaint(state.complaints, complaint, COMPLAINTS_MAX)) return
  turn.do({ kind: 'emit', event: { kind: 'complaint', complaint } })
}

/** In beats: the same is told again now and then, since servers forget in a restart. */
const TELL_AGAIN_BEATS = 600

/** Another server said what no honest one says: that is told here, and to the others. A liar lies all day: once a minute. */
export function accuse({ state, settings, turn }: ServerScene, server: NodeId, what: string, channel: string): void {
  const last = state.blamed.get(server)
  if (last !== undefined && turn.now - last < TELL_AGAIN_BEATS * settings.beat) return
  state.blamed.set(server, turn.now)
  keepComplaint(state.complaints, { client: state.self, server, what, channel }, COMPLAINTS_MAX)
  if (last === undefined) turn.do({ kind: 'emit', event: { kind: 'lied', server, what, channel } })
  for (const to of state.others)
    if (to !== server) turn.do({ kind: 'send', to, body: { kind: 'complain', server, what, channel } })
}

export function onRecall({ state, turn }: ServerScene, from: NodeId, { id }: Message<'recall'>): void {
  const complaints = [...state.complaints.lines.values()]
  turn.do({ kind: 'send', to: from, body: { kind: 'recalled', id, complaints } })
}
