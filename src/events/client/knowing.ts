// Sources that a subscription hears of. One that fewer than b + 1 servers know may be invented: it counts in the share of
// the server that told of it first, is asked of all servers now and then, and forgotten when nobody else knows it.

import type { NodeId } from '../../core/index.ts'
import { type Source, sourceKey } from '../wire.ts'
import { keep, release } from './shares.ts'
import { type ClientScene, type ClientState, type Subscription, say, TRACKED_MAX, type Tracked } from './state.ts'
import { newTracked } from './tracked.ts'

/** What is kept of a source beside its name, which stands in three maps. */
const SOURCE_BYTES = 1_000
/** In beats: how soon, and then how often, all servers are asked for a source that too few have told of. */
const ASK_AT = 3
const ASK_EVERY = 30
/** In beats: how long it is kept. */
const UNKNOWN_BEATS = 300
/** Such sources of one subscription that are asked for in one beat: one that lies must not make us noisy. */
const ASKED_MAX = 32

function bytesOf({ source }: Tracked): number {
  return SOURCE_BYTES + 3 * sourceKey(source).length
}

/** The source as it is followed, or nothing where the server that tells of it has told too much that nobody else knows. */
export function trackedOf(
  scene: ClientScene,
  subscription: Subscription,
  from: NodeId,
  source: Source,
): Tracked | undefined {
  const { tracked } = subscription
  const known = tracked.get(sourceKey(source))
  if (known !== undefined) return known
  const one = newTracked(source, 0)
  if (tracked.size >= TRACKED_MAX || !keep(scene, from, bytesOf(one))) return undefined
  one.toldBy = from
  tracked.set(sourceKey(source), one)
  return one
}

/** Whether b + 1 servers have told of it: one of them is honest. */
export function isKnown({ state, settings }: ClientScene, { members }: Subscription, one: Tracked): boolean {
  if (one.toldBy === undefined) return true
  const key = sourceKey(one.source)
  const telling = new Set(members.filter(({ heads }) => (heads.get(key)?.counter ?? 0) > 0).map(({ server }) => server))
  for (const [server, counter] of one.told) if (counter > 0) telling.add(server)
  if (telling.size < settings.rules.agreeing(settings.liars)) return false
  release(state, one.toldBy, bytesOf(one))
  one.toldBy = undefined
  return true
}

/** The subscription ends. */
export function releaseSources(state: ClientState, { tracked }: Subscription): void {
  for (const one of tracked.values()) if (one.toldBy !== undefined) release(state, one.toldBy, bytesOf(one))
}

/** On each beat, for the sources that too few know: asks for some of them, and forgets the old. */
export function beatUnknown(scene: ClientScene, subscription: Subscription): void {
  let asked = 0
  for (const one of subscription.tracked.values()) {
    if (isKnown(scene, subscription, one)) continue
    const isDue = one.stalled % ASK_EVERY === ASK_AT
    if (isDue && ++asked > ASKED_MAX) continue
    one.stalled++
    if (isDue) {
      one.told.clear()
      for (const server of scene.state.servers) say(scene, server, { kind: 'ask', source: one.source })
    }
    if (one.stalled > UNKNOWN_BEATS) forget(scene.state, subscription, one)
  }
}

/** Who told of it tells all its heads anew: if it is honest, others will know the source in the end. */
function forget(state: ClientState, { tracked, members }: Subscription, one: Tracked): void {
  const key = sourceKey(one.source)
  release(state, one.toldBy!, bytesOf(one))
  tracked.delete(key)
  for (const member of members) if (member.heads.delete(key)) member.mark = 0
}
