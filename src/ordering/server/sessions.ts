// Sessions at a server: their clients are answered from committed versions, and those not heard of are named.

import type { Millis, NodeId } from '../../core/index.ts'
import { saysGone } from '../contact-places.ts'
import { isLease, type Session, sessionName, sessionsIn, silentName, type Touched } from '../versions/content.ts'
import { type ClientMessage, type Operation, type Response, SILENT_MAX } from '../wire.ts'
import { reply, replyAtOnce } from './send.ts'
import type { ServerScene } from './state.ts'
import { isGone, type ServerObject } from './state.ts'

/** Answers an operation that a committed version reflects already, or that can never be applied. Says whether it did. */
export function answerAgain(scene: ServerScene, object: ServerObject, operation: Operation): boolean {
  const { turn } = scene
  const { sessions, opened, version } = object.content
  const { client } = operation
  if (operation.kind === 'open') {
    const session = opened.get(sessionName(client, operation.nonce))
    if (session === undefined) return false
    answer(scene, object, session, sessions.get(session)!, [])
    return true
  }
  const { session, seq } = operation
  const known = sessions.get(session)
  if (known === undefined) {
    if (!isGone(object, session)) return false
    reply(scene, client, { kind: 'gone', object: object.name, session, version })
    return true
  }
  if (known.client !== client) return true
  object.heard.set(session, turn.now)
  if (seq >= known.next) return false
  answer(
    scene,
    object,
    session,
    known,
    known.responses.filter(response => response.seq >= seq),
  )
  return true
}

function answer(
  scene: ServerScene,
  object: ServerObject,
  session: string,
  { client, nonce, next }: Session,
  responses: readonly Response[],
): void {
  replyAtOnce(scene, client, { kind: 'answered', object: object.name, session, nonce, next, responses })
}

/** What a version did to sessions goes to those clients who asked this server; its proposer knows. */
export function answerTouched(
  scene: ServerScene,
  object: ServerObject,
  touched: readonly Touched[],
  asked: readonly Touched[],
  proposer: NodeId,
): void {
  const { state, settings, turn } = scene
  for (const one of touched) {
    const { session, before, after } = one
    if (after === undefined) object.heard.delete(session)
    else if (before === undefined || isLease(after)) object.heard.set(session, turn.now)
    const whose = after ?? before
    if (whose === undefined || whose.client === proposer || isLease(whose)) continue
    const { client } = whose
    if (after === undefined) {
      if (!saysGone(state.place, state.servers.length, client, settings)) continue
      reply(scene, client, { kind: 'gone', object: object.name, session, version: object.content.version })
    } else if (asked.includes(one)) {
      const since = before?.next ?? 0
      answer(
        scene,
        object,
        session,
        after,
        after.responses.filter(({ seq }) => seq >= since),
      )
    }
  }
}

/** A planted bug: answers that may never become true. */
export function answerFromProposed(scene: ServerScene, object: ServerObject): void {
  const touched: Touched[] = sessionsIn(object.proposed!.writes).map(({ session, after }) => ({
    session,
    before: object.content.sessions.get(session),
    after,
  }))
  answerTouched(scene, object, touched, touched, '')
}

/**
 * How long a server echoes no ping of a session that it called silent, or after a restart. Without that,
 * one server's word of a moment ago and another's of now could end a session that n - f servers echoed all the time.
 */
const MUTE_MS: Millis = 1_000

export function nameSilent(object: ServerObject, now: Millis): readonly string[] {
  for (const session of object.silent) object.muted.set(session, now + MUTE_MS)
  return object.silent
}

export function onPing(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'ping' },
): void {
  const { state, turn } = scene
  const { session, ping: number } = asked
  const { content, committed, name, muted } = object
  const known = content.sessions.get(session)
  if (known !== undefined && known.client !== from) return
  if (known === undefined && isGone(object, session)) {
    return reply(scene, from, { kind: 'gone', object: name, session, version: content.version })
  }
  // One that it has not come to counts as heard when it has: kept before, anybody could invent some for every object.
  if (known !== undefined) object.heard.set(session, turn.now)
  if (turn.now < Math.max(muted.get(session) ?? 0, state.startedAt + MUTE_MS)) return
  const promised = object.promised.counter
  const silent = nameSilent(object, turn.now)
  reply(scene, from, { kind: 'pong', object: name, session, ping: number, promised, committed, silent })
}

/** Names the sessions that were silent for longer than their time; one that is new to this life counts as heard now. */
export function sweepSessions(object: ServerObject, now: Millis): void {
  const { content, heard } = object
  const silent: string[] = []
  for (const [session, known] of content.sessions) {
    const last = heard.get(session)
    if (last === undefined) heard.set(session, now)
    else if (now > last + known.ttl && silent.length < SILENT_MAX) silent.push(silentName(session, known))
  }
  object.silent = silent
  for (const [session, until] of object.muted) if (now > until) object.muted.delete(session)
  // Those of a copy that went before.
  if (heard.size === content.sessions.size) return
  for (const session of heard.keys()) if (!content.sessions.has(session)) heard.delete(session)
}
