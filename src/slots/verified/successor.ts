// Who is in the next epoch (PROTOCOLS A 10). Cheats go for good, the silent go until they come back, whoever wants in or
// out waits for the next change.
//
// An epoch can be left again only if enough of those who decide on it can talk: n ≥ 3b + 1 of them, or b that fall silent
// would stop it for good. So in a group of just 3b + 1, of whom one is silent, nobody could be left out, and nobody would
// be served (seed 30006). But those who decide need not all hold tickets: a silent member that the vote cannot spare is
// `absent`. It has no place in the ring, so that the others go on without it; and it keeps its vote, so that when it is
// back, and another one falls silent, a quorum can still leave that one out.

import type { NodeId } from '../../core/index.ts'
import { MEMBERS_MAX, MEMBERS_MIN, membersNeeded } from '../settings.ts'
import { sameBytes } from './proofs.ts'
import { type EpochMember, type EpochRecord, positionOf, recordHash, votersOf } from './record.ts'
import type { MemberState, Surroundings } from './state.ts'

/** How many of those who vote make a successor. */
export function quorum(around: Surroundings, record: EpochRecord): number {
  return around.rules.successionQuorum(votersOf(record).length, record.liars)
}

/** Members with whom there is no going on: cheats and the silent. As we see it. */
function mustGo({ epoch, cheats }: MemberState, name: NodeId): boolean {
  return cheats.has(name) || epoch.silent.has(positionOf(epoch.record, name))
}

/** Members that may go: those, and who asked to leave. */
function goes(around: Surroundings, state: MemberState, name: NodeId, now: number): boolean {
  const { epoch, petitions } = state
  const petition = petitions.get(name)
  // Whoever restarted or is outside has seen nothing of this epoch, and trusts the others' eyes.
  if ((epoch.barred || epoch.position < 0) && name !== state.self) return true
  if (mustGo(state, name)) return true
  if (petition === undefined) return name === state.self && state.leaving
  return petition.leaving || restartsAgain(around, state, name, now)
}

/** Who restarts again and again would keep the group from ever dealing: the second time it waits outside. */
function restartsAgain(around: Surroundings, { epoch, petitions }: MemberState, name: NodeId, now: number): boolean {
  return petitions.get(name)?.leaving === false && now < epoch.adoptedAt + around.settings.settle
}

/** Who wants in and may: known, not a cheat, and only once the epoch has lived for a while. */
function joiners(around: Surroundings, state: MemberState, now: number): EpochMember[] {
  const { epoch, petitions, cheats } = state
  if (now < epoch.adoptedAt + around.settings.settle) return []
  return around.directory.filter(({ name }) => {
    const petition = petitions.get(name)
    return positionOf(epoch.record, name) < 0 && petition !== undefined && !petition.leaving && !cheats.has(name)
  })
}

/** Whether we see a reason for another epoch. */
export function hasReason(around: Surroundings, state: MemberState, now: number): boolean {
  const { epoch } = state
  if (epoch.position < 0) return false
  if (epoch.barred || epoch.closed || epoch.silent.size > 0) return true
  const { members, liars } = epoch.record
  const restarted = (name: NodeId) => state.petitions.get(name)?.leaving === false
  if (votersOf(epoch.record).some(({ name }) => state.cheats.has(name))) return true
  if (members.some(({ name }) => restarted(name))) return true
  if (joiners(around, state, now).length > 0) return true
  // Who wants to leave is a reason only while enough are left: else epoch would follow epoch, with the same members.
  const leavers = members.filter(({ name }) => state.petitions.has(name) || (name === state.self && state.leaving))
  return leavers.length > 0 && members.length - leavers.length > membersNeeded(liars)
}

/** Whether we would go along with another epoch: from outside there is nothing to be seen, and the others are trusted. */
export function seesReason(around: Surroundings, state: MemberState, now: number): boolean {
  return state.epoch.position < 0 || hasReason(around, state, now)
}

/** The record that we would propose, or nothing while too few would be left. */
export function wishedRecord(around: Surroundings, state: MemberState, now: number): EpochRecord | undefined {
  const { record, barred } = state.epoch
  const wish = (gone: (name: NodeId) => boolean) => {
    const left = record.members.filter(({ name }) => !gone(name))
    return successorWith(state, [...left, ...joiners(around, state, now)].slice(0, MEMBERS_MAX))
  }
  const least = wish(name => mustGo(state, name))
  const most = barred ? least : wish(name => mustGo(state, name) || restartsAgain(around, state, name, now))
  const all = barred ? least : wish(name => goes(around, state, name, now))
  // Whoever wants to leave stays while the group could not lose another member after it.
  if (all.members.length > membersNeeded(all.liars)) return all
  return [most, least].find(next => isLargeEnough(around, next))
}

/** The successor with these members: everything else follows. */
function successorWith({ epoch, cheats }: MemberState, members: readonly EpochMember[]): EpochRecord {
  const { record, hash } = epoch
  const voters = votersOf(record)
  // Whoever was caught goes for good, and is no longer among those that may lie.
  const caught = voters.filter(({ name }) => cheats.has(name)).length
  const liars = Math.max(0, record.liars - caught)
  const isIn = (name: NodeId) => members.some(member => member.name === name)
  const others = voters.filter(({ name }) => !isIn(name) && !cheats.has(name))
  const absent = members.length >= membersNeeded(liars) ? [] : others
  return { ...record, number: record.number + 1, previous: hash, members, absent, liars }
}

/** Whether it can be left again whatever b of its voters do, and every quorum of it has an honest member of the ring. */
function isLargeEnough(around: Surroundings, next: EpochRecord): boolean {
  const voters = votersOf(next).length
  if (voters < membersNeeded(next.liars) || next.members.length < MEMBERS_MIN) return false
  return next.members.length + quorum(around, next) > voters + next.liars
}

/** Whether a proposed record is one that we could live with: everything as before, but for members we also miss. */
export function isAcceptable(around: Surroundings, state: MemberState, proposed: EpochRecord, now: number): boolean {
  const { record } = state.epoch
  const names = proposed.members.map(member => member.name)
  if (new Set(names).size !== names.length) return false
  if (!sameBytes(recordHash(proposed), recordHash(successorWith(state, proposed.members)))) return false
  if (!isLargeEnough(around, proposed)) return false
  const gone = record.members.filter(({ name }) => !names.includes(name))
  if (!gone.every(({ name }) => goes(around, state, name, now))) return false
  return proposed.members.every(member => isKnown(around, state, member))
}

// Old members keep the identity that the old record has, new ones must be in the directory.
function isKnown(around: Surroundings, state: MemberState, { name, identity }: EpochMember): boolean {
  if (state.cheats.has(name)) return false
  const known = votersOf(state.epoch.record).find(member => member.name === name)
  const listed = known ?? around.directory.find(member => member.name === name)
  return listed !== undefined && sameBytes(listed.identity, identity)
}
