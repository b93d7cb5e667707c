// Who lied: a server said what cannot be true. The user hears of it, and so do the other servers, which show it.

import { type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import type { Head } from '../wire.ts'
import { send } from './send.ts'
import type { ClientObject, ClientScene } from './state.ts'

/** Lies of one server that are reported, by object and kind, or one liar would keep everybody busy. */
export const ACCUSED_MAX = 100
/** The same is told again now and then: servers forget in a restart. */
const TELL_AGAIN: Millis = 60_000

export function accuse(scene: ClientScene, object: ClientObject, server: NodeId, version: number, what: string): void {
  const { state, turn } = scene
  const { name } = object
  const key = `${name} ${what}`
  const accused = state.accused.get(server) ?? new Map<string, Millis>()
  state.accused.set(server, accused)
  const told = accused.get(key)
  if (told === undefined ? accused.size >= ACCUSED_MAX : turn.now - told < TELL_AGAIN) return
  accused.set(key, turn.now)
  if (told === undefined) turn.do({ kind: 'emit', event: { kind: 'lied', object: name, server, version, what } })
  for (const to of state.servers) {
    if (to !== server) send(scene, to, { kind: 'complain', object: name, server, version, what })
  }
}

/** A version has one state: a server that calls another one committed than b + 1 do, lies. */
export function compareCommitted(
  scene: ClientScene,
  object: ClientObject,
  vouched: Head,
  said: Iterable<readonly [server: NodeId, committed: Head]>,
): void {
  for (const [server, { version, digest }] of said) {
    if (version !== vouched.version || sameBytes(digest, vouched.digest)) continue
    accuse(scene, object, server, version, 'another state of a committed version')
  }
}

/** A server says what it has committed: compared with the replica, now or when that is there. */
export function hearClaim(scene: ClientScene, object: ClientObject, server: NodeId, head: Head): void {
  const { replica, claims } = object
  if (head.version < replica.version) return
  if (head.version === replica.version) return compareCommitted(scene, object, replica, [[server, head]])
  const before = claims.get(server)
  if (before !== undefined && before.version === head.version && !sameBytes(before.digest, head.digest)) {
    accuse(scene, object, server, head.version, 'two states of one version')
  }
  claims.set(server, { version: head.version, digest: head.digest, heardAt: scene.turn.now })
}

/**
 * What is committed was taken by q servers: of those who answer a get that was sent afterwards, b + 1 honest ones vouch for
 * it or for something newer. Where the newest that is vouched for is older, it never was.
 */
export function denyClaims(scene: ClientScene, object: ClientObject, newest: Head): void {
  for (const [server, { version, heardAt }] of object.claims) {
    if (version <= newest.version || heardAt >= object.sentAt) continue
    object.claims.delete(server)
    accuse(scene, object, server, version, 'a committed version that nobody has')
  }
}

/** The replica has come to a version, which is decided: a server that called another state of it committed has lied. */
export function compareClaims(scene: ClientScene, object: ClientObject): void {
  const { replica, claims, session } = object
  for (const [server, claim] of claims) {
    if (claim.version > replica.version) continue
    claims.delete(server)
    compareCommitted(scene, object, replica, [[server, claim]])
  }
  if (session.gone.size === 0 || !replica.sessions.has(session.id)) return
  for (const [server, version] of session.gone) {
    if (version <= replica.version) accuse(scene, object, server, version, 'a living session that it called gone')
  }
}
