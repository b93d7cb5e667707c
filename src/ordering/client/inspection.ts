// Asking the servers what they have, and of whom they heard complaints.

import type { Millis, NodeId } from '../../core/index.ts'
import type { ServerMessage } from '../wire.ts'
import { sendAll } from './send.ts'
import type { ClientScene } from './state.ts'

/** Whoever has not answered by then is not there. */
const INSPECT_MS: Millis = 1_000

export function onInspect(scene: ClientScene, id: number): void {
  const { state, turn } = scene
  state.inspections.set(id, { sentAt: turn.now, servers: [] })
  sendAll(scene, { kind: 'inspect', query: id })
  turn.do({ kind: 'timer', name: `inspect:${id}`, after: INSPECT_MS })
}

export function onInspected(scene: ClientScene, server: NodeId, answer: ServerMessage & { kind: 'inspected' }): void {
  const { state, turn } = scene
  const inspection = state.inspections.get(answer.query)
  if (inspection === undefined || inspection.servers.some(other => other.server === server)) return
  const { uptime, rejoining, objects, complaints, complained } = answer
  const roundTrip = turn.now - inspection.sentAt
  inspection.servers.push({ server, roundTrip, uptime, rejoining, objects, complaints, complained })
  if (inspection.servers.length === state.servers.length) onInspectTimer(scene, answer.query)
}

export function onInspectTimer(scene: ClientScene, id: number): void {
  const { state, turn } = scene
  const inspection = state.inspections.get(id)
  if (inspection === undefined) return
  state.inspections.delete(id)
  turn.do({ kind: 'cancel', name: `inspect:${id}` })
  const { servers } = inspection
  const complete = servers.length === state.servers.length
  turn.do({ kind: 'emit', event: { kind: 'inspected', id, complete, servers } })
}
