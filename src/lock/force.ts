// Taking a lock from whoever has it (PROTOCOLS E 8): for operators, when a holder hangs and its lease is long.
//
// It breaks the promise of the lock on purpose: the old holder may believe in its lease until that ends, and the next
// one holds already. What is left is the order of tokens. The old one is closed here: it is never renewed nor granted
// again, and every later token is larger, so a guard refuses what the old holder writes after the next one has.
// Servers check the operator by the name in its certificate, and say to whoever runs them who did it.

import type { NodeId } from '../core/index.ts'
import { isOut, reply, type ServerState, type ServerTurn } from './entries.ts'
import { giveNext } from './handover.ts'
import type { ClientMessage, ServerMessage } from './messages.ts'
import type { LockSettings } from './settings.ts'
import type { ClientState, ClientTurn } from './state.ts'

/** A client's name ends where its instance begins; a server's has no instance, and no server is an operator. */
export function isOperator(operators: readonly string[], from: NodeId): boolean {
  return operators.some(operator => from.startsWith(`${operator}#`))
}

/** The server's side. */
export function force(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'force' }>,
  turn: ServerTurn,
): void {
  const { name, query } = asked
  if (!isOperator(settings.operators, from)) {
    turn.do({ kind: 'emit', event: { kind: 'forceRefused', name, by: from } })
    return reply(turn, from, { kind: 'notAllowed', query })
  }
  const entry = state.locks.get(name)
  const { holder, token } = entry !== undefined && isOut(entry, turn.now) ? entry : { holder: '', token: 0 }
  turn.do({ kind: 'emit', event: { kind: 'forced', name, by: from, holder } })
  reply(turn, from, { kind: 'forced', query, holder, token })
  if (entry === undefined || holder === '') return
  entry.closed = Math.max(entry.closed, token)
  // Whoever was granted it may have used it: the token is not taken back, whatever comes late.
  entry.maximum = Math.max(entry.maximum, token)
  entry.before = entry.maximum
  entry.holder = ''
  entry.lease = undefined
  giveNext(state, name, entry, turn)
}

/** The client's side: asks all servers, and tells when all have answered or the time is up. */
export function startForce(
  state: ClientState,
  settings: LockSettings,
  id: number,
  name: string,
  turn: ClientTurn,
): void {
  state.forces.set(id, [])
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'force', query: id, name } })
  turn.do({ kind: 'timer', name: `force:${id}`, after: settings.answerMax })
}

export function forceAnswer(
  state: ClientState,
  server: NodeId,
  body: Extract<ServerMessage, { kind: 'forced' | 'notAllowed' }>,
  turn: ClientTurn,
): void {
  const answers = state.forces.get(body.query)
  if (answers === undefined || answers.some(answer => answer.server === server)) return
  if (body.kind === 'forced') answers.push({ server, allowed: true, holder: body.holder, token: body.token })
  else answers.push({ server, allowed: false, holder: '', token: 0 })
  if (answers.length === state.servers.length) forceOver(state, body.query, turn)
}

export function forceOver(state: ClientState, id: number, turn: ClientTurn): void {
  const servers = state.forces.get(id)
  if (servers === undefined) return
  state.forces.delete(id)
  turn.do({ kind: 'cancel', name: `force:${id}` })
  turn.do({ kind: 'emit', event: { kind: 'forced', id, servers } })
}
