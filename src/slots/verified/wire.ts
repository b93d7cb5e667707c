// The words of level `verified`, with their limits. Append only: the place in the list is the number on the wire.
//
// Every word is a statement: signed by its author and bound to the hash of the epoch record, the round and the step.
// A statement may be passed on by anybody, and two different ones for one step are evidence against their author.
// Group elements and proofs travel as plain bytes: a signed point that is not in the group must be readable, or nobody
// could show it to a third party.

import { sha256 } from '@noble/hashes/sha2.js'
import {
  bool,
  bytes,
  type Codec,
  encode,
  list,
  type NodeId,
  option,
  struct,
  text,
  uint,
  variants,
} from '../../core/index.ts'
import type { Ciphertext } from '../../crypto/index.ts'
import { MEMBERS_MAX, SLOTS_MAX } from '../settings.ts'
import { type EpochRecord, HASH_BYTES, NAME_BYTES_MAX, recordCodec } from './record.ts'

interface Said {
  readonly author: NodeId
  /** The hash of the epoch record. */
  readonly epoch: Uint8Array
  /** 0 for what concerns the whole epoch. */
  readonly round: number
  readonly signature: Uint8Array
}

/** One veiled bit of the secure OR: A = r·G, B = r·Y + ρ·G, and a proof that (r, ρ) are known. */
export interface Ballot {
  readonly a: Uint8Array
  readonly b: Uint8Array
  readonly proof: Uint8Array
}

/** A member's part of opening something, with its proof of equal logarithms. */
export interface Part {
  readonly value: Uint8Array
  readonly proof: Uint8Array
}

/** A word that is missing, named by its place. */
export interface Need {
  readonly kind: StepKind
  /** The position of its author. */
  readonly author: number
  /** The place in the lap, the owner of a ticket, the number of a check; else 0. */
  readonly index: number
}

export interface Signature {
  readonly author: NodeId
  readonly signature: Uint8Array
}

export type Key = Said & { kind: 'key'; publicKey: Uint8Array; proof: Uint8Array }
export type Ready = Said & { kind: 'ready'; keys: Uint8Array }
export type Header = Said & { kind: 'header'; slots: readonly number[] }
export type Pass = Said & {
  kind: 'pass'
  place: number
  /** The hash of the pass before, or of the header. */
  previous: Uint8Array
  list: readonly Ciphertext[]
  proof: Uint8Array
  /** Only with rotating fairness and in the first pass: the leader's ticket, taken out of the list. */
  taken: number | undefined
}
export type Seal = Said & { kind: 'seal'; passes: readonly Uint8Array[] }
export type Share = Said & { kind: 'share'; owner: number; lap: Uint8Array } & Part
export type Complaint = Said & { kind: 'complaint'; accused: number; point: Uint8Array }
export type Vote = Said & { kind: 'vote'; check: number; ballots: readonly Ballot[] }
export type Opening = Said & { kind: 'opening'; check: number; votes: Uint8Array; parts: readonly Part[] }
/** Words that are said once in their place: two of them are evidence. */
export type Step = Key | Ready | Header | Pass | Seal | Share | Complaint | Vote | Opening
export type StepKind = Step['kind']

export type Ask = Said & { kind: 'ask'; needs: readonly Need[] }
/** With `onDemand`: a round, please. */
export type Want = Said & { kind: 'want' }
/** From a member that cannot take part in this epoch, or wants to leave it: the next, please. */
export type Petition = Said & { kind: 'petition'; number: number; leaving: boolean }
export type Propose = Said & {
  kind: 'propose'
  ballot: number
  record: EpochRecord
  /** Favours of an earlier ballot for the same record: a reason to let go of a lock. */
  favoured: Favoured | undefined
}
export interface Favoured {
  readonly ballot: number
  readonly signatures: readonly Signature[]
}
export type Favour = Said & { kind: 'favour'; ballot: number; record: Uint8Array }
export type Sign = Said & { kind: 'sign'; ballot: number; record: Uint8Array }
export type Refuse = Said & { kind: 'refuse'; ballot: number; record: EpochRecord; favoured: Favoured }
export type Succeeded = Said & { kind: 'succeeded'; link: Link }
/** A successor with the signatures that make it one. */
export interface Link {
  readonly record: EpochRecord
  readonly ballot: number
  readonly signatures: readonly Signature[]
}
export type Accuse = Said & { kind: 'accuse'; evidence: Uint8Array }

/** What members at level `verified` say to each other. */
export type SlotsMessage = Step | Ask | Want | Petition | Propose | Favour | Sign | Refuse | Succeeded | Accuse

/** An element of the largest group: 3072 bits. */
const ELEMENT_BYTES_MAX = 384
/** Proofs of one statement: a few elements and scalars of the largest group. */
const SMALL_PROOF_BYTES_MAX = 6 * ELEMENT_BYTES_MAX
/** A proof of shuffle: for each ticket a few elements and scalars. */
const SHUFFLE_PROOF_BYTES_MAX = (16 + 8 * MEMBERS_MAX) * ELEMENT_BYTES_MAX
const SIGNATURE_BYTES_MAX = 64
/** How long evidence may be: the keys, the votes of a check or two passes of the largest group. */
export const EVIDENCE_BYTES_MAX = 2_000_000
/** Words asked for at once; the rest is asked for on the next beat. */
export const NEEDS_MAX = 256

const element = bytes(ELEMENT_BYTES_MAX)
const proof = bytes(SMALL_PROOF_BYTES_MAX)
const hash = bytes(HASH_BYTES)
const position = uint(MEMBERS_MAX - 1)
const signature = bytes(SIGNATURE_BYTES_MAX)
const author = text(NAME_BYTES_MAX)
const said = { author, epoch: hash, round: uint() }
const signatures = list(struct<Signature>({ author, signature }), MEMBERS_MAX)
const favoured = struct<Favoured>({ ballot: uint(), signatures })
const part = { value: element, proof }

export const stepKinds: readonly StepKind[] = [
  'key',
  'ready',
  'header',
  'pass',
  'seal',
  'share',
  'complaint',
  'vote',
  'opening',
]

const stepKind: Codec<StepKind> = {
  write: (writer, value) => writer.uint(stepKinds.indexOf(value)),
  read: reader => stepKinds[reader.uint()] ?? reader.refuse('unknown step'),
}

export const linkCodec: Codec<Link> = struct<Link>({ record: recordCodec, ballot: uint(), signatures })

/** The encoding of what members at level `verified` say, with its limits. */
export const slotsVocabulary: Codec<SlotsMessage> = variants<SlotsMessage>({
  key: { ...said, publicKey: element, proof, signature },
  ready: { ...said, keys: hash, signature },
  header: { ...said, slots: list(uint(SLOTS_MAX - 1), SLOTS_MAX), signature },
  pass: {
    ...said,
    place: position,
    previous: hash,
    list: list(struct<Ciphertext>({ c1: element, c2: element }), MEMBERS_MAX),
    proof: bytes(SHUFFLE_PROOF_BYTES_MAX),
    taken: option(position),
    signature,
  },
  seal: { ...said, passes: list(hash, MEMBERS_MAX), signature },
  share: { ...said, owner: position, lap: hash, ...part, signature },
  complaint: { ...said, accused: position, point: element, signature },
  vote: {
    ...said,
    check: uint(),
    ballots: list(struct<Ballot>({ a: element, b: element, proof }), SLOTS_MAX),
    signature,
  },
  opening: { ...said, check: uint(), votes: hash, parts: list(struct<Part>(part), SLOTS_MAX), signature },
  ask: {
    ...said,
    needs: list(struct<Need>({ kind: stepKind, author: position, index: uint() }), NEEDS_MAX),
    signature,
  },
  want: { ...said, signature },
  petition: { ...said, number: uint(), leaving: bool, signature },
  propose: { ...said, ballot: uint(), record: recordCodec, favoured: option(favoured), signature },
  favour: { ...said, ballot: uint(), record: hash, signature },
  sign: { ...said, ballot: uint(), record: hash, signature },
  refuse: { ...said, ballot: uint(), record: recordCodec, favoured, signature },
  succeeded: { ...said, link: linkCodec, signature },
  accuse: { ...said, evidence: bytes(EVIDENCE_BYTES_MAX), signature },
})

const UNSIGNED = new Uint8Array()
const DOMAIN = new TextEncoder().encode('coterie slots statement\n')

/** What is signed: the statement without its signature, in its one encoding. */
export function signedBytes(statement: SlotsMessage): Uint8Array {
  const content = encode(slotsVocabulary, { ...statement, signature: UNSIGNED })
  const all = new Uint8Array(DOMAIN.length + content.length)
  all.set(DOMAIN)
  all.set(content, DOMAIN.length)
  return all
}

export function statementHash(statement: SlotsMessage): Uint8Array {
  return sha256(signedBytes(statement))
}

/** Where a statement stands among those of its round: one author says one thing in one place. */
export function placeOf(statement: Step): number {
  switch (statement.kind) {
    case 'pass':
      return statement.place
    case 'share':
      return statement.owner
    case 'complaint':
      return statement.accused
    case 'vote':
    case 'opening':
      return statement.check
    default:
      return 0
  }
}

export function isStep(message: SlotsMessage): message is Step {
  return (stepKinds as readonly string[]).includes(message.kind)
}
