// What a server says of itself, and what clients complained about.

import type { NodeId } from '../../core/index.ts'
import {
  type ClientMessage,
  COMPLAINTS_SHOWN_MAX,
  type Complaint,
  INSPECTED_MAX,
  type InspectedObject,
  type ServerMessage,
} from '../wire.ts'
import { reply } from './send.ts'
import { clientName, type ServerScene, type ServerState } from './state.ts'

/** Lines that are kept; all are counted. */
const COMPLAINTS_MAX = COMPLAINTS_SHOWN_MAX

/** One line for each accuser and accused, the newest: one client cannot push those of the others out. */
export function onComplain(
  scene: ServerScene,
  from: NodeId,
  { server, object, version, what }: ClientMessage & { kind: 'complain' },
): void {
  const { state, turn } = scene
  if (!state.servers.includes(server) || state.servers.includes(from)) return
  const complaint = { client: from, server, object, version, what }
  state.complained++
  const { complaints } = state
  const accuser = clientName(from)
  const before = complaints.findIndex(other => clientName(other.client) === accuser && other.server === server)
  if (before >= 0) complaints.splice(before, 1)
  complaints.push(complaint)
  if (complaints.length > COMPLAINTS_MAX) complaints.splice(oldestOfLoudest(complaints), 1)
  turn.do({ kind: 'emit', event: { kind: 'complaint', complaint } })
}

function oldestOfLoudest(complaints: readonly Complaint[]): number {
  const counts = new Map<string, number>()
  for (const { client } of complaints) counts.set(clientName(client), (counts.get(clientName(client)) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return complaints.findIndex(({ client }) => counts.get(clientName(client)) === most)
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
