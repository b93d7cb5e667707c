// What one client takes of this server, by its certificate: subscriptions and what waits for them, queues, cursors. What
// it publishes has an account of its own (storing.ts).
//
// Counts alone are no bound: a thousand cursors of four thousand sources each are half a gigabyte. A client that has its
// share is told so, and takes nothing from the others.

import type { NodeId } from '../../core/index.ts'
import { certificateOf } from '../rules.ts'
import { REFUSALS } from '../wire.ts'
import type { ServerScene, ServerState, Share } from './state.ts'

/** Why something is not kept, as a place in `REFUSALS`. */
export const [NO_SHARE, NO_NUMBER, NO_ROOM] = REFUSALS.map((_, place) => place) as [number, number, number]

/** What a byte of a filter takes once it is read and in the index, about: each of its parts is an object. */
const FILTER_FACTOR = 16
const NO_BYTES: Share = { bytes: 0, followers: 0, cursors: 0, queues: 0 }

/** What this client has. */
export function shareOf({ shares }: ServerState, client: NodeId): Readonly<Share> {
  return shares.get(certificateOf(client)) ?? NO_BYTES
}

/** Why there is no room for so many bytes more, or undefined. */
export function whyFull({ state, settings }: ServerScene, client: NodeId, more: number): number | undefined {
  if (more <= 0) return undefined
  if (shareOf(state, client).bytes + more > settings.clientBytesMax) return NO_SHARE
  return state.shared + more > settings.clientsBytesMax ? NO_ROOM : undefined
}

/** Counts bytes, and one more or one fewer of a kind; below zero they are given back. */
export function charge(
  state: ServerState,
  client: NodeId,
  bytes: number,
  kind?: 'followers' | 'cursors' | 'queues',
): void {
  const who = certificateOf(client)
  const share = state.shares.get(who) ?? { ...NO_BYTES }
  share.bytes += bytes
  state.shared += bytes
  if (kind !== undefined) share[kind] += bytes < 0 ? -1 : 1
  if (share.bytes > 0) state.shares.set(who, share)
  else state.shares.delete(who)
}

/** Counts so much more, if there is room for it. */
export function spend(scene: ServerScene, client: NodeId, bytes: number): boolean {
  if (whyFull(scene, client, bytes) !== undefined) return false
  charge(scene.state, client, bytes)
  return true
}

/** Says that it is not kept, and why. */
export function refuse({ turn }: ServerScene, to: NodeId, sub: number, why: number): void {
  turn.do({ kind: 'send', to, body: { kind: 'refused', sub, why } })
}

/** What a filter takes, from its bytes. */
export function filterBytes(encoded: Uint8Array): number {
  return FILTER_FACTOR * encoded.length
}
