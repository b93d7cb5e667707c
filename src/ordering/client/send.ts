// The making of a client's state for one object, and small questions about it.

import { type NodeId, type Outcome, orderingQuorum } from '../../core/index.ts'
import type { ClientMessage, OrderingMessage } from '../wire.ts'
import type { FailedReason } from './commands.ts'
import type { ClientScene } from './state.ts'

export function quorumOf(scene: ClientScene): number {
  const { state, settings } = scene
  return orderingQuorum(state.servers.length, settings.liars, settings.crashes)
}

export function send(scene: ClientScene, to: NodeId, body: OrderingMessage): void {
  const { turn } = scene
  turn.do({ kind: 'send', to, body })
}

export function sendAll(scene: ClientScene, body: ClientMessage): void {
  const { state, turn } = scene
  for (const to of state.servers) turn.do({ kind: 'send', to, body })
}

export function fail(scene: ClientScene, id: number, object: string, reason: FailedReason, outcome: Outcome): void {
  const { turn } = scene
  turn.do({ kind: 'emit', event: { kind: 'failed', id, object, reason, outcome, answers: {} } })
}
