// Whose turn it is at a server: for progress only. The ranks keep the order safe.

import type { Millis, NodeId } from '../../core/process.ts'
import { longestTurn, type OrderingSettings } from '../settings.ts'
import type { PendingOperation, ServerObject } from './state.ts'

/** Whether somebody other than this client has the turn. */
export function heldByAnother(object: ServerObject, client: NodeId, now: Millis): boolean {
  return object.holder !== '' && object.holder !== client && now < object.holdsUntil
}

/** On a machine with too much to do everybody is slow: turns that end too early would make it worse. */
const TURN_SLOWNESSES = 3

const FORGETS_SLOWNESS = 0.9

/** A client that asks for the turn may not get it from the other servers: the turn that it has here must end soon. */
export function takeTurn(object: ServerObject, client: NodeId, settings: OrderingSettings, now: Millis): void {
  object.slowness = 0
  holdTurn(object, client, settings, now)
}

/** The client that proposes has the turn. The longer it takes to do something for those who wait, the longer they wait for it. */
export function keepTurn(object: ServerObject, client: NodeId, settings: OrderingSettings, now: Millis): void {
  const oldest: PendingOperation | undefined = object.pending.values().next().value
  const took = oldest === undefined ? 0 : now - Math.max(object.spokeAt, oldest.since)
  object.slowness = object.holder === client ? Math.max(took, FORGETS_SLOWNESS * object.slowness) : 0
  holdTurn(object, client, settings, now)
}

function holdTurn(object: ServerObject, client: NodeId, settings: OrderingSettings, now: Millis): void {
  object.holder = client
  object.spokeAt = now
  object.holdsUntil =
    now + Math.min(longestTurn(settings), Math.max(settings.turnMs, TURN_SLOWNESSES * object.slowness))
}
