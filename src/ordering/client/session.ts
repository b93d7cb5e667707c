// Keeping a session: its client pings, and believes in it while n - f servers have echoed a ping that is young enough.
// A session is ended by f + b + 1 servers who have not heard of it: the two sets share an honest server. Once lost it is
// lost for good, since others may be ending it.

import { believed, kthLargest, type Millis, type NodeId } from '../../core/index.ts'
import type { ServerMessage } from '../wire.ts'
import { hearClaim } from './evidence.ts'
import { launch } from './own-operations.ts'
import { fail, sendAll } from './send.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { clientTimers, wake } from './state.ts'

/** Pings in a session's time: two may be lost. */
const PINGS_PER_TTL = 4
const PINGS_KEPT_MAX = 16

function startPings(scene: ClientScene, object: ClientObject): void {
  const { state } = scene
  for (const server of state.servers) object.session.echoes.set(server, object.session.since)
  onPing(scene, object)
  setDeadline(scene, object)
}

function stopPings(scene: ClientScene, { name: object }: ClientObject): void {
  const { turn } = scene
  clientTimers.cancel(turn, 'ping', object)
  clientTimers.cancel(turn, 'belief', object)
}

export function onPing(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  const { session, name } = object
  if (session.phase !== 'open') return
  const ping = ++session.ping
  session.pings.set(ping, turn.now)
  session.pings.delete(ping - PINGS_KEPT_MAX)
  sendAll(scene, { kind: 'ping', object: name, session: session.id, ping })
  clientTimers.set(turn, 'ping', Math.max(1, session.ttl / PINGS_PER_TTL), name)
}

function deadline({ state, settings }: ClientScene, { session }: ClientObject): Millis {
  const counted = state.servers.length - settings.crashes
  return Math.max(0, kthLargest([...session.echoes.values()], counted)) + believed(session.ttl, settings.drift)
}

function setDeadline(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  const { session, name } = object
  const until = deadline(scene, object)
  clientTimers.set(turn, 'belief', Math.max(0, until - turn.now), name)
  if (until <= session.toldUntil) return
  session.toldUntil = until
  turn.do({ kind: 'emit', event: { kind: 'extended', object: name, session: session.id, deadline: until } })
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
  hearClaim(scene, object, from, answer.committed)
  if (session.id !== answer.session || session.phase !== 'open') return
  const sentAt = session.pings.get(answer.ping)
  if (sentAt === undefined) return
  object.silent.set(from, { sentAt, sessions: answer.silent })
  if (sentAt > (session.echoes.get(from) ?? 0)) {
    session.echoes.set(from, sentAt)
    setDeadline(scene, object)
  }
  wake(scene, object)
}

export function opened(scene: ClientScene, object: ClientObject, id: string): void {
  const { turn } = scene
  const { session, name } = object
  session.phase = 'open'
  session.toldUntil = 0
  session.id = id
  turn.do({ kind: 'emit', event: { kind: 'opened', id: session.opener, object: name, session: id } })
  startPings(scene, object)
  launch(object)
}

/** There is no session any more: by our wish, or it ran out. What was on its way may have been applied before. */
export function sessionOver(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  const { session, name } = object
  const wasOpen = session.phase === 'open'
  const ending = [...object.outstanding.values()].find(({ kind }) => kind === 'end')
  session.phase = 'none'
  stopPings(scene, object)
  for (const { id, kind } of object.outstanding.values()) {
    if (id === undefined) continue
    if (kind === 'end') turn.do({ kind: 'emit', event: { kind: 'ended', id, object: name } })
    else fail(scene, id, name, 'no session', 'may have happened')
  }
  for (const { id } of object.queue.splice(0)) fail(scene, id, name, 'no session', 'did not happen')
  object.outstanding.clear()
  object.outstandingBytes = 0
  object.responses.clear()
  if (wasOpen && ending === undefined)
    turn.do({ kind: 'emit', event: { kind: 'lost', object: name, session: session.id } })
}
