// Keeping a session: its client pings, and believes in it while n - f servers have echoed a ping that is young enough.
// A session is ended by f + b + 1 servers who have not heard of it: the two sets share an honest server. Once lost it is
// lost for good, since others may be ending it.

import type { Millis, NodeId } from '../../core/index.ts'
import { kthLargest } from '../rules.ts'
import type { ServerMessage } from '../wire.ts'
import { sessionOver } from './answers.ts'
import { sendAll } from './send.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { pump } from './turns.ts'

/** Pings in a session's time: two may be lost. */
const PINGS_PER_TTL = 4
const PINGS_KEPT_MAX = 16

export function startPings(scene: ClientScene, object: ClientObject): void {
  const { state } = scene
  for (const server of state.servers) object.session.echoes.set(server, object.session.since)
  onPing(scene, object)
  setDeadline(scene, object)
}

export function stopPings(scene: ClientScene, { name: object }: ClientObject): void {
  const { turn } = scene
  turn.do({ kind: 'cancel', name: `ping:${object}` })
  turn.do({ kind: 'cancel', name: `belief:${object}` })
}

export function onPing(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  const { session, name } = object
  if (session.phase !== 'open') return
  const ping = ++session.ping
  session.pings.set(ping, turn.now)
  session.pings.delete(ping - PINGS_KEPT_MAX)
  sendAll(scene, { kind: 'ping', object: name, session: session.id, ping })
  turn.do({ kind: 'timer', name: `ping:${name}`, after: Math.max(1, session.ttl / PINGS_PER_TTL) })
}

function deadline(scene: ClientScene, { session }: ClientObject): Millis {
  const { state, settings } = scene
  const counted = state.servers.length - settings.crashes
  const { drift } = settings
  return kthLargest([...session.echoes.values()], counted) + (session.ttl * (1 - drift)) / (1 + drift)
}

function setDeadline(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  const after = Math.max(0, deadline(scene, object) - turn.now)
  turn.do({ kind: 'timer', name: `belief:${object.name}`, after })
}

/** Once lost, always lost: others may be ending it. */
export function onBelief(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  if (object.session.phase !== 'open') return
  if (turn.now < deadline(scene, object)) return setDeadline(scene, object)
  sessionOver(scene, object)
}

export function onPong(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'pong' },
): void {
  const { session } = object
  object.counters.set(from, answer.promised)
  if (session.id !== answer.session || session.phase !== 'open') return
  const sentAt = session.pings.get(answer.ping)
  if (sentAt === undefined) return
  object.silent.set(from, { sentAt, sessions: answer.silent })
  if (sentAt > (session.echoes.get(from) ?? 0)) {
    session.echoes.set(from, sentAt)
    setDeadline(scene, object)
  }
  pump(scene, object)
}
