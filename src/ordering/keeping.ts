// Keeping a session: its client pings, and believes in it while n - f servers have echoed a ping that is young enough.
// A session is ended by f + b + 1 servers who have not heard of it: the two sets share an honest server. Once lost it is
// lost for good, since others may be ending it.

import type { Millis, NodeId } from '../core/index.ts'
import type { ClientState, Use } from './client-state.ts'
import type { ServerMessage } from './messages.ts'
import { sessionOver } from './responses.ts'
import { kthLargest } from './rules.ts'
import type { OrderingSettings } from './settings.ts'
import type { OrderingTurn } from './state.ts'
import { pump } from './turns.ts'
import { sendAll } from './uses.ts'

/** Pings in a session's time: two may be lost. */
const PINGS_PER_TTL = 4
const PINGS_KEPT_MAX = 16

export function beginKeeping(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): void {
  for (const server of state.servers) use.session.echoes.set(server, use.session.since)
  pingAll(state, use, turn)
  setDeadline(state, settings, use, turn)
}

export function endKeeping({ object }: Use, turn: OrderingTurn): void {
  turn.do({ kind: 'cancel', name: `ping:${object}` })
  turn.do({ kind: 'cancel', name: `belief:${object}` })
}

export function pingAll(state: ClientState, use: Use, turn: OrderingTurn): void {
  const { session, object } = use
  if (session.phase !== 'open') return
  const ping = ++session.ping
  session.pings.set(ping, turn.now)
  session.pings.delete(ping - PINGS_KEPT_MAX)
  sendAll(state, turn, { kind: 'ping', object, session: session.id, ping })
  turn.do({ kind: 'timer', name: `ping:${object}`, after: Math.max(1, session.ttl / PINGS_PER_TTL) })
}

function deadline(state: ClientState, settings: OrderingSettings, { session }: Use): Millis {
  const counted = state.servers.length - settings.crashes
  const { drift } = settings
  return kthLargest([...session.echoes.values()], counted) + (session.ttl * (1 - drift)) / (1 + drift)
}

function setDeadline(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): void {
  const after = Math.max(0, deadline(state, settings, use) - turn.now)
  turn.do({ kind: 'timer', name: `belief:${use.object}`, after })
}

/** Once lost, always lost: others may be ending it. */
export function beliefTimer(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): void {
  if (use.session.phase !== 'open') return
  if (turn.now < deadline(state, settings, use)) return setDeadline(state, settings, use, turn)
  sessionOver(use, turn)
}

export function pong(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'pong' },
  turn: OrderingTurn,
): void {
  const { session } = use
  use.counters.set(from, answer.promised)
  if (session.id !== answer.session || session.phase !== 'open') return
  const sentAt = session.pings.get(answer.ping)
  if (sentAt === undefined) return
  use.silent.set(from, { sentAt, sessions: answer.silent })
  if (sentAt > (session.echoes.get(from) ?? 0)) {
    session.echoes.set(from, sentAt)
    setDeadline(state, settings, use, turn)
  }
  pump(state, settings, use, turn)
}
