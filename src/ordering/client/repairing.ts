// An operator repairs an object, or deletes one that is empty: all servers are asked, and what those did that answer in time is
// told.

import type { Millis, NodeId } from '../../core/index.ts'
import type { ServerMessage } from '../wire.ts'
import type { OrderingCommand } from './commands.ts'
import { fail, sendAll } from './send.ts'
import type { ClientScene } from './state.ts'
import { clientTimers, isName } from './state.ts'

const REPAIR_MS: Millis = 2_000
/** Each is asked for by a person. */
const REPAIRS_MAX = 10

export function onRepair(scene: ClientScene, { id, object, version }: OrderingCommand & { kind: 'repair' }): void {
  const { state, turn } = scene
  if (!isName(object)) return fail(scene, id, object, 'invalid', 'did not happen')
  if (state.repairs.size >= REPAIRS_MAX) return fail(scene, id, object, 'crowded', 'did not happen')
  state.repairs.set(id, { object, outcomes: new Map() })
  sendAll(scene, { kind: 'repair', query: id, object, version })
  clientTimers.set(turn, 'repair', REPAIR_MS, `${id}`)
}

export function onRepaired(scene: ClientScene, from: NodeId, answer: ServerMessage & { kind: 'repaired' }): void {
  const { state } = scene
  const repair = state.repairs.get(answer.query)
  if (repair === undefined || repair.object !== answer.object) return
  repair.outcomes.set(from, answer.outcome)
  if (repair.outcomes.size === state.servers.length) onRepairTimer(scene, answer.query)
}

export function onRepairTimer({ state, turn }: ClientScene, id: number): void {
  const repair = state.repairs.get(id)
  if (repair === undefined) return
  state.repairs.delete(id)
  clientTimers.cancel(turn, 'repair', `${id}`)
  turn.do({ kind: 'emit', event: { kind: 'repaired', id, ...repair } })
}

export function onDelete(scene: ClientScene, { id, object }: OrderingCommand & { kind: 'delete' }): void {
  const { state, turn } = scene
  if (!isName(object)) return fail(scene, id, object, 'invalid', 'did not happen')
  if (state.deletions.size >= REPAIRS_MAX) return fail(scene, id, object, 'crowded', 'did not happen')
  state.deletions.set(id, { object, outcomes: new Map() })
  sendAll(scene, { kind: 'delete', query: id, object })
  clientTimers.set(turn, 'delete', REPAIR_MS, `${id}`)
}

export function onDeleted(scene: ClientScene, from: NodeId, answer: ServerMessage & { kind: 'deleted' }): void {
  const { state } = scene
  const deletion = state.deletions.get(answer.query)
  if (deletion === undefined || deletion.object !== answer.object) return
  deletion.outcomes.set(from, answer.outcome)
  if (deletion.outcomes.size === state.servers.length) onDeleteTimer(scene, answer.query)
}

export function onDeleteTimer({ state, turn }: ClientScene, id: number): void {
  const deletion = state.deletions.get(id)
  if (deletion === undefined) return
  state.deletions.delete(id)
  clientTimers.cancel(turn, 'delete', `${id}`)
  turn.do({ kind: 'emit', event: { kind: 'deleted', id, ...deletion } })
}
