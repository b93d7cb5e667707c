// Asking the servers what they have, and of whom they heard complaints.

import type { Millis, NodeId } from '../../core/index.ts'
import type { ServerMessage } from '../wire.ts'
import type { OrderingCommand } from './commands.ts'
import { fail, sendAll } from './send.ts'
import type { ClientScene } from './state.ts'
import { clientTimers } from './state.ts'

/** A server that has not answered by then counts as absent. */
const INSPECT_MS: Millis = 1_000
/** Inspections under way at once: each holds an answer of every server. */
export const INSPECTIONS_MAX = 100

export function onInspect(scene: ClientScene, { id }: OrderingCommand & { kind: 'inspect' }): void {
  const { state, turn } = scene
  if (state.inspections.size >= INSPECTIONS_MAX) return fail(scene, id, '', 'crowded', 'did not happen')
  state.inspections.set(id, { sentAt: turn.now, servers: [] })
  sendAll(scene, { kind: 'inspect', query: id })
  clientTimers.set(turn, 'inspect', INSPECT_MS, `${id}`)
}

export function onInspected(scene: ClientScene, server: NodeId, answer: ServerMessage & { kind: 'inspected' }): void {
  const { state, turn } = scene
  const inspection = state.inspections.get(answer.query)
  if (inspection === undefined || inspection.servers.some(other => other.server === server)) return
  const { uptime, rejoining, objects, complaints, complained } = answer
  const roundTrip = turn.now - inspection.sentAt
  inspection.servers.push({ server, roundTrip, uptime, rejoining, objects, complaints, complained })
  if (inspection.servers.length === state.servers.length) finish(scene, answer.query)
}

export function onInspectTimer(scene: ClientScene, id: number): void {
  finish(scene, id)
}

function finish(scene: ClientScene, id: number): void {
  const { state, turn } = scene
  const inspection = state.inspections.get(id)
  if (inspection === undefined) return
  state.inspections.delete(id)
  clientTimers.cancel(turn, 'inspect', `${id}`)
  const { servers } = inspection
  turn.do({ kind: 'emit', event: { kind: 'inspected', id, servers } })
}
