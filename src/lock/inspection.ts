// Asking the servers what they hold: for people who look, not for decisions. A liar may tell stories here;
// whoever shows the answers counts how many servers tell the same one.

import type { NodeId } from '../core/index.ts'
import type { ServerMessage } from './messages.ts'
import type { LockSettings } from './settings.ts'
import type { ClientState, ClientTurn } from './state.ts'

export function startInspect(state: ClientState, settings: LockSettings, id: number, turn: ClientTurn): void {
  state.queries.set(id, { sentAt: turn.now, servers: [] })
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'inspect', query: id } })
  turn.do({ kind: 'timer', name: `inspect:${id}`, after: settings.answerMax })
}

export function inspectAnswer(
  state: ClientState,
  from: NodeId,
  body: Extract<ServerMessage, { kind: 'inspected' }>,
  turn: ClientTurn,
): void {
  const query = state.queries.get(body.query)
  if (query === undefined || query.servers.some(seen => seen.server === from)) return
  const { uptime, recovering, held, leases } = body
  query.servers.push({ server: from, roundTrip: turn.now - query.sentAt, uptime, recovering, held, leases })
  if (query.servers.length === state.servers.length) inspectOver(state, body.query, turn)
}

export function inspectOver(state: ClientState, id: number, turn: ClientTurn): void {
  const query = state.queries.get(id)
  if (query === undefined) return
  state.queries.delete(id)
  turn.do({ kind: 'cancel', name: `inspect:${id}` })
  turn.do({ kind: 'emit', event: { kind: 'inspected', id, complete: true, servers: query.servers } })
}
