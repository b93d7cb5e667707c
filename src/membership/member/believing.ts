// What changes when a claim is news and its signature holds.

import { admit, type PublicKey } from '../../crypto/index.ts'
import {
  type Accusation,
  type AliveClaim,
  type AttributesClaim,
  type Claim,
  claimDigest,
  type EventClaim,
  type LeaveClaim,
  type MeasuredClaim,
} from '../claims.ts'
import { bootOf } from '../incarnation.ts'
import { clearAccusations, discredit, takeAccusation } from './accusing.ts'
import { refute, surpass } from './announcing.ts'
import { EVENTS_WINDOW, isOtherFace, isTaken } from './judging.ts'
import { keepMeasure } from './measuring.ts'
import { type Member, type MemberScene, sameBoot } from './state.ts'
import { addOther, makeRoom, newMember, remember, setStatus, spread, tell, watchingDistance } from './views.ts'

export function accept(scene: MemberScene, claim: Claim, key: PublicKey): void {
  const member = scene.state.members.get(claim.member)
  if (claim.kind === 'alive') return acceptAlive(scene, claim, member, key)
  if (member === undefined) return
  switch (claim.kind) {
    case 'attributes':
      return acceptAttributes(scene, claim, member)
    case 'leave':
      return acceptLeave(scene, claim, member)
    case 'suspect':
    case 'failed':
      return claim.member === scene.state.self ? answer(scene, claim, member) : takeAccusation(scene, member, claim)
    case 'measured':
      return acceptMeasure(scene, claim, member)
    case 'event':
      return acceptEvent(scene, claim, member)
  }
}

function acceptAlive(scene: MemberScene, claim: AliveClaim, member: Member | undefined, key: PublicKey): void {
  const { state, turn, settings } = scene
  if (claim.member === state.self) return state.leaving ? undefined : surpass(scene, claim)
  if (member === undefined) {
    if (!makeRoom(scene)) return
    const joined = newMember(scene, claim, claimDigest(claim), key, 'alive')
    remember(scene, joined)
    addOther(scene, claim.member)
    spread(scene, claim)
    return tell(scene, 'joined', joined)
  }
  const isOther = isOtherFace(member, claim)
  if (isOther || claim.incarnation === member.alive.incarnation) {
    member.twoFacedIn = bootOf(claim.incarnation)
    turn.do({ kind: 'emit', event: { kind: 'misbehaved', member: member.id, how: 'two-faced' } })
    if (isOther ? !isTaken(settings.rules, member, claim) : claimDigest(claim) > member.digest) return
  }
  const sameLife = sameBoot(member, bootOf(claim.incarnation))
  const was = member.status
  clearAccusations(scene, member, sameLife)
  member.alive = claim
  member.digest = claimDigest(claim)
  member.key = key
  member.leave = undefined
  // What was said under the other face is signed with another key.
  if (!sameLife || isOther) member.attributes = undefined
  if (!sameLife) {
    member.measures.clear()
    member.roundTrips = []
  }
  spread(scene, claim)
  if (was !== 'alive') setStatus(scene, member, 'alive')
  tell(scene, was === 'alive' ? 'updated' : was === 'suspect' ? 'cleared' : 'joined', member)
}

// Always, no matter who accuses: somebody else may believe it.
function answer(scene: MemberScene, claim: Accusation, own: Member): void {
  discredit(scene, own, claim.author)
  refute(scene)
}

function acceptAttributes(scene: MemberScene, claim: AttributesClaim, member: Member): void {
  member.attributes = claim
  spread(scene, claim)
  tell(scene, 'updated', member)
}

function acceptLeave(scene: MemberScene, claim: LeaveClaim, member: Member): void {
  clearAccusations(scene, member, false)
  member.leave = claim
  setStatus(scene, member, 'left')
  spread(scene, claim)
  tell(scene, 'left', member)
}

function acceptMeasure(scene: MemberScene, claim: MeasuredClaim, member: Member): void {
  watchingDistance(scene, member, () => keepMeasure(scene, member, claim))
  spread(scene, claim)
}

function acceptEvent(scene: MemberScene, claim: EventClaim, member: Member): void {
  const admission = admit(member.events, claim.boot, claim.number, EVENTS_WINDOW)
  if (!admission.fresh) return
  member.events = admission.window
  spread(scene, claim)
  const { member: author, topic, payload } = claim
  scene.turn.do({ kind: 'emit', event: { kind: 'heard', author, topic, payload } })
}
