// Evidence that a member cheated, in bytes that anybody can check who has the arithmetic: no secret, no trust in the
// accuser. Silence leaves none, and is not called a cheat.
//
// What the accuser adds must be bound to what the accused signed, or an honest member could be framed: the keys of
// the epoch by the accused's own `ready`, the pass before by the hash in the pass, the lap by the hash in the share, the
// votes by the hash in the opening.

import { sha256 } from '@noble/hashes/sha2.js'
import {
  bytes,
  type Codec,
  decode,
  encode,
  list,
  type NodeId,
  option,
  sameBytes,
  uint,
  variants,
} from '../../core/index.ts'
import { framed, type Group, type PublicKey, type RandomBytes, type Signatures } from '../../crypto/index.ts'
import { MEMBERS_MAX, SLOTS_MAX } from '../settings.ts'
import {
  checkBallot,
  checkKey,
  checkOpening,
  checkPass,
  checkShare,
  dealtTicket,
  digest,
  lapHash,
  leaderOf,
  passerAt,
  sumOfKeys,
} from './proofs.ts'
import { type EpochRecord, HASH_BYTES, positionOf, recordCodec, recordHash, slotsDealt } from './record.ts'
import {
  EVIDENCE_BYTES_MAX,
  type Header,
  isStep,
  type Key,
  type Opening,
  type Pass,
  placeOf,
  type Ready,
  type Share,
  type SlotsMessage,
  type Step,
  signedBytes,
  slotsVocabulary,
  statementHash,
  type Vote,
} from './wire.ts'

interface Base {
  readonly record: EpochRecord
  readonly statement: SlotsMessage
}
interface WithKeys extends Base {
  readonly keys: readonly SlotsMessage[]
  readonly ready: SlotsMessage
}

/** What a third party needs in order to see that a member cheated. */
export type Evidence =
  /** Two signed versions of one step. */
  | ({ kind: 'versions'; other: SlotsMessage } & Base)
  /** A key without its proof of possession. */
  | ({ kind: 'key' } & Base)
  /** A header that no round can have. */
  | ({ kind: 'header' } & Base)
  /** A pass that is no shuffle of the one before. */
  | ({ kind: 'pass'; before: SlotsMessage | undefined } & WithKeys)
  /** A share that was not made with the member's key, or not for the owner's ticket. */
  | ({ kind: 'share'; first: SlotsMessage; last: SlotsMessage; passes: readonly Uint8Array[] } & WithKeys)
  /** A ballot that the member cannot open itself. */
  | ({ kind: 'ballot'; subject: number } & WithKeys)
  /** A wrong part of opening the sum of the ballots. */
  | ({ kind: 'opening'; votes: readonly SlotsMessage[] } & WithKeys)

/** What evidence comes to: a cheat with its name, or why it is none. */
export type Verdict =
  | {
      readonly ok: true
      readonly cheat: NodeId
      /** The key that the cheat signed with. A judge must know from elsewhere whose key this is. */
      readonly identity: PublicKey
      readonly what: string
      readonly epoch: Uint8Array
      readonly name: string
    }
  | { readonly ok: false; readonly refusal: string }

const statement = slotsVocabulary
const base = { record: recordCodec, statement }
const withKeys = { ...base, keys: list(statement, MEMBERS_MAX), ready: statement }

const evidenceCodec: Codec<Evidence> = variants<Evidence>({
  versions: { ...base, other: statement },
  key: base,
  header: base,
  pass: { ...withKeys, before: option(statement) },
  share: { ...withKeys, first: statement, last: statement, passes: list(bytes(HASH_BYTES), MEMBERS_MAX) },
  ballot: { ...withKeys, subject: uint(SLOTS_MAX - 1) },
  opening: { ...withKeys, votes: list(statement, MEMBERS_MAX) },
})

export function encodeEvidence(evidence: Evidence): Uint8Array {
  return encode(evidenceCodec, evidence)
}

/** Whom the evidence accuses, in which epoch, before anything of it is checked. */
export function accusedBy(evidence: Uint8Array): { readonly cheat: NodeId; readonly epoch: Uint8Array } | undefined {
  const decoded = evidence.length > EVIDENCE_BYTES_MAX ? undefined : decode(evidenceCodec, evidence)
  return decoded?.ok ? { cheat: decoded.value.statement.author, epoch: recordHash(decoded.value.record) } : undefined
}

interface Means {
  readonly group: Group
  readonly signatures: Signatures
}

class Refusal extends Error {}

function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Refusal(otherwise)
}

/** Whether these bytes prove a cheat, and whose. Pure; never throws on any bytes. */
export function verifyEvidence(evidence: Uint8Array, means: Means): Verdict {
  if (evidence.length > EVIDENCE_BYTES_MAX) return { ok: false, refusal: 'longer than any evidence' }
  const decoded = decode(evidenceCodec, evidence)
  if (!decoded.ok) return { ok: false, refusal: `not evidence: ${decoded.refusal}` }
  const found = decoded.value
  try {
    must(found.record.group === means.group.name, `the epoch uses the group ${found.record.group}`)
    mustBeSigned(found.record, found.statement, means)
    const what = judge(found, means, fixedRandom(evidence))
    const { author } = found.statement
    const { identity } = found.record.members[positionOf(found.record, author)]!
    return { ok: true, cheat: author, identity, what, epoch: recordHash(found.record), name: found.record.name }
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, refusal: error.message }
    throw error
  }
}

// The check of a shuffle adds its equations up with random weights. Here they come from the evidence itself: its
// maker could not choose them, and everybody who checks it finds the same.
function fixedRandom(seed: Uint8Array): RandomBytes {
  let counter = 0
  return length => {
    const out = new Uint8Array(length)
    for (let at = 0; at < length; at += 32) out.set(sha256(framed(seed, counter++)).subarray(0, length - at), at)
    return out
  }
}

function mustBeSigned(record: EpochRecord, said: SlotsMessage, { signatures }: Means): void {
  must(sameBytes(said.epoch, recordHash(record)), 'a statement of another epoch')
  const member = record.members[positionOf(record, said.author)]
  must(member !== undefined, `${said.author} is no member of the epoch`)
  must(signatures.verify(member.identity, signedBytes(said), said.signature), `not signed by ${said.author}`)
}

function judge(found: Evidence, means: Means, random: RandomBytes): string {
  switch (found.kind) {
    case 'versions':
      return judgeVersions(found, means)
    case 'key':
      must(found.statement.kind === 'key' && !checkKey(means.group, found.statement), 'the key is proven')
      return 'posted a key without possessing it'
    case 'header':
      must(found.statement.kind === 'header' && !isHeader(found.record, found.statement), 'the header is possible')
      return 'opened a round that cannot be'
    case 'pass':
      return judgePass(found, means, random)
    case 'share':
      return judgeShare(found, means)
    case 'ballot':
      return judgeBallot(found, means)
    case 'opening':
      return judgeOpening(found, means)
  }
}

/** Whether a round can have these slots: each once, no more than tickets; all of them unless rounds are concurrent. */
export function isHeader(record: EpochRecord, { author, round, slots }: Header): boolean {
  if (positionOf(record, author) !== leaderOf(record, round)) return false
  if (new Set(slots).size !== slots.length || slots.some(slot => slot >= record.slots.length)) return false
  return record.concurrent
    ? slots.length >= 1 && slots.length <= record.members.length
    : slots.length === slotsDealt(record)
}

function judgeVersions({ record, statement: first, other }: Evidence & { kind: 'versions' }, means: Means): string {
  mustBeSigned(record, other, means)
  must(isStep(first) && isStep(other), 'words that may be said twice')
  must(first.author === other.author && first.round === other.round && first.kind === other.kind, 'two different steps')
  must(placeOf(first) === placeOf(other), 'two different steps')
  must(!sameBytes(signedBytes(first), signedBytes(other)), 'twice the same')
  return `signed two versions of one ${first.kind}`
}

/** The keys that the accused itself agreed to. */
function agreedKeys(found: WithKeys, means: Means): readonly Key[] {
  const { record, ready } = found
  mustBeSigned(record, ready, means)
  must(ready.kind === 'ready' && ready.author === found.statement.author, 'not the agreement of the accused')
  const keys = found.keys.filter(key => key.kind === 'key')
  must(keys.length === record.members.length, 'keys are missing')
  must(sameBytes((ready as Ready).keys, keysHash(keys)), 'not the keys that the accused agreed to')
  must(
    keys.every((key, place) => key.author === record.members[place]!.name && checkKey(means.group, key)),
    'keys that do not belong',
  )
  return keys
}

export function keysHash(keys: readonly Key[]): Uint8Array {
  return digest('keys', ...keys.map(statementHash))
}

export function votesHash(votes: readonly Vote[]): Uint8Array {
  return digest('votes', ...votes.map(statementHash))
}

function judgePass(found: Evidence & { kind: 'pass' }, means: Means, random: RandomBytes): string {
  const { record, statement: pass, before } = found
  const { group } = means
  const key = sumOfKeys(group, agreedKeys(found, means))
  must(pass.kind === 'pass', 'not a pass')
  if (positionOf(record, pass.author) !== passerAt(record, pass.round, pass.place)) return 'passed out of turn'
  if (pass.place === 0) {
    must(before === undefined, 'nothing comes before the first pass')
    must(!checkPass(group, { record, key, before }, pass, random), 'the pass is proven')
    return 'passed on another list than it was given'
  }
  must(before?.kind === 'pass' && sameBytes(statementHash(before), pass.previous), 'not the pass before')
  const list = (before as Pass).list
  const belongs = list.every(({ c1, c2 }) => group.decode(c1) !== undefined && group.decode(c2) !== undefined)
  must(belongs, 'the pass before has points that do not belong: blame that one')
  must(!checkPass(group, { record, key, before: before as Pass }, pass, random), 'the pass is proven')
  return 'passed on another list than it was given'
}

function judgeShare(found: Evidence & { kind: 'share' }, means: Means): string {
  const { record, statement: share, first, last, passes } = found
  const keys = agreedKeys(found, means)
  must(share.kind === 'share' && first.kind === 'pass' && last.kind === 'pass', 'not a share and its lap')
  must(sameBytes(lapHash(passes), share.lap) && passes.length === record.members.length, 'not the lap of the share')
  must(sameBytes(statementHash(first), passes[0]!) && sameBytes(statementHash(last), passes.at(-1)!), 'not its passes')
  const ticket = dealtTicket(record, share.round, first, last, share.owner)
  must(ticket !== undefined, 'a lap without such a ticket')
  const { publicKey } = keys[positionOf(record, share.author)]!
  must(!checkShare(means.group, publicKey, ticket.c1, share as Share), 'the share is proven')
  return 'gave a false share'
}

function judgeBallot(found: Evidence & { kind: 'ballot' }, means: Means): string {
  const { statement: vote, subject } = found
  const key = sumOfKeys(means.group, agreedKeys(found, means))
  must(vote.kind === 'vote' && subject < vote.ballots.length, 'not a ballot')
  must(!checkBallot(means.group, key, vote as Vote, subject), 'the ballot is proven')
  return 'cast a ballot that it does not know'
}

function judgeOpening(found: Evidence & { kind: 'opening' }, means: Means): string {
  const { record, statement: opening } = found
  const keys = agreedKeys(found, means)
  const votes = found.votes.filter(vote => vote.kind === 'vote')
  must(opening.kind === 'opening' && votes.length === record.members.length, 'not an opening and its votes')
  must(sameBytes(votesHash(votes), (opening as Opening).votes), 'not the votes that were opened')
  const subjects = votes[0]!.ballots.length
  must(
    subjects > 0 && votes.every(vote => vote.ballots.length === subjects && areElements(means.group, vote)),
    'votes that cannot be opened',
  )
  const { publicKey } = keys[positionOf(record, opening.author)]!
  must(!checkOpening(means.group, publicKey, votes, opening as Opening), 'the opening is proven')
  return 'opened a check falsely'
}

function areElements(group: Group, vote: Vote): boolean {
  return vote.ballots.every(({ a, b }) => group.decode(a) !== undefined && group.decode(b) !== undefined)
}

export function isSameStep(left: Step, right: Step): boolean {
  return sameBytes(signedBytes(left), signedBytes(right))
}
