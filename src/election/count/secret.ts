// Ballots that stay secret after the count (protocols/election, `secret`): only totals are opened, with proofs.
//
// A ballot holds one ciphertext for each candidate, under the sum of the candidates' keys: the weights 3, 2, 1,
// shuffled into the voter's order, with a proof that it is a shuffle of these and nothing else. Ciphertexts add up: the
// sum of a column holds the candidate's total. Each candidate gives its share of opening each sum, with a proof that it
// was made with its key. So anybody can check the count, and nobody learns a ballot unless all candidates act together.
//
// The keys stand in the electorate with proofs of possession: without, the last to enter could choose the sum of the
// keys.

import { sha256 } from '@noble/hashes/sha2.js'
import { type Codec, decode, encode, list, type NodeId, struct } from '../../core/index.ts'
import {
  type Ciphertext,
  checkEqualLogarithms,
  checkPossession,
  checkShuffle,
  ciphertextCodec,
  combine,
  type Element,
  type EqualLogarithmsProof,
  elementCodec,
  equalLogarithmsProofCodec,
  framed,
  type Group,
  groupKey,
  type KeyPair,
  openCiphertext,
  partialDecryption,
  possessionProofCodec,
  proveEqualLogarithms,
  provePossession,
  proveShuffle,
  type RandomBytes,
  rerandomise,
  type ShuffleProof,
  shuffleProofCodec,
} from '../../crypto/index.ts'
import type { ElectionRules } from '../rules.ts'
import { CANDIDATES_MAX, type Electorate, type OpenBallot, type Poll, type Voter } from '../wire.ts'
import { memberOf } from './electorate.ts'

/** What ballots are encrypted with: the group, and the sum of the candidates' keys. */
export interface BallotKey {
  readonly group: Group
  readonly key: Element
}

interface HiddenBallot {
  /** One for each candidate, in their order. */
  readonly tickets: readonly Ciphertext[]
  readonly proof: ShuffleProof
}

interface Share {
  readonly share: Element
  readonly proof: EqualLogarithmsProof
}

export function hiddenBallotCodec(group: Group): Codec<HiddenBallot> {
  return struct<HiddenBallot>({
    tickets: list(ciphertextCodec(group), CANDIDATES_MAX),
    proof: shuffleProofCodec(group, CANDIDATES_MAX),
  })
}

/** A candidate's shares of all totals. */
export function openingCodec(group: Group): Codec<readonly Share[]> {
  const share = struct<Share>({ share: elementCodec(group), proof: equalLogarithmsProofCodec(group) })
  return list(share, CANDIDATES_MAX)
}

function ownerContext(id: NodeId): Uint8Array {
  return framed('coterie counting key', id)
}

/** What a member's entry in the electorate needs for secret ballots. */
export function countingKey(
  group: Group,
  keys: KeyPair,
  id: NodeId,
  random: RandomBytes,
): Pick<Voter, 'countKey' | 'possession'> {
  const proof = provePossession(group, keys, ownerContext(id), random)
  return { countKey: keys.publicKey, possession: encode(possessionProofCodec(group), proof) }
}

/** Whether a member can stand where ballots are secret: it has a key, and knows its secret. */
export function hasCountingKey(group: Group, voter: Voter, rules: ElectionRules): boolean {
  if (group.decode(voter.countKey) === undefined) return false
  if (!rules.checksPossession()) return true
  const proof = decode(possessionProofCodec(group), voter.possession)
  return proof.ok && checkPossession(group, voter.countKey, ownerContext(voter.id), proof.value)
}

/** The sum of the candidates' keys, or undefined if one of them cannot stand. */
export function ballotKey(
  group: Group,
  electorate: Electorate,
  candidates: readonly NodeId[],
  rules: ElectionRules,
): BallotKey | undefined {
  const voters = candidates.flatMap(id => memberOf(electorate, id) ?? [])
  if (voters.length < candidates.length || !voters.every(voter => hasCountingKey(group, voter, rules))) return undefined
  const key = groupKey(
    group,
    voters.map(voter => voter.countKey),
  )
  return { group, key }
}

/** Bound to the voter too: a copied ballot would tell, by the change of the totals, what it says. */
export type VotersPoll = Poll & { readonly voter: NodeId }

function ballotContext({ name, term, electorate, view, voter }: VotersPoll, rules: ElectionRules): Uint8Array {
  return framed('coterie secret ballot', name, rules.bindsTerm(term), electorate, view, voter)
}

/** The weights in the open: the first preference's first. */
function weights(group: Group, candidates: number, rules: ElectionRules): Ciphertext[] {
  return Array.from({ length: candidates }, (_, place) =>
    openCiphertext(group, group.multiplyBase(group.scalar(BigInt(rules.weight(place))))),
  )
}

/** An order of the candidates, hidden. */
export function hide(
  poll: VotersPoll,
  order: readonly number[],
  { group, key }: BallotKey,
  rules: ElectionRules,
  random: RandomBytes,
): Uint8Array {
  const input = weights(group, order.length, rules)
  const permutation = order.map((_, candidate) => order.indexOf(candidate))
  const randomness = order.map(() => group.randomScalar(random))
  const tickets = permutation.map((from, place) => rerandomise(group, key, input[from]!, randomness[place]!))
  const pass = { key, input, output: tickets, context: ballotContext(poll, rules) }
  const proof = proveShuffle(group, pass, { permutation, randomness }, random)
  return encode(hiddenBallotCodec(group), { tickets, proof })
}

/** Whether it holds each weight once, as its proof says. */
export function isHiddenBallot(
  poll: VotersPoll,
  candidates: number,
  { group, key }: BallotKey,
  hidden: Uint8Array,
  rules: ElectionRules,
): boolean {
  const ballot = decode(hiddenBallotCodec(group), hidden)
  if (!ballot.ok || ballot.value.tickets.length !== candidates) return false
  if (!rules.checksBallotProof()) return true
  const { tickets: output, proof } = ballot.value
  const context = ballotContext(poll, rules)
  const pass = { key, input: weights(group, candidates, rules), output, context, proof }
  return checkShuffle(group, pass, factorsFrom(hidden, context))
}

// Everybody must come to the same answer, so the random factors of the check come from a hash of what is checked:
// the maker of the proof could choose them only by finding a hash that suits.
function factorsFrom(hidden: Uint8Array, context: Uint8Array): RandomBytes {
  const seed = sha256(framed('coterie factors of a check', context, hidden))
  let drawn = 0
  return length => sha256(framed(seed, drawn++)).subarray(0, length)
}

/** The sum of each candidate's column: its total, still hidden. */
export function hiddenTotals(group: Group, ballots: readonly OpenBallot[], candidates: number): Ciphertext[] {
  const sums = Array.from({ length: candidates }, () => openCiphertext(group, group.identity))
  for (const { hidden } of ballots) {
    const ballot = decode(hiddenBallotCodec(group), hidden)
    if (!ballot.ok) continue
    for (const [place, { c1, c2 }] of ballot.value.tickets.slice(0, candidates).entries()) {
      const sum = sums[place]!
      sums[place] = { c1: group.add(sum.c1, c1), c2: group.add(sum.c2, c2) }
    }
  }
  return sums
}

/** Names the ballots that are counted, so that a share for one count is no share for another. */
export function tallyDigest({ name, term, electorate, view }: Poll, ballots: readonly OpenBallot[]): Uint8Array {
  const counted = ballots.flatMap(({ voter, hidden }) => [voter, hidden])
  return sha256(framed('coterie tally', name, term, electorate, view, ...counted))
}

/** A candidate's shares of the totals. Given for one set of ballots in a term: two sets tell who made the difference. */
export function openingOf(
  group: Group,
  { secret, publicKey }: KeyPair,
  sums: readonly Ciphertext[],
  digest: Uint8Array,
  random: RandomBytes,
): Uint8Array {
  const shares = sums.map(({ c1: base }) => {
    const share = partialDecryption(group, secret, base)
    return { share, proof: proveEqualLogarithms(group, { publicKey, base, share }, secret, digest, random) }
  })
  return encode(openingCodec(group), shares)
}

/** What an opening is checked against: the candidate's key, the hidden totals, and which ballots they are of. */
export interface OpeningCheck {
  readonly publicKey: Element
  readonly sums: readonly Ciphertext[]
  readonly digest: Uint8Array
}

export function isOpening(
  group: Group,
  { publicKey, sums, digest }: OpeningCheck,
  opening: Uint8Array,
  rules: ElectionRules,
): boolean {
  const shares = decode(openingCodec(group), opening)
  if (!shares.ok || shares.value.length !== sums.length) return false
  if (!rules.checksOpening()) return true
  return shares.value.every(({ share, proof }, place) =>
    checkEqualLogarithms(group, { publicKey, base: sums[place]!.c1, share }, digest, proof),
  )
}

/** The totals, from every candidate's opening; undefined if these ballots cannot have such totals. */
export function openedTotals(
  group: Group,
  sums: readonly Ciphertext[],
  openings: readonly Uint8Array[],
  most: number,
): number[] | undefined {
  const shares = openings.map(opening => decode(openingCodec(group), opening))
  const totals = sums.map((sum, place) => {
    const given = shares.flatMap(opening => (opening.ok ? (opening.value[place]?.share ?? []) : []))
    return smallLogarithm(group, combine(group, sum, given), most)
  })
  return totals.some(total => total < 0) ? undefined : totals
}

/** Totals are small: they are found by counting up. */
function smallLogarithm(group: Group, element: Element, most: number): number {
  let reached = group.identity
  for (let total = 0; total <= most; total++) {
    if (group.equal(reached, element)) return total
    reached = group.add(reached, group.generator)
  }
  return -1
}
