// What a server says of its tokens, its clock and its names, for those who look whether all is well; and what clients hold
// against other servers.

import { keepComplaint, type NodeId } from '../../core/index.ts'
import { certificateOf } from '../rules.ts'
import { type ClientMessage, COMPLAINTS_SHOWN_MAX } from '../wire.ts'
import { clockOf, reply, type ServerScene } from './state.ts'

export function onAccount(scene: ServerScene, from: NodeId, { query }: ClientMessage & { kind: 'account' }): void {
  const { state } = scene
  let namesOfOne = 0
  for (const count of state.shares.values()) namesOfOne = Math.max(namesOfOne, count)
  reply(scene, from, {
    kind: 'accounted',
    query,
    highest: state.highest,
    clock: Math.max(0, clockOf(scene) ?? 0),
    asking: state.asking !== undefined,
    names: state.locks.size,
    namesOfOne,
    complaints: [...state.complaints.lines.values()],
  })
}

/** Complaints are about servers of this group, and kept as told; who shows them counts how many say the same. */
export function onComplain(scene: ServerScene, from: NodeId, said: ClientMessage & { kind: 'complain' }): void {
  const { state, turn } = scene
  const { server, what, name } = said
  if (!state.others.includes(server) || state.others.includes(certificateOf(from))) return
  const complaint = { client: from, server, what, name }
  if (!keepComplaint(state.complaints, complaint, COMPLAINTS_SHOWN_MAX)) return
  turn.do({ kind: 'emit', event: { kind: 'complaint', complaint } })
}
