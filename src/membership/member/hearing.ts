// Claims that came by gossip: look cheaply whether they are news, only then check the signature.
//
// Most claims that arrive are known or old, and are dropped after a look into a table: checking each signature would cost
// a tenth of a millisecond. What is news is checked once; verdicts are remembered by digest, good and bad. An honest
// member passes on nothing that it has not checked, so the one who brings a claim that does not hold has made it up, or
// passes on blindly: after a few, nothing more is heard from it for a while.

import { type NodeId, sameBytes, take } from '../../core/index.ts'
import type { PublicKey } from '../../crypto/index.ts'
import { type Claim, claimDigest, signerOf, verifyClaim } from '../claims.ts'
import { accept } from './believing.ts'
import { type Judgement, judge } from './judging.ts'
import { blame, isMuted, spendOn } from './peers.ts'
import { type MemberScene, sameBoot, VERDICTS_MAX } from './state.ts'
import { UPDATES } from './views.ts'

export function hearClaims(scene: MemberScene, from: NodeId, claims: readonly Claim[]): void {
  let outdated: Claim | undefined
  for (const claim of claims) {
    if (hear(scene, from, claim) === 'old' && (claim.kind === 'suspect' || claim.kind === 'failed')) outdated ??= claim
  }
  if (outdated !== undefined) correct(scene, from, outdated.member)
}

// Gossip of a refutation may have missed just the one who still suspects: it is told at once, by the first that it asks.
function correct(scene: MemberScene, to: NodeId, member: NodeId): void {
  const known = scene.state.members.get(member)
  if (known === undefined || known.status !== 'alive' || !spendOn(scene, to, 1)) return
  scene.turn.do({ kind: 'send', to, body: { kind: 'gossip', claims: [known.alive] } })
}

function hear(scene: MemberScene, from: NodeId, claim: Claim): Judgement {
  const { state } = scene
  if (isMuted(scene, from)) {
    state.refusals.muted++
    return 'known'
  }
  const judged = judge(scene, claim)
  if (judged === 'news') examine(scene, from, claim)
  else if (judged !== 'known') state.refusals[judged]++
  return judged
}

/** It is news, if it is true. */
function examine(scene: MemberScene, from: NodeId, claim: Claim): void {
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
    // A member that passes on what one with two keys signed knows the other key.
    if (signerOf(claim) === from || !isTwoFaced(scene, signerOf(claim))) blame(scene, from)
    return
  }
  if (!mayUpdate(scene, claim)) return
  accept(scene, claim, key)
}

function isTwoFaced({ state }: MemberScene, id: NodeId): boolean {
  const member = state.members.get(id)
  return member?.twoFacedIn !== undefined && sameBoot(member, member.twoFacedIn)
}

function keyFor({ state, settings }: MemberScene, claim: Claim): PublicKey | undefined {
  if (claim.kind !== 'alive') return state.members.get(signerOf(claim))?.key
  const known = state.members.get(claim.member)
  if (known !== undefined && sameBytes(known.alive.identity, claim.identity)) return known.key
  return settings.admits(claim.member, claim.identity)
}

function holds({ state, settings }: MemberScene, key: PublicKey, claim: Claim): boolean {
  const digest = claimDigest(claim)
  const remembered = state.verdicts.get(digest)
  if (remembered !== undefined) return remembered
  const verdict = verifyClaim(settings.group, settings.signatures, key, claim)
  if (state.verdicts.size >= VERDICTS_MAX) state.verdicts.delete(state.verdicts.keys().next().value!)
  state.verdicts.set(digest, verdict)
  return verdict
}

// A member that changes what it says without end makes the whole group talk: each of the others slows it.
function mayUpdate({ state, turn }: MemberScene, claim: Claim): boolean {
  if (claim.kind !== 'alive' && claim.kind !== 'attributes' && claim.kind !== 'event') return true
  const member = state.members.get(claim.member)
  if (member === undefined || claim.member === state.self || take(member.updates, UPDATES, turn.now, 1)) return true
  state.refusals.slowed++
  return false
}
