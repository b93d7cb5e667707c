// What a server says of itself, and what clients complained about.

import type { NodeId } from '../../core/index.ts'
import {
  type ClientMessage,
  COMPLAINTS_SHOWN_MAX,
  INSPECTED_MAX,
  type InspectedObject,
  type ServerMessage,
} from '../wire.ts'
import { reply } from './send.ts'
import type { ServerScene, ServerState } from './state.ts'

/** The newest are kept; all are counted. */
const COMPLAINTS_MAX = COMPLAINTS_SHOWN_MAX

export function onComplain(
  scene: ServerScene,
  from: NodeId,
  { server, object, version, what }: ClientMessage & { kind: 'complain' },
): void {
  const { state, turn } = scene
  if (!state.servers.includes(server)) return
  const complaint = { client: from, server, object, version, what }
  state.complained++
  state.complaints.push(complaint)
  if (state.complaints.length > COMPLAINTS_MAX) state.complaints.shift()
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
    complaints: [...state.complaints],
    complained: state.complained,
  }
}

export function onInspect(scene: ServerScene, from: NodeId, { query }: ClientMessage & { kind: 'inspect' }): void {
  reply(scene, from, describe(scene.state, query, scene.turn.now))
}
