// The electorate (protocols/election): a numbered, signed list of members, the first from `coterie init`.
//
// Gossip never changes it: with "a majority of those I see alive" both sides of a partition are majorities. One member
// comes or goes at a time, signed by q of the list before, so that q of one list and q of the next still share b + 1
// members. A member signs one successor of a number only; hence a number has one successor.
// Each signature carries the signer's highest term, and terms under the new list start above all of them: a
// coordinator elected under the old one had q grants, and one honest granter is among the signers.

import { sha256 } from '@noble/hashes/sha2.js'
import { encode, type NodeId, sameBytes } from '../../core/index.ts'
import type { Signatures } from '../../crypto/index.ts'
import { type Approval, approvalText, type Electorate, electorateCodec, TERMS_PER_LIST, type Voter } from '../wire.ts'

/** What has to be known of a member to admit it; the keys for secret ballots only where ballots are secret. */
export type Newcomer = Pick<Voter, 'id' | 'key' | 'sealKey'> & Partial<Pick<Voter, 'countKey' | 'possession'>>

const NO_KEY = new Uint8Array(0)

function entryOf({ id, key, sealKey, countKey = NO_KEY, possession = NO_KEY }: Newcomer, admitted: number): Voter {
  return { id, key, sealKey, countKey, possession, admitted, failures: 0 }
}

/** A list never changes, and every grant and claim asks for its digest. */
const digests = new WeakMap<Electorate, Uint8Array>()

export function digestOf(electorate: Electorate): Uint8Array {
  let digest = digests.get(electorate)
  if (digest === undefined) {
    digest = sha256(encode(electorateCodec, electorate))
    digests.set(electorate, digest)
  }
  return digest
}

export function memberOf(electorate: Electorate | undefined, id: NodeId): Voter | undefined {
  return electorate?.members.find(member => member.id === id)
}

/** What a signer puts its name to. */
export function approvalBytes(successor: Electorate, term: number): Uint8Array {
  return encode(approvalText, { purpose: 'coterie electorate', digest: digestOf(successor), term })
}

/** Why this list cannot follow that one, or undefined: one member in or out, and failures that only grow. */
export function successionFault(old: Electorate, next: Electorate): string | undefined {
  if (next.number !== old.number + 1) return 'the number does not follow'
  if (!sameBytes(next.previous, digestOf(old))) return 'it follows another list'
  if (next.members.length === 0) return 'it is empty'
  if (next.members.some((member, place) => place > 0 && next.members[place - 1]!.id >= member.id)) return 'not in order'
  const gone = old.members.filter(member => memberOf(next, member.id) === undefined)
  const come = next.members.filter(member => memberOf(old, member.id) === undefined)
  if (gone.length + come.length > 1) return 'more than one member comes or goes'
  if (come.some(member => member.admitted !== next.number || member.failures !== 0)) return 'a newcomer with a past'
  return next.members.some(member => isChanged(old, member)) ? 'a member is changed' : undefined
}

function isChanged(old: Electorate, member: Voter): boolean {
  const before = memberOf(old, member.id)
  if (before === undefined) return false
  const { admitted, failures } = before
  return !hasSameKeys(before, member) || admitted !== member.admitted || member.failures < failures
}

/** Whether two entries name the same keys, in everything that a member could be taken for another by. */
export function hasSameKeys(one: Newcomer, other: Newcomer): boolean {
  return (['key', 'sealKey', 'countKey', 'possession'] as const).every(field =>
    sameBytes(one[field] ?? NO_KEY, other[field] ?? NO_KEY),
  )
}

/** Whether this member of the old list signed the successor. A term out of reach is a liar's: it would end all terms. */
export function approves(
  old: Electorate,
  floor: number,
  next: Electorate,
  approval: Approval,
  signatures: Signatures,
): boolean {
  const signer = memberOf(old, approval.signer)
  if (signer === undefined) return false
  if (approval.term > floor + TERMS_PER_LIST) return false
  return signatures.verify(signer.key, approvalBytes(next, approval.term), approval.signature)
}

/** Terms under a list are above everything that its signers granted before, in any election. */
export function floorOf(approvals: readonly Approval[]): number {
  return approvals.reduce((floor, { term }) => Math.max(floor, term), 0)
}

/** The first list, from what `coterie init` knows of each member. */
export function firstElectorate(members: readonly Newcomer[]): Electorate {
  const voters = members.map(member => entryOf(member, 1))
  voters.sort((one, other) => (one.id < other.id ? -1 : 1))
  return { number: 1, previous: new Uint8Array(0), members: voters }
}

/** What a coordinator proposes when one member comes or goes, or failures were certified. */
export interface Change {
  readonly add?: Newcomer
  readonly remove?: NodeId
  readonly failures?: readonly { readonly member: NodeId; readonly count: number }[]
}

export function successorOf(old: Electorate, change: Change): Electorate {
  const number = old.number + 1
  const failures = new Map(change.failures?.map(({ member, count }) => [member, count]))
  const members = old.members
    .filter(member => member.id !== change.remove)
    .map(member => ({ ...member, failures: Math.max(member.failures, failures.get(member.id) ?? 0) }))
  if (change.add !== undefined) members.push(entryOf(change.add, number))
  members.sort((one, other) => (one.id < other.id ? -1 : 1))
  return { number, previous: digestOf(old), members }
}
