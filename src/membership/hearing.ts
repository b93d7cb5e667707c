// What to make of a claim, whoever brings it: look cheaply whether it is news, only then check the signature.
//
// Most claims that arrive are known or old, and are dropped after a look into a table: checking each signature would cost
// a tenth of a millisecond. What is news is checked once; verdicts are remembered by digest, good and bad. An honest
// member passes on nothing that it has not checked, so whoever brings a claim that does not hold has made it up, or passes
// on blindly: after a few, nothing more is heard from it for a while.

import { type NodeId, take } from '../core/index.ts'
import type { PublicKey } from '../crypto/index.ts'
import { clearAccusations, discredit, hasCredit, takeAccusation } from './accusing.ts'
import {
  type Accusation,
  type AliveClaim,
  type AttributesClaim,
  type Claim,
  claimDigest,
  type EventClaim,
  type LeaveClaim,
  type MeasuredClaim,
  signerOf,
  verifyClaim,
} from './claims.ts'
import { bootOf } from './incarnation.ts'
import { refute, surpass } from './own.ts'
import { blame, spendOn } from './peers.ts'
import { isHere, type Member, type Refusals, type Scene } from './state.ts'
import {
  addOther,
  makeRoom,
  newMember,
  remember,
  sameBoot,
  setStatus,
  spread,
  tell,
  UPDATES,
  watchingDistance,
} from './views.ts'
import { keepMeasure, mayMeasure } from './vouching.ts'
import { isFresh, marked } from './window.ts'

/** Verdicts remembered: a burst of news in a large group. */
const VERDICTS_MAX = 4_096

type Judgement = 'news' | 'known' | Extract<keyof Refusals, 'old' | 'unknown' | 'stranger' | 'slowed' | 'discredited'>

export function hearAll(scene: Scene, from: NodeId, claims: readonly Claim[]): void {
  let outdated: Claim | undefined
  for (const claim of claims) {
    if (hear(scene, from, claim) === 'old' && (claim.kind === 'suspect' || claim.kind === 'failed')) outdated ??= claim
  }
  if (outdated !== undefined) correct(scene, from, outdated.member)
}

// Gossip of a refutation may have missed just the one who still suspects: it is told at once, by whoever it asks.
function correct(scene: Scene, to: NodeId, member: NodeId): void {
  const known = scene.state.members.get(member)
  if (known === undefined || known.status !== 'alive' || !spendOn(scene, to, 1)) return
  scene.turn.do({ kind: 'send', to, body: { kind: 'gossip', claims: [known.alive] } })
}

function hear(scene: Scene, from: NodeId, claim: Claim): Judgement {
  const { state, turn } = scene
  const peer = state.peers.get(from)
  if (peer !== undefined && turn.now < peer.mutedUntil) {
    state.refusals.muted++
    return 'known'
  }
  const judged = judge(scene, claim)
  if (judged === 'news') examine(scene, from, claim)
  else if (judged !== 'known') state.refusals[judged]++
  return judged
}

/** It is news, if it is true. */
function examine(scene: Scene, from: NodeId, claim: Claim): void {
  const { state } = scene
  // A signature costs as much as a hundred messages without one: the bringer pays for it.
  if (!spendOn(scene, from, 1)) return
  const key = keyFor(scene, claim)
  if (key === undefined) {
    state.refusals.stranger++
    return
  }
  if (!scene.settings.rules.genuine(claim, holds(scene, key, claim))) {
    state.refusals.forged++
    return blame(scene, from)
  }
  if (!mayUpdate(scene, claim)) return
  accept(scene, claim, key)
}

function judge(scene: Scene, claim: Claim): Judgement {
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
      return isFresh(member.events, claim.boot, claim.number) ? 'news' : 'known'
  }
}

function judgeAlive({ state, settings }: Scene, claim: AliveClaim, member: Member | undefined): Judgement {
  if (claim.member === state.self) {
    // Of its own life a member believes only what it said itself: later than now it can only be from a life forgotten.
    return claim.incarnation > state.incarnation ? 'news' : 'known'
  }
  if (member === undefined) return 'news'
  const known = Math.max(member.alive.incarnation, member.leave?.incarnation ?? 0)
  if (settings.rules.isNewer(known, claim.incarnation)) {
    // One life, one key: otherwise its later claims would hold for some members and look forged to others.
    const renamed = sameBoot(member, bootOf(claim.incarnation)) && !sameBytes(claim.identity, member.alive.identity)
    return renamed ? 'stranger' : 'news'
  }
  if (claim.incarnation < member.alive.incarnation) return 'old'
  // The same number and other words: a member with two faces. The smaller digest stays, so that all views become one.
  return claim.incarnation === member.alive.incarnation && claimDigest(claim) < member.digest ? 'news' : 'known'
}

function judgeAccusation(scene: Scene, claim: Accusation, member: Member | undefined): Judgement {
  const { state, settings } = scene
  const author = state.members.get(claim.author)
  if (member === undefined || author === undefined || claim.author === state.self) return 'unknown'
  if (claim.author === claim.member) return 'stranger'
  const now = member.alive.incarnation
  if (claim.incarnation !== now) return claim.incarnation < now ? 'old' : 'unknown'
  if (!sameBoot(author, claim.boot)) return 'old'
  if (member.status === 'left') return 'known'
  // Said of oneself, it is answered whoever says it: after a partition both sides hold accusations by those whom the other
  // side believes dead, and if nobody answered those, nobody would ever be alive again.
  if (claim.member === state.self) return state.leaving ? 'known' : 'news'
  if (!isHere(author)) return 'unknown'
  if (claim.kind === 'failed' && !member.notices.has(claim.author) && member.notices.size < settings.certifyAt) {
    return hasCredit(scene, member, claim.author) || member.status === 'failed' ? 'news' : 'discredited'
  }
  if (member.status === 'failed' || member.accusers.has(claim.author)) return 'known'
  return hasCredit(scene, member, claim.author) ? 'news' : 'discredited'
}

function keyFor({ state, settings }: Scene, claim: Claim): PublicKey | undefined {
  if (claim.kind !== 'alive') return state.members.get(signerOf(claim))?.key
  const known = state.members.get(claim.member)
  if (known !== undefined && sameBytes(known.alive.identity, claim.identity)) return known.key
  return settings.admits(claim.member, claim.identity)
}

function holds({ state, settings }: Scene, key: PublicKey, claim: Claim): boolean {
  const digest = claimDigest(claim)
  const remembered = state.verdicts.get(digest)
  if (remembered !== undefined) return remembered
  const verdict = verifyClaim(settings.group, settings.signatures, key, claim)
  if (state.verdicts.size >= VERDICTS_MAX) state.verdicts.delete(state.verdicts.keys().next().value!)
  state.verdicts.set(digest, verdict)
  return verdict
}

// A member that changes its words without end makes the whole group talk: it is slowed, at each of the others.
function mayUpdate({ state, turn }: Scene, claim: Claim): boolean {
  if (claim.kind !== 'alive' && claim.kind !== 'attributes' && claim.kind !== 'event') return true
  const member = state.members.get(claim.member)
  if (member === undefined || claim.member === state.self || take(member.updates, UPDATES, turn.now, 1)) return true
  state.refusals.slowed++
  return false
}

function accept(scene: Scene, claim: Claim, key: PublicKey): void {
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

function acceptAlive(scene: Scene, claim: AliveClaim, member: Member | undefined, key: PublicKey): void {
  const { state, turn } = scene
  if (claim.member === state.self) return state.leaving ? undefined : surpass(scene, claim)
  if (member === undefined) {
    if (!makeRoom(scene)) return
    const joined = newMember(scene, claim, claimDigest(claim), key, 'alive')
    remember(scene, joined)
    addOther(scene, claim.member)
    spread(scene, claim)
    return tell(scene, 'joined', joined)
  }
  if (claim.incarnation === member.alive.incarnation) {
    turn.do({ kind: 'emit', event: { kind: 'misbehaved', member: member.id, how: 'two-faced' } })
  }
  const sameLife = sameBoot(member, bootOf(claim.incarnation))
  const was = member.status
  clearAccusations(scene, member, sameLife)
  member.alive = claim
  member.digest = claimDigest(claim)
  member.key = key
  member.leave = undefined
  if (!sameLife) {
    member.attributes = undefined
    member.measures.clear()
    member.roundTrips = []
  }
  spread(scene, claim)
  if (was !== 'alive') setStatus(scene, member, 'alive')
  tell(scene, was === 'alive' ? 'updated' : was === 'suspect' ? 'cleared' : 'joined', member)
}

// Always, whoever says it: somebody else may believe it.
function answer(scene: Scene, claim: Accusation, own: Member): void {
  discredit(scene, own, claim.author)
  refute(scene)
}

function acceptAttributes(scene: Scene, claim: AttributesClaim, member: Member): void {
  member.attributes = claim
  spread(scene, claim)
  tell(scene, 'updated', member)
}

function acceptLeave(scene: Scene, claim: LeaveClaim, member: Member): void {
  clearAccusations(scene, member, false)
  member.leave = claim
  setStatus(scene, member, 'left')
  spread(scene, claim)
  tell(scene, 'left', member)
}

function acceptMeasure(scene: Scene, claim: MeasuredClaim, member: Member): void {
  watchingDistance(scene, member, () => keepMeasure(scene, member, claim))
  spread(scene, claim)
}

function acceptEvent(scene: Scene, claim: EventClaim, member: Member): void {
  member.events = marked(member.events, claim.boot, claim.number)
  spread(scene, claim)
  const { member: author, topic, payload } = claim
  scene.turn.do({ kind: 'emit', event: { kind: 'heard', author, topic, payload } })
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let place = 0; place < a.length; place++) if (a[place] !== b[place]) return false
  return true
}
