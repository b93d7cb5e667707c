// What the statements of a round claim, and whether it is so: pure functions over a statement and what it builds on.
// The machine and third parties that check evidence use the same ones.

import { sha256 } from '@noble/hashes/sha2.js'
import { type Codec, decode, encode } from '../../core/index.ts'
import {
  type Ciphertext,
  checkEqualLogarithms,
  checkPossession,
  checkRepresentation,
  checkShuffle,
  type Element,
  equalLogarithmsProofCodec,
  type Part as Framed,
  framed,
  type Group,
  groupKey,
  openCiphertext,
  type ProvenPass,
  possessionProofCodec,
  proveEqualLogarithms,
  type RandomBytes,
  representationProofCodec,
  type Scalar,
  shuffleProofCodec,
} from '../../crypto/index.ts'
import type { EpochRecord } from './record.ts'
import type { Ballot, Key, Opening, Part, Pass, Share, Vote } from './wire.ts'

const TICKET_DOMAIN = 'coterie slots ticket'

function decoded<T>(codec: Codec<T>, bytes: Uint8Array): T | undefined {
  const result = decode(codec, bytes)
  return result.ok ? result.value : undefined
}

export function digest(...parts: readonly Framed[]): Uint8Array {
  return sha256(framed(...parts))
}

export function keyContext(epoch: Uint8Array, author: string): Uint8Array {
  return framed('key', epoch, author)
}

export function checkKey(group: Group, key: Key, needsProof = true): boolean {
  if (group.decode(key.publicKey) === undefined) return false
  if (!needsProof) return true
  const proof = decoded(possessionProofCodec(group), key.proof)
  return proof !== undefined && checkPossession(group, key.publicKey, keyContext(key.epoch, key.author), proof)
}

export function sumOfKeys(group: Group, keys: readonly Key[]): Element {
  return groupKey(
    group,
    keys.map(key => key.publicKey),
  )
}

/** U_k: what ticket k decrypts to. The first ones mean the slots of the round, the others nothing. */
export function ticketElement(group: Group, epoch: Uint8Array, round: number, ticket: number): Element {
  return group.hashToElement(TICKET_DOMAIN, framed(epoch, round, ticket))
}

/** Public, and never sent: so nobody has to prove that the tickets are the agreed ones. */
export function startList(group: Group, epoch: Uint8Array, round: number, count: number): readonly Ciphertext[] {
  return Array.from({ length: count }, (_, ticket) => openCiphertext(group, ticketElement(group, epoch, round, ticket)))
}

export function passContext(epoch: Uint8Array, round: number, place: number): Uint8Array {
  return framed('pass', epoch, round, place)
}

/** What goes on after a pass: all of it, without what the leader took. */
export function passedOn(pass: Pass): readonly Ciphertext[] {
  return pass.taken === undefined ? pass.list : pass.list.filter((_ticket, place) => place !== pass.taken)
}

/** How many tickets the list of a pass has. */
export function listLength(record: EpochRecord, place: number): number {
  return record.members.length - (record.rotating && place > 0 ? 1 : 0)
}

/** What a pass is checked against: the epoch, the key of all members, and the pass before it. */
export interface PassBasis {
  readonly record: EpochRecord
  readonly key: Element
  readonly before: Pass | undefined
}

/** The claim of a pass, or nothing if it has not even the form of one. */
export function passClaim(group: Group, { record, key, before }: PassBasis, pass: Pass): ProvenPass | undefined {
  const count = listLength(record, pass.place)
  const input = before === undefined ? startList(group, pass.epoch, pass.round, count) : passedOn(before)
  const takes = record.rotating && pass.place === 0
  if (pass.list.length !== count || input.length !== count) return undefined
  if (takes !== (pass.taken !== undefined) || (pass.taken ?? 0) >= count) return undefined
  const proof = decoded(shuffleProofCodec(group, count), pass.proof)
  if (proof === undefined) return undefined
  return { key, input, output: pass.list, context: passContext(pass.epoch, pass.round, pass.place), proof }
}

export function checkPass(group: Group, basis: PassBasis, pass: Pass, random: RandomBytes): boolean {
  const claim = passClaim(group, basis, pass)
  return claim !== undefined && checkShuffle(group, claim, random)
}

/** Who passes in which place: the ring, from the round's leader on. */
export function passerAt(record: EpochRecord, round: number, place: number): number {
  return (leaderOf(record, round) + place) % record.members.length
}

export function leaderOf(record: EpochRecord, round: number): number {
  return round % record.members.length
}

/** Where the ticket of this owner stands: after which pass, and at which place in its list. */
export function ticketPlace(
  record: EpochRecord,
  round: number,
  owner: number,
): { pass: number; place: number } | 'taken' {
  const last = record.members.length - 1
  if (!record.rotating) return { pass: last, place: owner }
  const leader = leaderOf(record, round)
  if (owner === leader) return 'taken'
  return { pass: last, place: owner < leader ? owner : owner - 1 }
}

/** Tickets are dealt by position after the lap: nobody chooses. Only the leader, if rotating, took its own before. */
export function dealtTicket(
  record: EpochRecord,
  round: number,
  first: Pass,
  last: Pass,
  owner: number,
): Ciphertext | undefined {
  const where = ticketPlace(record, round, owner)
  return where === 'taken' ? first.list[first.taken ?? -1] : last.list[where.place]
}

export function lapHash(passes: readonly Uint8Array[]): Uint8Array {
  return digest('lap', ...passes)
}

function shareContext(epoch: Uint8Array, round: number, author: string, owner: number): Uint8Array {
  return framed('share', epoch, round, author, owner)
}

interface KeyHolder {
  readonly secret: Scalar
  readonly publicKey: Element
}

function provenPart(group: Group, keys: KeyHolder, base: Element, context: Uint8Array, random: RandomBytes): Part {
  const value = group.multiply(base, keys.secret)
  const statement = { publicKey: keys.publicKey, base, share: value }
  const proof = proveEqualLogarithms(group, statement, keys.secret, context, random)
  return { value, proof: encode(equalLogarithmsProofCodec(group), proof) }
}

function checkPart(group: Group, publicKey: Element, base: Element, context: Uint8Array, part: Part): boolean {
  const proof = decoded(equalLogarithmsProofCodec(group), part.proof)
  return proof !== undefined && checkEqualLogarithms(group, { publicKey, base, share: part.value }, context, proof)
}

export function makeShare(
  group: Group,
  keys: KeyHolder,
  point: Element,
  where: { epoch: Uint8Array; round: number; author: string; owner: number },
  random: RandomBytes,
): Part {
  return provenPart(group, keys, point, shareContext(where.epoch, where.round, where.author, where.owner), random)
}

export function checkShare(group: Group, publicKey: Element, point: Element, share: Share): boolean {
  return checkPart(group, publicKey, point, shareContext(share.epoch, share.round, share.author, share.owner), share)
}

export function ballotContext(
  epoch: Uint8Array,
  round: number,
  check: number,
  subject: number,
  author: string,
): Uint8Array {
  return framed('ballot', epoch, round, check, subject, author)
}

export function checkBallot(group: Group, key: Element, vote: Vote, subject: number, needsProof = true): boolean {
  const { a, b, proof } = vote.ballots[subject]!
  if (group.decode(a) === undefined || group.decode(b) === undefined) return false
  if (!needsProof) return true
  const known = decoded(representationProofCodec(group), proof)
  const context = ballotContext(vote.epoch, vote.round, vote.check, subject, vote.author)
  return known !== undefined && checkRepresentation(group, { key, a, b }, context, known)
}

/** The sum of everybody's ballots on one subject. */
export function tally(group: Group, ballots: readonly Ballot[]): { readonly a: Element; readonly b: Element } {
  const sum = (half: 'a' | 'b') => ballots.reduce((total, ballot) => group.add(total, ballot[half]), group.identity)
  return { a: sum('a'), b: sum('b') }
}

function openingContext(epoch: Uint8Array, round: number, check: number, subject: number, author: string): Uint8Array {
  return framed('opening', epoch, round, check, subject, author)
}

export function makeOpening(
  group: Group,
  keys: KeyHolder,
  votes: readonly Vote[],
  where: { epoch: Uint8Array; round: number; check: number; author: string },
  random: RandomBytes,
): Part[] {
  return votes[0]!.ballots.map((_ballot, subject) => {
    const { a } = tally(
      group,
      votes.map(vote => vote.ballots[subject]!),
    )
    const context = openingContext(where.epoch, where.round, where.check, subject, where.author)
    return provenPart(group, keys, a, context, random)
  })
}

export function checkOpening(group: Group, publicKey: Element, votes: readonly Vote[], opening: Opening): boolean {
  const subjects = votes[0]!.ballots.length
  if (opening.parts.length !== subjects) return false
  return opening.parts.every((part, subject) => {
    const { a } = tally(
      group,
      votes.map(vote => vote.ballots[subject]!),
    )
    const context = openingContext(opening.epoch, opening.round, opening.check, subject, opening.author)
    return checkPart(group, publicKey, a, context, part)
  })
}

/** Whether nobody holds: the sum of the ballots opens to the identity. */
export function isFree(group: Group, votes: readonly Vote[], openings: readonly Opening[], subject: number): boolean {
  const { b } = tally(
    group,
    votes.map(vote => vote.ballots[subject]!),
  )
  const opened = groupKey(
    group,
    openings.map(opening => opening.parts[subject]!.value),
  )
  return group.equal(b, opened)
}
