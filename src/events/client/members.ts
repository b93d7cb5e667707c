// The b + 1 servers at which a subscription lives, chosen by a hash of its name and theirs, so that each server has its
// share. Who is silent, caught, or stays behind what the others hold is passed over for a minute.

import { compareBytes, type NodeId } from '../../core/index.ts'
import { framed } from '../../crypto/index.ts'
import { certificateOf } from '../rules.ts'
import { type ClientScene, type Member, PASSED_BEATS, type Subscription, say } from './state.ts'
import { forgetUnchecked } from './tracked.ts'

/** The first b + 1 in the subscription's own order that are not passed over. */
export function chooseMembers(scene: ClientScene, subscription: Subscription): void {
  const { state, settings } = scene
  const { passed } = subscription
  for (const [server, until] of passed) if (until <= state.beats) passed.delete(server)
  const count = Math.min(settings.rules.agreeing(settings.liars), state.servers.length)
  // All but a few are passed over: better one that was slow than none.
  if (state.servers.length - passed.size < count) passed.clear()
  const chosen = order(scene, subscription)
    .filter(server => !passed.has(server))
    .slice(0, count)
  const before = subscription.members
  if (before.length === count && before.every(({ server }, place) => server === chosen[place])) return
  for (const { server } of before) {
    if (!chosen.includes(server)) say(scene, server, { kind: 'unfollow', sub: subscription.id })
  }
  const newMember = (server: NodeId): Member => {
    return { server, epoch: '', mark: 0, silent: 0, alone: false, heads: new Map() }
  }
  subscription.members = chosen.map(server => before.find(one => one.server === server) ?? newMember(server))
  for (const one of subscription.tracked.values()) forgetUnchecked(subscription, one)
  follow(scene, subscription)
}

/** The servers in the order of a hash of their names and this one's. */
export function order(
  { state, settings }: ClientScene,
  { channel, name, id }: Pick<Subscription, 'channel' | 'name' | 'id'>,
): NodeId[] {
  const owner = certificateOf(state.self)
  const ranked = state.servers.map(server => ({
    server,
    rank: settings.hash(framed(channel, owner, name === '' ? id : name, server)),
  }))
  return ranked.sort((one, other) => compareBytes(one.rank, other.rank)).map(({ server }) => server)
}

/** On each beat: that the subscription is there, and what is new? */
export function follow(
  scene: ClientScene,
  { id: sub, channel, version, encoded: filter, members }: Subscription,
): void {
  for (const { server, epoch, mark } of members) {
    say(scene, server, { kind: 'follow', sub, channel, version, filter, epoch, mark })
  }
}

/** Not now: another takes its place. */
export function passOver(scene: ClientScene, subscription: Subscription, server: NodeId): void {
  if (!subscription.members.some(member => member.server === server)) return
  subscription.passed.set(server, scene.state.beats + PASSED_BEATS)
  chooseMembers(scene, subscription)
}
