// Whether a claim would be news if it is true: a look into a table, before any signature is checked.

import { compareBytes, sameBytes } from '../../core/index.ts'
import { admit } from '../../crypto/index.ts'
import { type Accusation, type AliveClaim, type Claim, claimDigest } from '../claims.ts'
import type { Refusals } from '../events.ts'
import { bootOf } from '../incarnation.ts'
import type { MembershipRules } from '../rules.ts'
import { hasCredit } from './accusing.ts'
import { mayMeasure } from './distance.ts'
import { isHere, type Member, type MemberScene, sameBoot } from './state.ts'

/** How far events of one author may overtake each other: gossip reorders, but not by more than an author may have under way. */
export const EVENTS_WINDOW = 64

export type Judgement =
  | 'news'
  | 'known'
  | Extract<keyof Refusals, 'old' | 'unknown' | 'stranger' | 'slowed' | 'discredited'>

export function judge(scene: MemberScene, claim: Claim): Judgement {
  const { state } = scene
  const member = state.members.get(claim.member)
  switch (claim.kind) {
    case 'alive':
      return judgeAlive(scene, claim, member)
    case 'attributes': {
      if (member === undefined) return 'unknown'
      const boot = bootOf(member.alive.incarnation)
      if (claim.boot !== boot) return claim.boot < boot ? 'old' : 'unknown'
      return claim.member !== state.self && claim.version > (member.attributes?.version ?? 0) ? 'news' : 'known'
    }
    case 'leave': {
      if (member === undefined || bootOf(claim.incarnation) > bootOf(member.alive.incarnation)) return 'unknown'
      if (member.alive.incarnation > claim.incarnation) return 'old'
      return member.status === 'left' || claim.member === state.self ? 'known' : 'news'
    }
    case 'suspect':
    case 'failed':
      return judgeAccusation(scene, claim, member)
    case 'measured': {
      const author = state.members.get(claim.author)
      if (!isHere(author) || member === undefined || claim.author === state.self) return 'known'
      if (!sameBoot(author, claim.boot) || !sameBoot(member, claim.memberBoot)) return 'old'
      if (claim.version <= (member.measures.get(claim.author)?.version ?? 0)) return 'known'
      return mayMeasure(scene, claim.member, claim.author) ? 'news' : 'unknown'
    }
    case 'event':
      if (member === undefined || !sameBoot(member, claim.boot)) return 'unknown'
      return admit(member.events, claim.boot, claim.number, EVENTS_WINDOW).fresh ? 'news' : 'known'
  }
}

function judgeAlive({ state, settings }: MemberScene, claim: AliveClaim, member: Member | undefined): Judgement {
  if (claim.member === state.self) {
    // Of its own life a member believes only what it said itself: later than now it can only be from a life forgotten.
    // Under another identity it is said by somebody who has an old certificate of this name: a new life is above it.
    const usurped = bootOf(claim.incarnation) === state.boot && !sameBytes(claim.identity, settings.identity)
    return claim.incarnation > state.incarnation || usurped ? 'news' : 'known'
  }
  if (member === undefined) return 'news'
  const known = Math.max(member.alive.incarnation, member.leave?.incarnation ?? 0)
  if (isOtherFace(member, claim)) {
    // One life, one key. The other face is looked at once, because it proves that the member has two.
    return isTaken(settings.rules, member, claim) || member.twoFacedIn !== bootOf(claim.incarnation)
      ? 'news'
      : 'stranger'
  }
  if (settings.rules.isNewer(known, claim.incarnation)) return 'news'
  if (claim.incarnation < member.alive.incarnation) return 'old'
  // The same number and other words: a member with two faces. The smaller digest stays, so that all views become one; the
  // larger is looked at once, because it proves the lie.
  const digest = claim.incarnation === member.alive.incarnation ? claimDigest(claim) : member.digest
  if (digest === member.digest) return 'known'
  return digest < member.digest || member.twoFacedIn !== bootOf(claim.incarnation) ? 'news' : 'known'
}

/** The same life, under another identity. */
export function isOtherFace(member: Member, claim: AliveClaim): boolean {
  return sameBoot(member, bootOf(claim.incarnation)) && !sameBytes(claim.identity, member.alive.identity)
}

/** Which of two faces stays: by the identities alone, whatever was said under each, so that all views become one. */
export function isTaken(rules: MembershipRules, member: Member, claim: AliveClaim): boolean {
  return rules.prefersFace(compareBytes(claim.identity, member.alive.identity) < 0)
}

function judgeAccusation(scene: MemberScene, claim: Accusation, member: Member | undefined): Judgement {
  const { state, settings } = scene
  const author = state.members.get(claim.author)
  if (member === undefined || author === undefined || claim.author === state.self) return 'unknown'
  if (claim.author === claim.member) return 'stranger'
  const now = member.alive.incarnation
  if (claim.incarnation !== now) return claim.incarnation < now ? 'old' : 'unknown'
  if (!sameBoot(author, claim.boot)) return 'old'
  if (member.status === 'left') return 'known'
  // An accusation of this member itself is answered, no matter who brings it: after a partition both sides hold accusations by those whom the other
  // side believes dead, and if nobody answered those, nobody would ever be alive again.
  if (claim.member === state.self) return state.leaving ? 'known' : 'news'
  if (!isHere(author)) return 'unknown'
  if (claim.kind === 'failed' && !member.notices.has(claim.author) && member.notices.size < settings.certifyAt) {
    return hasCredit(scene, member, claim.author) || member.status === 'failed' ? 'news' : 'discredited'
  }
  if (member.status === 'failed' || member.accusers.has(claim.author)) return 'known'
  return hasCredit(scene, member, claim.author) ? 'news' : 'discredited'
}
