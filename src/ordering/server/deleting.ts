// An operator deletes an object that is empty: nothing is written there, nobody has a session, nothing is under way. Emptying it
// is an ordinary version (client/erasing.ts), in one order with everything else.
//
// What stays is a tombstone: the last version, its digest, and the rank that was promised. A client that uses the name again goes on
// from there. Begun anew at version 0, a late word of the object's earlier life could be taken for one of the new.

import type { NodeId } from '../../core/index.ts'
import type { ClientMessage, DeleteOutcome } from '../wire.ts'
import { save } from './records.ts'
import { reply } from './send.ts'
import type { ServerObject, ServerScene, ServerState } from './state.ts'
import { bury, clientName, TOMBSTONES_MAX } from './state.ts'
import { leaveAll } from './watchers.ts'

export function onDelete(scene: ServerScene, from: NodeId, asked: ClientMessage & { kind: 'delete' }): void {
  const { settings, turn } = scene
  const { query, object: name } = asked
  const allowed = from.includes('#') && settings.operators.includes(clientName(from))
  const outcome = allowed ? remove(scene, name) : 'not allowed'
  const event = { object: name, by: from }
  if (outcome === 'not allowed') turn.do({ kind: 'emit', event: { kind: 'deleteRefused', ...event } })
  if (outcome === 'deleted') turn.do({ kind: 'emit', event: { kind: 'deleted', ...event } })
  reply(scene, from, { kind: 'deleted', query, object: name, outcome })
}

function remove(scene: ServerScene, name: string): DeleteOutcome {
  const { state } = scene
  const object = state.objects.get(name)
  if (object === undefined) return 'absent'
  if (!isEmpty(object)) return 'in use'
  if (state.tombstones.size >= TOMBSTONES_MAX) return 'full'
  const { promised, proof, committed } = object
  forgetMaker(state, object)
  leaveAll(state, object)
  bury(state, name, { promised, proof, committed })
  save(scene, { kind: 'deleted', object: name, promised, proof, committed })
  return 'deleted'
}

function isEmpty({ content, committed, proposed, unapplied, doubtful, waiting, pending }: ServerObject): boolean {
  if (content.table.size > 0 || content.sessions.size > 0 || content.version < committed.version) return false
  if (proposed !== undefined && proposed.version > committed.version) return false
  return unapplied.size === 0 && doubtful.size === 0 && waiting.length === 0 && pending.size === 0
}

/** Its place is its maker's again. */
function forgetMaker({ made }: ServerState, { maker }: ServerObject): void {
  const counted = made.get(maker)
  if (counted !== undefined && counted.all > 0) counted.all--
}
