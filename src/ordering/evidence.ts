// Who lied: what a server said that cannot be true is told to the user and to the other servers, which show it.

import type { NodeId } from '../core/index.ts'
import type { ClientScene, Use } from './client-state.ts'
import { sameBytes } from './digest.ts'
import type { Head } from './messages.ts'
import { send } from './uses.ts'

/** Kinds of lies that are told of, by server and object: each once, or one liar would keep everybody busy. */
const ACCUSED_MAX = 1_000

export function accuse(scene: ClientScene, use: Use, server: NodeId, version: number, what: string): void {
  const { state, turn } = scene
  const { object } = use
  const name = `${server} ${object} ${what}`
  if (state.accused.has(name) || state.accused.size >= ACCUSED_MAX) return
  state.accused.add(name)
  turn.do({ kind: 'emit', event: { kind: 'lied', object, server, version, what } })
  for (const to of state.servers) {
    if (to !== server) send(scene, to, { kind: 'complain', object, server, version, what })
  }
}

/** A version has one state: whoever calls another one committed than b + 1 do, lies. */
export function compareCommitted(
  scene: ClientScene,
  use: Use,
  vouched: Head,
  said: Iterable<readonly [server: NodeId, committed: Head]>,
): void {
  for (const [server, { version, digest }] of said) {
    if (version !== vouched.version || sameBytes(digest, vouched.digest)) continue
    accuse(scene, use, server, version, 'another state of a committed version')
  }
}
