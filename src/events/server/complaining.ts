// What clients hold against servers: kept and shown, and told to the people who run this one. Anybody can complain; it is
// worth what its accuser is, and more where several say the same.

import { keepComplaint, type NodeId } from '../../core/index.ts'
import { certificateOf } from '../rules.ts'
import { COMPLAINTS_MAX, type EventsMessage, isName } from '../wire.ts'
import type { ServerScene } from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

export function onComplain({ state, turn }: ServerScene, from: NodeId, body: Message<'complain'>): void {
  const { server, what, channel } = body
  // Servers accuse nobody here, and nobody outside the group is accused.
  if (!state.others.includes(server) || state.others.includes(certificateOf(from)) || !isName(channel)) return
  const complaint = { client: from, server, what, channel }
  if (!keepComplaint(state.complaints, complaint, COMPLAINTS_MAX)) return
  turn.do({ kind: 'emit', event: { kind: 'complaint', complaint } })
}

export function onRecall({ state, turn }: ServerScene, from: NodeId, { id }: Message<'recall'>): void {
  const complaints = [...state.complaints.lines.values()]
  turn.do({ kind: 'send', to: from, body: { kind: 'recalled', id, complaints } })
}
