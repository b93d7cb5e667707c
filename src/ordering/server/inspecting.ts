// What a server says of itself, and what clients complained about.

import { keepComplaint, type NodeId } from '../../core/index.ts'
import {
  type ClientMessage,
  COMPLAINTS_SHOWN_MAX,
  INSPECTED_MAX,
  type InspectedObject,
  type ServerMessage,
} from '../wire.ts'
import { reply } from './send.ts'
import type { ServerScene, ServerState } from './state.ts'

export function onComplain(
  scene: ServerScene,
  from: NodeId,
  { server, object, version, what }: ClientMessage & { kind: 'complain' },
): void {
  const { state, turn } = scene
  if (!state.servers.includes(server) || state.servers.includes(from)) return
  const complaint = { client: from, server, object, version, what }
  if (!keepComplaint(state.complaints, complaint, COMPLAINTS_SHOWN_MAX)) return
  turn.do({ kind: 'emit', event: { kind: 'complaint', complaint } })
}

function describe(state: ServerState, query: number, now: number): ServerMessage {
  const objects: InspectedObject[] = []
  for (const object of state.objects.values()) {
    if (objects.length >= INSPECTED_MAX) break
    const { name, promised, committed, proposed, content, pending } = object
    objects.push({
      object: name,
      rank: promised,
      committed,
      proposed: proposed?.version ?? 0,
      applied: content.version,
      entries: content.table.size,
      sessions: content.sessions.size,
      pending: pending.size,
    })
  }
  return {
    kind: 'inspected',
    query,
    uptime: Math.max(0, Math.floor(now - state.startedAt)),
    // Also when the wait is over: it takes part when it has heard from the others.
    rejoining: state.rejoin === undefined ? 0 : Math.max(1, Math.ceil(state.rejoin.until - now)),
    objects,
    complaints: [...state.complaints.lines.values()],
    complained: state.complaints.count,
  }
}

export function onInspect(scene: ServerScene, from: NodeId, { query }: ClientMessage & { kind: 'inspect' }): void {
  reply(scene, from, describe(scene.state, query, scene.turn.now))
}
