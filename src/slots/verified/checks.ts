// The verified secure OR (protocols/slots 7): is anybody still holding? Each member posts a ballot that hides one bit, with a
// proof that it knows what is in it; with all ballots there, each posts its part of opening their sum. The sum opens to
// the identity exactly if nobody holds, and anybody can check that. On a beat, which grows while nothing changes.
//
// Normally one ballot speaks for the whole round. With concurrent rounds there is one for each live slot.

import { encode, sameBytes } from '../../core/index.ts'
import { castVote, drawVote, proveRepresentation, representationProofCodec } from '../../crypto/index.ts'
import { accuse, agreement } from './accusing.ts'
import { votesHash } from './evidence.ts'
import { forgetWaits } from './lateness.ts'
import { ballotContext, checkBallot, checkOpening, isFree, makeOpening } from './proofs.ts'
import { answer, saidBy, saidByAll, sayStep, stepName } from './saying.ts'
import type { Epoch, Round, SlotsScene } from './state.ts'
import type { Ballot, Opening, Vote } from './wire.ts'

/** What each ballot of a check is about: all slots at once, or one each. */
function subjects(epoch: Epoch, round: Round): readonly (readonly number[])[] {
  return epoch.record.concurrent ? round.live.map(slot => [slot]) : [round.live]
}

/**
 * Checks before ours whose words are kept. A member that is behind is behind by one, for no check ends without its part; the
 * others are kept as evidence against one that says something else later.
 */
export const CHECKS_BEHIND_MAX = 16

/** The oldest check whose words are kept. */
export function oldestCheck(round: Round): number {
  return round.check - CHECKS_BEHIND_MAX
}

/** A slot may be held for a day, and looked at all the time: old ballots would fill the memory. */
function forgetChecks(epoch: Epoch, round: Round): void {
  const check = oldestCheck(round) - 1
  for (const author of epoch.record.members.keys()) {
    for (const kind of ['vote', 'opening']) round.said.delete(stepName(kind, author, check))
  }
}

/** Whether a check of this round can have so many ballots, or parts: at most one for each of its slots, once these are known. */
export function fits({ slots }: Round, items: readonly unknown[]): boolean {
  return slots.length === 0 || items.length <= slots.length
}

/** The header is known: what was said before it and cannot be of this round is not kept. */
export function forgetUnfit(round: Round): void {
  for (const [name, said] of round.said) {
    if (said.kind === 'vote' && !fits(round, said.ballots)) round.said.delete(name)
    if (said.kind === 'opening' && !fits(round, said.parts)) round.said.delete(name)
  }
}

/** Nothing is looked at any more: what was said ahead is forgotten. The rest stays for those who are behind. */
export function endRound(round: Round): void {
  round.phase = 'over'
  for (const [name, said] of round.said) {
    if ((said.kind === 'vote' || said.kind === 'opening') && said.check > round.check) round.said.delete(name)
  }
}

export function advanceChecks(scene: SlotsScene, round: Round): void {
  const { epoch } = scene.state
  if (saidBy(round, 'vote', epoch.position, round.check) === undefined) {
    if (scene.turn.now < round.checkAt) return
    castOurs(scene, round)
  }
  const votes = goodVotes(scene, round)
  if (votes === undefined) return
  const hash = votesHash(votes)
  if (saidBy(round, 'opening', epoch.position, round.check) === undefined) openOurs(scene, round, votes)
  const openings = goodOpenings(scene, round, votes, hash)
  if (openings !== undefined) conclude(scene, round, votes, openings)
}

function castOurs(scene: SlotsScene, round: Round): void {
  const { epoch, seat } = scene.state
  const held = seat !== undefined && seat.epoch === epoch.record.number && seat.round === round.number
  const ballots = subjects(epoch, round).map((slots, subject) =>
    ballot(scene, round, subject, held && slots.includes(seat.slot)),
  )
  sayStep<Vote>(scene, round, { kind: 'vote', round: round.number, check: round.check, ballots })
}

function ballot(scene: SlotsScene, round: Round, subject: number, holds: boolean): Ballot {
  const { group, turn } = scene
  const { self, epoch } = scene.state
  const random = (length: number) => turn.bytes(length)
  const secret = drawVote(group, holds, random)
  const statement = castVote(group, epoch.groupKey, secret)
  const context = ballotContext(epoch.hash, round.number, round.check, subject, self)
  const proof = proveRepresentation(group, statement, secret, context, random)
  return { a: statement.a, b: statement.b, proof: encode(representationProofCodec(group), proof) }
}

/** Whether what a member posted to this check can be counted; a ballot that is not proven is evidence. */
function isGoodVote(scene: SlotsScene, round: Round, author: number): boolean {
  const { state } = scene
  if (round.goodVotes.has(author)) return true
  const { epoch } = state
  const vote = saidBy(round, 'vote', author, round.check)
  if (vote === undefined || vote.ballots.length !== subjects(epoch, round).length) return false
  const needed = scene.rules.needsKnowledge()
  const bad = vote.ballots.findIndex((_, subject) => !checkBallot(scene.group, epoch.groupKey, vote, subject, needed))
  if (bad >= 0) {
    accuse(scene, { kind: 'ballot', statement: vote, subject: bad, ...agreement(state, author) })
    return false
  }
  round.goodVotes.add(author)
  return true
}

function goodVotes(scene: SlotsScene, round: Round): Vote[] | undefined {
  const { state } = scene
  const { members } = state.epoch.record
  const good = members.filter((_member, author) => isGoodVote(scene, round, author))
  return good.length === members.length ? saidByAll(state.epoch, round, 'vote', round.check) : undefined
}

function openOurs(scene: SlotsScene, round: Round, votes: readonly Vote[]): void {
  const { state, turn } = scene
  const { epoch } = state
  const keys = { secret: epoch.secret!, publicKey: epoch.keys[epoch.position]!.publicKey }
  const where = { epoch: epoch.hash, round: round.number, check: round.check, author: state.self }
  const parts = makeOpening(scene.group, keys, votes, where, length => turn.bytes(length))
  const words = { round: round.number, check: round.check, votes: votesHash(votes), parts }
  sayStep<Opening>(scene, round, { kind: 'opening', ...words })
}

function goodOpenings(
  scene: SlotsScene,
  round: Round,
  votes: readonly Vote[],
  hash: Uint8Array,
): Opening[] | undefined {
  const { state } = scene
  const { epoch } = state
  for (const [author, key] of epoch.keys.entries()) {
    const opening = saidBy(round, 'opening', author, round.check)
    if (opening === undefined || round.goodOpenings.has(author) || !sameBytes(opening.votes, hash)) continue
    if (checkOpening(scene.group, key.publicKey, votes, opening)) round.goodOpenings.add(author)
    else accuse(scene, { kind: 'opening', statement: opening, votes, ...agreement(state, author) })
  }
  const all = round.goodOpenings.size === epoch.record.members.length
  return all ? saidByAll(epoch, round, 'opening', round.check) : undefined
}

/** The result is public: what is free is closed, and the rest is looked at again after a pause. */
function conclude(scene: SlotsScene, round: Round, votes: readonly Vote[], openings: readonly Opening[]): void {
  const { epoch } = scene.state
  const free = subjects(epoch, round)
    .filter((_slots, subject) => isFree(scene.group, votes, openings, subject))
    .flat()
  for (const slot of free) {
    const use = epoch.uses[slot]!
    if (use.round === round.number) use.closed = true
  }
  round.live = round.live.filter(slot => !free.includes(slot))
  round.check++
  forgetChecks(epoch, round)
  round.goodVotes.clear()
  round.goodOpenings.clear()
  forgetWaits(round)
  round.pause = free.length > 0 ? scene.settings.beat : Math.min(2 * round.pause, scene.settings.checkMax)
  round.checkAt = scene.turn.now + round.pause
  if (round.live.length === 0) endRound(round)
}

/** Somebody opened the sum of other ballots than ours: show ours, and a member that cast two is found out. */
export function compareVotes(scene: SlotsScene, round: Round, opening: Opening): void {
  const { state } = scene
  if (opening.check !== round.check) return
  const votes = saidByAll(state.epoch, round, 'vote', round.check)
  if (votes === undefined || sameBytes(votesHash(votes), opening.votes)) return
  for (const vote of votes) answer(scene, opening.author, vote)
}
