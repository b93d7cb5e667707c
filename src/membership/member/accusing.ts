// From a missing answer to a failure: suspicion, its confirmation by others, its end.
//
// A suspicion is not believed at once: the suspected one hears of it and refutes it with a higher incarnation. How long it
// has depends on how many say so independently. A notice of failure is one more suspicion for those who hear it: every
// member gives another up by its own clock only. So one liar can trouble a member, but not remove it.

import { type Allowance, fullBucket, type NodeId, take } from '../../core/index.ts'
import type { Accusation, FailedClaim } from '../claims.ts'
import { signClaim } from '../claims.ts'
import { suspicionTime } from '../suspicion.ts'
import { forgetAccusations } from './queue.ts'
import { ACCUSERS_MAX, type Member, type MemberScene, memberTimers, WITNESSES } from './state.ts'
import { groupSize, setStatus, spread, tell } from './views.ts'

/** Refuted suspicions that one author may have of one member: a bad hour, not a habit. */
const CREDIT: Allowance = { burst: 6, perSecond: 1 / 30 }
/** On how many members an author must have spent its credit to be named: one alone may itself be to blame. */
const ACCUSED_MIN = 2

/** This member had no answer, directly or through others. */
export function suspect(scene: MemberScene, member: Member): void {
  const { state, settings } = scene
  if (member.accusers.has(state.self)) return
  const claim = signClaim(settings.group, settings.signer, {
    kind: 'suspect',
    member: member.id,
    incarnation: member.alive.incarnation,
    author: state.self,
    boot: state.boot,
  })
  takeAccusation(scene, member, claim)
}

/** A verified accusation of the member's present incarnation, from an author not heard before. */
export function takeAccusation(scene: MemberScene, member: Member, claim: Accusation): void {
  const { settings, turn } = scene
  if (claim.kind === 'failed') collect(scene, member, claim)
  if (member.status === 'failed') return
  if (claim.kind === 'failed' && settings.rules.believesNotice()) return giveUp(scene, member)
  if (!member.accusers.has(claim.author) && member.accusers.size < ACCUSERS_MAX) {
    member.accusers.set(claim.author, claim)
    // Enough of them bring the suspicion down to its least: the others need not be told of more.
    if (claim.kind === 'suspect' && member.accusers.size <= settings.beat.confirmations + 1) spread(scene, claim)
  }
  if (member.status === 'alive') {
    setStatus(scene, member, 'suspect')
    tell(scene, 'suspected', member)
    if (turn.below(groupSize(scene)) < WITNESSES) witness(scene, member)
  }
  const { beat, lifeguard, rules } = settings
  const time = rules.suspicionTime(suspicionTime(beat, lifeguard, groupSize(scene), member.accusers.size - 1))
  memberTimers.set(turn, 'suspicion', Math.max(0, member.since + time - turn.now), member.id)
}

function witness({ state }: MemberScene, member: Member): void {
  if (!state.witnessed.includes(member.id) && state.witnessed.length < WITNESSES) state.witnessed.push(member.id)
}

/** Notices of failure by different authors, up to a certificate. */
function collect(scene: MemberScene, member: Member, notice: FailedClaim): void {
  const { settings, turn } = scene
  if (member.notices.size >= settings.certifyAt || member.notices.has(notice.author)) return
  member.notices.set(notice.author, notice)
  spread(scene, notice)
  if (member.certified || member.notices.size < settings.certifyAt) return
  member.certified = true
  const { incarnation } = member.alive
  const notices = [...member.notices.values()]
  turn.do({ kind: 'emit', event: { kind: 'certified', member: member.id, incarnation, notices } })
}

/** The time of a suspicion is over. */
export function onSuspicion(scene: MemberScene, id: NodeId): void {
  const member = scene.state.leaving ? undefined : scene.state.members.get(id)
  if (member?.status === 'suspect') giveUp(scene, member)
}

/** The member has not spoken in time. */
function giveUp(scene: MemberScene, member: Member): void {
  const { state, settings, turn } = scene
  memberTimers.cancel(turn, 'suspicion', member.id)
  setStatus(scene, member, 'failed')
  tell(scene, 'failed', member)
  if (member.notices.size >= settings.certifyAt) return
  const notice = signClaim(settings.group, settings.signer, {
    kind: 'failed',
    member: member.id,
    incarnation: member.alive.incarnation,
    author: state.self,
    boot: state.boot,
  })
  collect(scene, member, notice)
}

/** The member spoke: accusations of its former incarnation are void, and cost their authors credit. */
export function clearAccusations(scene: MemberScene, member: Member, refuted: boolean): void {
  const { state, turn } = scene
  if (refuted) for (const author of member.accusers.keys()) discredit(scene, member, author)
  memberTimers.cancel(turn, 'suspicion', member.id)
  forgetAccusations(state.queue, member.id)
  member.accusers.clear()
  member.notices.clear()
  member.certified = false
}

/**
 * One more suspicion that was refuted. Counted by pair: a member that answers late on purpose, and then refutes, costs those
 * who suspect it their word against it, and against nobody else.
 */
export function discredit(scene: MemberScene, accused: Member, author: NodeId): void {
  const { state, turn } = scene
  if (author === state.self) return
  if (!accused.credit.has(author) && accused.credit.size >= ACCUSERS_MAX) {
    accused.credit.delete(accused.credit.keys().next().value!)
  }
  const bucket = accused.credit.get(author) ?? fullBucket(CREDIT, turn.now)
  accused.credit.set(author, bucket)
  if (!take(bucket, CREDIT, turn.now, 1) || bucket.tokens >= 1) return
  let spent = 0
  for (const member of state.members.values()) if (!hasCredit(scene, member, author)) spent++
  if (spent === ACCUSED_MIN) {
    turn.do({ kind: 'emit', event: { kind: 'misbehaved', member: author, how: 'accusing' } })
  }
}

/** Whether an author's suspicions of this member are still listened to. */
export function hasCredit({ turn }: MemberScene, accused: Member, author: NodeId): boolean {
  const bucket = accused.credit.get(author)
  return bucket === undefined || (take(bucket, CREDIT, turn.now, 0) && bucket.tokens >= 1)
}
