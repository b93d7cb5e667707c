// What waits at a server for events that are not there yet: subscriptions for the next match, and questions of witnesses.
// It counts for the client whose subscription it is; where there is no room it asks again on a later beat.

import type { NodeId } from '../../core/index.ts'
import { type EventsMessage, sourceKey } from '../wire.ts'
import { charge, spend } from './shares.ts'
import { type Follower, followerKey, PARKED_MAX, type ServerScene, type ServerState, type Stream } from './state.ts'

/** Places in maps, beside the source's key. */
const PARKED_BYTES = 100
const CHECK_BYTES = 500

/** Waits for the next match of this source. */
export function park(scene: ServerScene, follower: Follower, key: string, after: number): void {
  const { parked, client } = follower
  if (!parked.has(key) && (parked.size >= PARKED_MAX || !spend(scene, client, PARKED_BYTES + key.length))) return
  parked.set(key, after)
}

/** The match is there. */
export function unpark(state: ServerState, { parked, client }: Follower, key: string): void {
  if (parked.delete(key)) charge(state, client, -PARKED_BYTES - key.length)
}

/** A witness was asked about what is not here: it answers once it is. The newest question of a subscription counts. */
export function parkCheck(
  scene: ServerScene,
  follower: Follower,
  stream: Stream,
  body: EventsMessage & { kind: 'check' },
): void {
  const { client, sub, checks } = follower
  const key = sourceKey(stream.source)
  if (!checks.has(key) && (checks.size >= PARKED_MAX || !spend(scene, client, CHECK_BYTES + key.length))) return
  checks.add(key)
  stream.checks.set(followerKey(client, sub), { from: client, body })
}

/** The question is answered, or nobody asks any more. */
export function leaveCheck(state: ServerState, follower: string, key: string): void {
  const { checks, client } = state.followers.get(follower) ?? { checks: new Set<string>(), client: '' as NodeId }
  state.streams.get(key)?.checks.delete(follower)
  if (checks.delete(key)) charge(state, client, -CHECK_BYTES - key.length)
}

/** The subscription ends, or has another filter. */
export function leaveAll(state: ServerState, follower: Follower): void {
  for (const key of [...follower.parked.keys()]) unpark(state, follower, key)
  for (const key of [...follower.checks]) leaveCheck(state, followerKey(follower.client, follower.sub), key)
}
