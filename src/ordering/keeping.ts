// Keeping a session: its client pings, and believes in it while n - f servers have echoed a ping that is young enough.
// A session is ended by f + b + 1 servers who have not heard of it: the two sets share an honest server. Once lost it is
// lost for good, since others may be ending it.

import type { Millis, NodeId } from '../core/index.ts'
import type { ClientScene, Use } from './client-state.ts'
import type { ServerMessage } from './messages.ts'
import { sessionOver } from './responses.ts'
import { kthLargest } from './rules.ts'
import { pump } from './turns.ts'
import { sendAll } from './uses.ts'

/** Pings in a session's time: two may be lost. */
const PINGS_PER_TTL = 4
const PINGS_KEPT_MAX = 16

export function beginKeeping(scene: ClientScene, use: Use): void {
  const { state } = scene
  for (const server of state.servers) use.session.echoes.set(server, use.session.since)
  pingAll(scene, use)
  setDeadline(scene, use)
}

export function endKeeping(scene: ClientScene, { object }: Use): void {
  const { turn } = scene
  turn.do({ kind: 'cancel', name: `ping:${object}` })
  turn.do({ kind: 'cancel', name: `belief:${object}` })
}

export function pingAll(scene: ClientScene, use: Use): void {
  const { turn } = scene
  const { session, object } = use
  if (session.phase !== 'open') return
  const ping = ++session.ping
  session.pings.set(ping, turn.now)
  session.pings.delete(ping - PINGS_KEPT_MAX)
  sendAll(scene, { kind: 'ping', object, session: session.id, ping })
  turn.do({ kind: 'timer', name: `ping:${object}`, after: Math.max(1, session.ttl / PINGS_PER_TTL) })
}

function deadline(scene: ClientScene, { session }: Use): Millis {
  const { state, settings } = scene
  const counted = state.servers.length - settings.crashes
  const { drift } = settings
  return kthLargest([...session.echoes.values()], counted) + (session.ttl * (1 - drift)) / (1 + drift)
}

function setDeadline(scene: ClientScene, use: Use): void {
  const { turn } = scene
  const after = Math.max(0, deadline(scene, use) - turn.now)
  turn.do({ kind: 'timer', name: `belief:${use.object}`, after })
}

/** Once lost, always lost: others may be ending it. */
export function beliefTimer(scene: ClientScene, use: Use): void {
  const { turn } = scene
  if (use.session.phase !== 'open') return
  if (turn.now < deadline(scene, use)) return setDeadline(scene, use)
  sessionOver(scene, use)
}

export function pong(scene: ClientScene, use: Use, from: NodeId, answer: ServerMessage & { kind: 'pong' }): void {
  const { session } = use
  use.counters.set(from, answer.promised)
  if (session.id !== answer.session || session.phase !== 'open') return
  const sentAt = session.pings.get(answer.ping)
  if (sentAt === undefined) return
  use.silent.set(from, { sentAt, sessions: answer.silent })
  if (sentAt > (session.echoes.get(from) ?? 0)) {
    session.echoes.set(from, sentAt)
    setDeadline(scene, use)
  }
  pump(scene, use)
}
