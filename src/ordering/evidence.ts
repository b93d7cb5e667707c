// Who lied: what a server said that cannot be true is told to the user and to the other servers, which show it.

import type { NodeId } from '../core/index.ts'
import type { ClientState, Use } from './client-state.ts'
import type { OrderingTurn } from './state.ts'
import { send } from './uses.ts'

export function accuse(
  state: ClientState,
  use: Use,
  server: NodeId,
  version: number,
  what: string,
  turn: OrderingTurn,
): void {
  const { object } = use
  turn.do({ kind: 'emit', event: { kind: 'lied', object, server, version, what } })
  for (const to of state.servers) {
    if (to !== server) send(turn, to, { kind: 'complain', object, server, version, what })
  }
}
