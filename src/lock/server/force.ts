// Taking a lock from its holder (protocols/lock 8): for operators, when a holder hangs and its lease is long.
//
// It breaks the promise of the lock on purpose: the old holder may believe in its lease until that ends, and the next
// one holds already. What is left is the order of tokens. The old one is closed here: it is never renewed nor granted
// again, and every later token is larger, so a guard refuses what the old holder writes after the next one has.
// Servers check the operator by the name in its certificate, and tell the people who run them who did it.

import type { NodeId } from '../../core/index.ts'
import type { ClientMessage } from '../wire.ts'
import { giveNext } from './handover.ts'
import { isOut, reply, type ServerScene } from './state.ts'

/** A client's name ends where its instance begins; a server's has no instance, and no server is an operator. */
export function isOperator(operators: readonly string[], from: NodeId): boolean {
  return operators.some(operator => from.startsWith(`${operator}#`))
}

export function onForce(scene: ServerScene, from: NodeId, asked: Extract<ClientMessage, { kind: 'force' }>): void {
  const { state, settings, turn } = scene
  const { name, query } = asked
  if (!isOperator(settings.operators, from)) {
    turn.do({ kind: 'emit', event: { kind: 'forceRefused', name, by: from } })
    return reply(scene, from, { kind: 'notAllowed', query })
  }
  const entry = state.locks.get(name)
  const { holder, token } = entry !== undefined && isOut(entry, turn.now) ? entry : { holder: '', token: 0 }
  turn.do({ kind: 'emit', event: { kind: 'forced', name, by: from, holder } })
  reply(scene, from, { kind: 'forced', query, holder, token })
  if (entry === undefined || holder === '') return
  entry.closed = Math.max(entry.closed, token)
  // Its holder may have used the token: it is not taken back, whatever comes late.
  entry.maximum = Math.max(entry.maximum, token)
  entry.before = entry.maximum
  entry.holder = ''
  entry.lease = undefined
  giveNext(scene, name, entry)
}
