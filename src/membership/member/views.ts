// The group as one member sees it: who is here. Every change is told.

import { type Allowance, fullBucket, type NodeId } from '../../core/index.ts'
import type { AliveClaim, Claim } from '../claims.ts'
import type { MembershipChange, MemberView } from '../events.ts'
import { distanceOf } from './distance.ts'
import { enqueue } from './queue.ts'
import { isHere, MEMBERS_MAX, type Member, type MemberScene, memberTimers } from './state.ts'

/** A member's words about itself: a storm of refutations fits, an endless stream does not. */
export const UPDATES: Allowance = { burst: 32, perSecond: 4 }

export function newMember(
  { turn }: MemberScene,
  alive: AliveClaim,
  digest: string,
  key: Uint8Array,
  status: Member['status'],
): Member {
  return {
    id: alive.member,
    status,
    alive,
    digest,
    key,
    twoFacedIn: undefined,
    attributes: undefined,
    leave: undefined,
    since: turn.now,
    accusers: new Map(),
    notices: new Map(),
    certified: false,
    roundTrips: [],
    measuredAt: undefined,
    measures: new Map(),
    coordinate: undefined,
    updates: fullBucket(UPDATES, turn.now),
    credit: new Map(),
    events: undefined,
  }
}

export function viewOf(scene: MemberScene, member: Member): MemberView {
  const attributes = new Map(member.attributes?.values.map(({ name, value }) => [name, value]))
  // Whatever a member says its distance is, only what others measured counts.
  attributes.delete('distance')
  const distance = distanceOf(scene, member)
  if (distance !== undefined) attributes.set('distance', distance)
  const { address, identity, keys } = member.alive
  const incarnation = Math.max(member.alive.incarnation, member.leave?.incarnation ?? 0)
  const { id, status, coordinate } = member
  return { member: id, status, incarnation, address, identity, keys, attributes, coordinate }
}

/** A distance that differs by more than this part is told. */
const DISTANCE_CHANGE = 0.1

/** Does something that may change a member's distance, and tells it if it did. */
export function watchingDistance(scene: MemberScene, member: Member, act: () => void): void {
  const before = distanceOf(scene, member)
  act()
  const after = distanceOf(scene, member)
  if (before === after || after === undefined) return
  if (before === undefined || Math.abs(after - before) > DISTANCE_CHANGE * before) tell(scene, 'updated', member)
}

export function tell(scene: MemberScene, change: MembershipChange, member: Member): void {
  scene.turn.do({ kind: 'emit', event: { kind: 'changed', change, member: viewOf(scene, member) } })
}

export function remember({ state }: MemberScene, member: Member): void {
  state.members.set(member.id, member)
  state.names = undefined
}

/** Puts the claim into the queue and starts telling, if that is not under way. */
export function spread({ state, settings, turn }: MemberScene, claim: Claim): void {
  enqueue(state.queue, claim)
  if (state.gossiping) return
  state.gossiping = true
  memberTimers.set(turn, 'gossip', settings.beat.gossipEvery)
}

export function setStatus(scene: MemberScene, member: Member, status: Member['status']): void {
  const { state, turn } = scene
  const was = isHere(member)
  member.status = status
  member.since = turn.now
  if (member.id === state.self || was === isHere(member)) return
  if (isHere(member)) addOther(scene, member.id)
  else removeOther(scene, member.id)
}

/** One more to talk to. It is asked at some time in the round under way: not always last. */
export function addOther({ state, turn }: MemberScene, id: NodeId): void {
  state.others.push(id)
  state.round.splice(turn.below(state.round.length + 1), 0, id)
}

function removeOther({ state }: MemberScene, id: NodeId): void {
  const place = state.others.indexOf(id)
  // The last takes its place: the order of the others has no meaning.
  const last = state.others.pop()!
  if (place < state.others.length) state.others[place] = last
}

/** Room for one more: the member that is gone longest is forgotten. False if all are here. */
export function makeRoom({ state }: MemberScene): boolean {
  if (state.members.size < MEMBERS_MAX) return true
  let oldest: Member | undefined
  for (const member of state.members.values()) {
    if (!isHere(member) && (oldest === undefined || member.since < oldest.since)) oldest = member
  }
  if (oldest === undefined) return false
  state.members.delete(oldest.id)
  state.names = undefined
  return true
}

/** At most `count` different others, drawn at random, without those named. */
export function someOthers({ state, turn }: MemberScene, count: number, without: readonly NodeId[] = []): NodeId[] {
  const { others } = state
  const chosen: NodeId[] = []
  // A few draws may hit twice; in a small group it is quicker to shuffle.
  if (others.length <= 3 * count + without.length) {
    const pool = others.filter(id => !without.includes(id))
    while (chosen.length < count && pool.length > 0) {
      const place = turn.below(pool.length)
      chosen.push(pool[place]!)
      pool[place] = pool[pool.length - 1]!
      pool.pop()
    }
    return chosen
  }
  for (let draws = 0; draws < 10 * count && chosen.length < count; draws++) {
    const id = others[turn.below(others.length)]!
    if (!chosen.includes(id) && !without.includes(id)) chosen.push(id)
  }
  return chosen
}

/** How many the group has, this member included. */
export function groupSize({ state }: MemberScene): number {
  return state.others.length + 1
}
