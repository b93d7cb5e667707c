// Who is in the next epoch (protocols/slots 10). Cheats go for good, the silent go until they come back, members
// that want in or out wait for the next change.
//
// An epoch can be left again only if enough of those who decide on it can talk: n ≥ 3b + 1 of them, or b that fall silent
// would stop it for good. So in a group of just 3b + 1 with a silent member, nobody could be left out, and nobody would
// be served (seed 30006). But those who decide need not all hold tickets: a silent member that the vote cannot spare is
// `absent`. It has no place in the ring, so that the others go on without it; and it keeps its vote, so that when it is
// back, and another one falls silent, a quorum can still leave that one out.
//
// After each change nothing is dealt for a lease, so nobody may cause one after the other. An epoch that is younger than
// `settle` ends only without somebody, who then waits outside until an epoch has lived that long; or with those who wait,
// where too few are left. Who says that it restarted is no reason by itself where it cannot be spared; and a record must answer
// the reason that a member sees. docs/decisions/slots.md has the liars that taught us, and why this ends.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { MEMBERS_MAX, MEMBERS_MIN, membersNeeded } from '../settings.ts'
import { type EpochMember, type EpochRecord, positionOf, recordHash, votersOf } from './record.ts'
import { waitOf } from './returning.ts'
import type { MemberState, SlotsScene } from './state.ts'

/** How many of those who vote make a successor. */
export function quorum(scene: SlotsScene, record: EpochRecord): number {
  return scene.rules.successionQuorum(votersOf(record).length, record.liars)
}

/** Members with whom there is no going on, as we see it: cheats, and the silent, unless they petition and may be back. */
function mustGo(scene: SlotsScene, name: NodeId): boolean {
  const { state } = scene
  if (state.cheats.has(name)) return true
  const isBack = state.petitions.has(name) && isSettledFor(scene, name)
  return !isBack && isSilent(state, name)
}

function isSilent({ epoch }: MemberState, name: NodeId): boolean {
  return epoch.silent.has(positionOf(epoch.record, name))
}

/** Not all of the others may have been brought what we were: it may stay where they see another reason. */
function isForger({ epoch }: MemberState, name: NodeId): boolean {
  return epoch.forgers.has(positionOf(epoch.record, name))
}

/** Silent or a moment ago: what is late for some is in time for others, and they must agree while it is (seed 60008). */
function wasSilentLately({ state, settings, turn, rules }: SlotsScene, name: NodeId): boolean {
  const { epoch } = state
  const at = epoch.wasSilent.get(positionOf(epoch.record, name))
  return at !== undefined && turn.now <= at + rules.silenceCounts(settings.patience)
}

function restarted({ petitions }: MemberState, name: NodeId): boolean {
  return petitions.get(name)?.leaving === false
}

/** Members that may go: those that must, all that are silent, and those that asked to leave. */
function goes(scene: SlotsScene, name: NodeId): boolean {
  const { state } = scene
  const { epoch } = state
  // If we restarted or are outside, we have seen nothing of this epoch, and trust the others' eyes.
  if (epoch.barred || epoch.position < 0) return true
  if (state.cheats.has(name) || isSilent(state, name) || wantsOut(state, name)) return true
  return wasSilentLately(scene, name) || isForger(state, name) || restartsAgain(scene, name)
}

function wantsOut({ self, leaving, petitions }: MemberState, name: NodeId): boolean {
  return petitions.get(name)?.leaving ?? (name === self && leaving)
}

/** Who restarts again and again would keep the group from ever dealing: the second time it waits outside. */
function restartsAgain(scene: SlotsScene, name: NodeId): boolean {
  const { state } = scene
  return restarted(state, name) && !isSettledFor(scene, name)
}

/** The members that want in and may come in: known, and not cheats. */
function waitingOutside(scene: SlotsScene): EpochMember[] {
  const { epoch, petitions, cheats } = scene.state
  return scene.directory.filter(({ name }) => {
    const petition = petitions.get(name)
    return positionOf(epoch.record, name) < 0 && petition !== undefined && !petition.leaving && !cheats.has(name)
  })
}

/** Whether the epoch has lived for a while: only then it ends for a member that wants in, or restarted. */
function isSettledFor(scene: SlotsScene, name: NodeId): boolean {
  const { epoch } = scene.state
  const { now } = scene.turn
  return now >= epoch.adoptedAt + waitOf(scene, name)
}

/** Whether we see a reason for another epoch, and would propose one. */
export function hasReason(scene: SlotsScene): boolean {
  return scene.state.epoch.forgers.size > 0 || hasFirmReason(scene)
}

/** One that all can see. */
export function hasFirmReason(scene: SlotsScene): boolean {
  const { state } = scene
  const { epoch } = state
  if (epoch.position < 0) return false
  if (epoch.barred || epoch.closed || epoch.silent.size > 0) return true
  if (votersOf(epoch.record).some(({ name }) => state.cheats.has(name))) return true
  const { members } = epoch.record
  // Where nobody lies, a restart is true, and who restarted comes in again at once.
  const waits = epoch.record.liars > 0 && scene.rules.restartWaits()
  if (members.some(({ name }) => restarted(state, name) && (!waits || isSettledFor(scene, name)))) return true
  const next = firmRecord(scene)
  // Who wants to leave, or restarts again, is a reason only while enough are left: else epoch would follow epoch, with
  // the same members, and nothing would ever be dealt (seed 410016). Who restarted indeed will be missed.
  return next !== undefined && (leftOut(epoch.record, next).length > 0 || leftOut(next, epoch.record).length > 0)
}

/** The members of the one that are not in the other. */
function leftOut({ members }: EpochRecord, other: EpochRecord): EpochMember[] {
  return members.filter(({ name }) => positionOf(other, name) < 0)
}

/**
 * Whether we would go along with another epoch: from outside there is nothing to be seen, and the others are trusted. That somebody
 * was silent, or forges, is a reason for an epoch without it and for no other.
 */
export function seesReason(scene: SlotsScene, proposed: EpochRecord): boolean {
  const { record, position } = scene.state.epoch
  if (position < 0 || hasFirmReason(scene)) return true
  const may = ({ name }: EpochMember) => wasSilentLately(scene, name) || isForger(scene.state, name)
  return leftOut(record, proposed).some(may)
}

/** The record that we would propose, or nothing while too few would be left. */
export function wishedRecord(scene: SlotsScene): EpochRecord | undefined {
  return recordWithout(scene, name => mustGo(scene, name) || isForger(scene.state, name))
}

/** The same, as far as all can see what we see. */
function firmRecord(scene: SlotsScene): EpochRecord | undefined {
  return recordWithout(scene, name => mustGo(scene, name))
}

function recordWithout(scene: SlotsScene, must: (name: NodeId) => boolean): EpochRecord | undefined {
  const { state } = scene
  const { record, barred } = state.epoch
  const outside = waitingOutside(scene)
  const joining = outside.filter(({ name }) => isSettledFor(scene, name))
  const wish = (gone: (name: NodeId) => boolean, joiners = joining) => {
    const left = record.members.filter(({ name }) => !gone(name))
    return successorWith(state, [...left, ...joiners].slice(0, MEMBERS_MAX))
  }
  const least = wish(must)
  const most = barred ? least : wish(name => must(name) || restartsAgain(scene, name))
  const all = wish(name => positionOf(most, name) < 0 || wantsOut(state, name))
  // A member that wants to leave stays while the group could not lose another member after it.
  if (all.members.length > membersNeeded(all.liars)) return all
  // And where those who are left are too few, nobody outside has to wait.
  const filled = wish(must, outside)
  return [most, least, filled].find(next => isLargeEnough(scene, next))
}

/** The successor with these members: everything else follows. */
function successorWith({ epoch, cheats }: MemberState, members: readonly EpochMember[]): EpochRecord {
  const { record, hash } = epoch
  const voters = votersOf(record)
  // Proven cheats go for good, and are no longer among those that may lie.
  const caught = voters.filter(({ name }) => cheats.has(name)).length
  const liars = Math.max(0, record.liars - caught)
  const isIn = (name: NodeId) => members.some(member => member.name === name)
  const others = voters.filter(({ name }) => !isIn(name) && !cheats.has(name))
  const absent = members.length >= membersNeeded(liars) ? [] : others
  return { ...record, number: record.number + 1, previous: hash, members, absent, liars }
}

/** Whether it can be left again whatever b of its voters do, and every quorum of it has an honest member of the ring. */
function isLargeEnough(scene: SlotsScene, next: EpochRecord): boolean {
  const voters = votersOf(next).length
  if (voters < membersNeeded(next.liars) || next.members.length < MEMBERS_MIN) return false
  return next.members.length + quorum(scene, next) > voters + next.liars
}

/** Whether a proposed record is one that we could live with: everything as before, but for members we also miss. */
export function isAcceptable(scene: SlotsScene, proposed: EpochRecord): boolean {
  const { state } = scene
  const { record } = state.epoch
  const names = proposed.members.map(member => member.name)
  if (new Set(names).size !== names.length) return false
  if (!sameBytes(recordHash(proposed), recordHash(successorWith(state, proposed.members)))) return false
  if (!isLargeEnough(scene, proposed)) return false
  if (!leftOut(record, proposed).every(({ name }) => goes(scene, name))) return false
  if (!proposed.members.every(member => isKnown(scene, member))) return false
  return !scene.rules.mustAnswer() || isAnswer(scene, proposed)
}

/**
 * Whether it does something about the reason that we see: without it, the member that is the reason would propose the same
 * members for ever. Somebody of those who are to go is gone; all who are to come in are in, and nobody comes in early.
 */
function isAnswer(scene: SlotsScene, proposed: EpochRecord): boolean {
  const { state } = scene
  const { record, barred, position } = state.epoch
  const wished = barred || position < 0 ? undefined : firmRecord(scene)
  // Nobody knows better: a member that is missed because it restarted may propose to go on with it (seed 70126).
  if (wished === undefined) return true
  const [gone, joining] = [leftOut(record, wished), leftOut(wished, record)]
  if (gone.length > 0 && gone.every(({ name }) => positionOf(proposed, name) >= 0)) return false
  const isIn = ({ name }: EpochMember) => positionOf(proposed, name) >= 0
  // Others may remember otherwise how long somebody must wait: it is enough that the record lets somebody in, or that somebody goes.
  if (gone.length === 0 && joining.length > 0 && !joining.some(isIn)) return false
  const isEarly = ({ name }: EpochMember) => !isSettledFor(scene, name)
  return joining.some(isEarly) || !leftOut(proposed, record).some(isEarly)
}

// Old members keep the identity that the old record has, new ones must be in the directory.
function isKnown(scene: SlotsScene, { name, identity }: EpochMember): boolean {
  const { state } = scene
  if (state.cheats.has(name)) return false
  const known = votersOf(state.epoch.record).find(member => member.name === name)
  const listed = known ?? scene.directory.find(member => member.name === name)
  return listed !== undefined && sameBytes(listed.identity, identity)
}
