// Lowering the floor of tokens (protocols/lock 8): for operators, where tokens were spoiled for good.
//
// A client with a clock years ahead, or one that means no good, may have been granted a token that none can follow: a
// server takes none so far ahead any more, but what is on disk stays. Then an operator sets the floor to the servers' wall
// clocks. Tokens go back by it, on purpose: a guard that has seen the larger ones refuses everybody until it is told to
// forget them. Never two holders, still: the server forgets its leases, and grants nothing until the longest that may be
// out is over. A server that lost its store, and cannot hear from enough others, is helped by the same words.

import type { NodeId } from '../../core/index.ts'
import type { ClientMessage } from '../wire.ts'
import { setFloor } from './floors.ts'
import { isOperator } from './force.ts'
import { clockOf, reply, type ServerScene, serverTimers } from './state.ts'

export function onResetFloor(
  scene: ServerScene,
  from: NodeId,
  { query }: ClientMessage & { kind: 'resetFloor' },
): void {
  const { state, settings, turn } = scene
  if (!isOperator(settings.operators, from)) {
    turn.do({ kind: 'emit', event: { kind: 'resetRefused', by: from } })
    return reply(scene, from, { kind: 'notAllowed', query })
  }
  const was = state.highest
  const clock = clockOf(scene) ?? was
  // What the others told of tokens before the clock counts: this is to mend what is beyond it.
  const floor = state.asking === undefined ? Math.min(was, clock) : clock
  if (floor !== was || state.asking !== undefined) {
    if (state.asking === undefined) state.recoverUntil = turn.now + settings.rules.restartWait(settings.ttlMax)
    state.asking = undefined
    serverTimers.cancel(turn, 'floors')
    for (const name of state.locks.keys()) serverTimers.cancel(turn, 'expire', name)
    state.locks.clear()
    state.shares.clear()
    state.inLine.clear()
    setFloor(scene, floor)
  }
  turn.do({ kind: 'emit', event: { kind: 'floorReset', by: from, floor, was } })
  reply(scene, from, { kind: 'floorReset', query, floor, was })
}
