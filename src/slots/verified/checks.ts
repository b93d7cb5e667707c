// The verified secure OR (PROTOCOLS A 7): is anybody still holding? Each member posts a ballot that hides one bit, with a
// proof that it knows what is in it; with all ballots there, each posts its part of opening their sum. The sum opens to
// the identity exactly if nobody holds, and anybody can check that. On a beat, which grows while nothing changes.
//
// Normally one ballot speaks for the whole round. With concurrent rounds there is one for each live slot.

import { encode } from '../../core/index.ts'
import { castVote, drawVote, proveRepresentation, representationProofCodec } from '../../crypto/index.ts'
import { accuse, agreement } from './accusing.ts'
import { votesHash } from './evidence.ts'
import { ballotContext, checkBallot, checkOpening, isFree, makeOpening, sameBytes } from './proofs.ts'
import { saidBy, saidByAll, sayStep, send } from './saying.ts'
import type { Epoch, MemberState, Round, SlotsTurn, Surroundings } from './state.ts'
import type { Ballot, Opening, Vote } from './wire.ts'

/** What each ballot of a check is about: all slots at once, or one each. */
function subjects(epoch: Epoch, round: Round): readonly (readonly number[])[] {
  return epoch.record.concurrent ? round.live.map(slot => [slot]) : [round.live]
}

export function advanceChecks(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch } = state
  if (saidBy(round, 'vote', epoch.position, round.check) === undefined) {
    if (turn.now < round.checkAt) return
    castOurs(around, state, round, turn)
  }
  const votes = goodVotes(around, state, round, turn)
  if (votes === undefined) return
  const hash = votesHash(votes)
  if (saidBy(round, 'opening', epoch.position, round.check) === undefined) openOurs(around, state, round, votes, turn)
  const openings = goodOpenings(around, state, round, votes, hash, turn)
  if (openings !== undefined) conclude(around, state, round, votes, openings, turn)
}

function castOurs(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch, seat } = state
  const held = seat !== undefined && seat.epoch === epoch.record.number && seat.round === round.number
  const ballots = subjects(epoch, round).map((slots, subject) =>
    ballot(around, state, round, subject, held && slots.includes(seat.slot), turn),
  )
  sayStep<Vote>(around, state, round, { kind: 'vote', round: round.number, check: round.check, ballots }, turn)
}

function ballot(
  { group }: Surroundings,
  { self, epoch }: MemberState,
  round: Round,
  subject: number,
  holds: boolean,
  turn: SlotsTurn,
): Ballot {
  const random = (length: number) => turn.bytes(length)
  const secret = drawVote(group, holds, random)
  const statement = castVote(group, epoch.groupKey, secret)
  const context = ballotContext(epoch.hash, round.number, round.check, subject, self)
  const proof = proveRepresentation(group, statement, secret, context, random)
  return { a: statement.a, b: statement.b, proof: encode(representationProofCodec(group), proof) }
}

/** Whether what a member posted to this check can be counted; a ballot that is not proven is evidence. */
function isGoodVote(around: Surroundings, state: MemberState, round: Round, author: number, turn: SlotsTurn): boolean {
  if (round.goodVotes.has(author)) return true
  const { epoch } = state
  const vote = saidBy(round, 'vote', author, round.check)
  if (vote === undefined || vote.ballots.length !== subjects(epoch, round).length) return false
  const needed = around.rules.needsKnowledge()
  const bad = vote.ballots.findIndex((_, subject) => !checkBallot(around.group, epoch.groupKey, vote, subject, needed))
  if (bad >= 0) {
    accuse(around, state, { kind: 'ballot', statement: vote, subject: bad, ...agreement(state, author) }, turn)
    return false
  }
  round.goodVotes.add(author)
  return true
}

function goodVotes(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): Vote[] | undefined {
  const { members } = state.epoch.record
  const good = members.filter((_member, author) => isGoodVote(around, state, round, author, turn))
  return good.length === members.length ? saidByAll(state.epoch, round, 'vote', round.check) : undefined
}

function openOurs(
  around: Surroundings,
  state: MemberState,
  round: Round,
  votes: readonly Vote[],
  turn: SlotsTurn,
): void {
  const { epoch } = state
  const keys = { secret: epoch.secret!, publicKey: epoch.keys[epoch.position]!.publicKey }
  const where = { epoch: epoch.hash, round: round.number, check: round.check, author: state.self }
  const parts = makeOpening(around.group, keys, votes, where, length => turn.bytes(length))
  const words = { round: round.number, check: round.check, votes: votesHash(votes), parts }
  sayStep<Opening>(around, state, round, { kind: 'opening', ...words }, turn)
}

function goodOpenings(
  around: Surroundings,
  state: MemberState,
  round: Round,
  votes: readonly Vote[],
  hash: Uint8Array,
  turn: SlotsTurn,
): Opening[] | undefined {
  const { epoch } = state
  for (const [author, key] of epoch.keys.entries()) {
    const opening = saidBy(round, 'opening', author, round.check)
    if (opening === undefined || round.goodOpenings.has(author) || !sameBytes(opening.votes, hash)) continue
    if (checkOpening(around.group, key.publicKey, votes, opening)) round.goodOpenings.add(author)
    else accuse(around, state, { kind: 'opening', statement: opening, votes, ...agreement(state, author) }, turn)
  }
  const all = round.goodOpenings.size === epoch.record.members.length
  return all ? saidByAll(epoch, round, 'opening', round.check) : undefined
}

/** The result is public: what is free is closed, and the rest is looked at again after a pause. */
function conclude(
  around: Surroundings,
  { epoch }: MemberState,
  round: Round,
  votes: readonly Vote[],
  openings: readonly Opening[],
  turn: SlotsTurn,
): void {
  const free = subjects(epoch, round)
    .filter((_slots, subject) => isFree(around.group, votes, openings, subject))
    .flat()
  for (const slot of free) {
    const use = epoch.uses[slot]!
    if (use.round === round.number) use.closed = true
  }
  round.live = round.live.filter(slot => !free.includes(slot))
  round.check++
  round.goodVotes.clear()
  round.goodOpenings.clear()
  round.pause = free.length > 0 ? around.settings.beat : Math.min(2 * round.pause, around.settings.checkMax)
  round.checkAt = turn.now + round.pause
  if (round.live.length === 0) round.phase = 'over'
}

/** Somebody opened the sum of other ballots than ours: show ours, and whoever cast two is found out. */
export function compareVotes(
  around: Surroundings,
  state: MemberState,
  round: Round,
  opening: Opening,
  turn: SlotsTurn,
): void {
  if (opening.check !== round.check) return
  const votes = saidByAll(state.epoch, round, 'vote', round.check)
  if (votes === undefined || sameBytes(votesHash(votes), opening.votes)) return
  for (const vote of votes) send(around, state, opening.author, vote, turn)
}
