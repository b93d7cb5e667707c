// An operator repairs an object: all servers are asked, and what those did that answer in time is told.

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
