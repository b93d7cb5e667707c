// Who lied: a server said what cannot be true. The user hears of it, and so do the other servers, which show it.

import { type NodeId, sameBytes } from '../../core/index.ts'
import type { Head } from '../wire.ts'
import { send } from './send.ts'
import type { ClientObject, ClientScene } from './state.ts'

/** Kinds of lies that are reported, by server and object: each once, or one liar would keep everybody busy. */
const ACCUSED_MAX = 1_000

export function accuse(scene: ClientScene, object: ClientObject, server: NodeId, version: number, what: string): void {
  const { state, turn } = scene
  const { name } = object
  const key = `${server} ${name} ${what}`
  if (state.accused.has(key) || state.accused.size >= ACCUSED_MAX) return
  state.accused.add(key)
  turn.do({ kind: 'emit', event: { kind: 'lied', object: name, server, version, what } })
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
