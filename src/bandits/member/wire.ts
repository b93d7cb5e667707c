// How members come together for a run, and the records that a member saves of the runs it takes part in. Append-only.

import {
  bytes,
  type Codec,
  finite,
  list,
  type Millis,
  type NodeId,
  oneOf,
  struct,
  text,
  uint,
  variants,
} from '../../core/index.ts'
import { BUDGET_MAX } from '../phases.ts'
import { ALGORITHMS, type Algorithm, ARMS_MAX, type BanditParty } from '../settings.ts'
import { type BanditMessage, banditVocabulary, KEY_BYTES } from '../wire.ts'

/** Who has which arm. */
export interface Seat {
  readonly arm: string
  readonly member: NodeId
}

/** What a user asks the parties of a run to agree to. */
export interface Terms {
  /** Drawn by the user: 32 hexadecimal digits. */
  readonly id: string
  readonly name: string
  readonly algorithm: Algorithm
  readonly budget: number
  readonly batch: number
  readonly least: number
  readonly most: number
  readonly user: NodeId
  readonly shuffler: NodeId
  readonly comparator: NodeId
  readonly seats: readonly Seat[]
  /** How long the user waits, once it has begun. */
  readonly patience: Millis
}

/** What members say to each other about runs. */
export type MemberMessage =
  /** User to all members: who has arms of this name? */
  | { kind: 'call'; name: string }
  | { kind: 'serves'; name: string; arms: readonly string[] }
  /** User to the parties. */
  | { kind: 'invite'; terms: Terms }
  /** With the digest of the run: whoever knows other keys of the parties has another. */
  | { kind: 'accepted'; id: string; run: Uint8Array }
  | { kind: 'declined'; id: string; why: string }
  /** User to the parties: it has its answer, or waits no longer. */
  | { kind: 'over'; id: string }
  /** To somebody who speaks of a run that is not known here. */
  | { kind: 'forgot'; id: string }
  /** A word of the run itself. */
  | { kind: 'said'; id: string; body: BanditMessage }

/** Bytes of the name of a run or an arm. */
export const NAME_BYTES_MAX = 40
/** Bytes of a member's name. */
const MEMBER_BYTES_MAX = 64
const ID_BYTES = 32
export const WHY_BYTES_MAX = 256
/** Runs that a member takes part in at once. */
export const RUNS_MAX = 32
/** A week: a user that waits longer asks again. */
export const PATIENCE_MAX: Millis = 604_800_000

const name = text(NAME_BYTES_MAX)
const member = text(MEMBER_BYTES_MAX)
const id = text(ID_BYTES)
const why = text(WHY_BYTES_MAX)

export const termsCodec: Codec<Terms> = struct<Terms>({
  id,
  name,
  algorithm: oneOf<Algorithm>(...ALGORITHMS),
  budget: uint(BUDGET_MAX),
  batch: finite,
  least: finite,
  most: finite,
  user: member,
  shuffler: member,
  comparator: member,
  seats: list(struct<Seat>({ arm: name, member }), ARMS_MAX),
  patience: uint(PATIENCE_MAX),
})

/** How members speak of runs. */
export const banditMemberVocabulary: Codec<MemberMessage> = variants<MemberMessage>({
  call: { name },
  serves: { name, arms: list(name, ARMS_MAX) },
  invite: { terms: termsCodec },
  accepted: { id, run: bytes(KEY_BYTES) },
  declined: { id, why },
  over: { id },
  forgot: { id },
  said: { id, body: banditVocabulary },
})

/** What a member plays in a run. */
export type Role = 'arm' | 'shuffler' | 'comparator' | 'user'

/** What a member saves. */
export type MemberRecord =
  /** It takes part; with the keys of all parties as they were then. */
  | { kind: 'run'; terms: Terms; parties: readonly BanditParty[]; roles: readonly Role[] }
  /** What one of its machines saved last. */
  | { kind: 'role'; id: string; role: Role; record: Uint8Array }
  | { kind: 'ended'; id: string }
  /** How many runs an arm has served. */
  | { kind: 'served'; name: string; arm: string; count: number }
  /** Everything there is to know, instead of all before. */
  | { kind: 'whole'; records: readonly Uint8Array[] }

const role = oneOf<Role>('arm', 'shuffler', 'comparator', 'user')
const party = struct<BanditParty>({ id: member, signing: bytes(KEY_BYTES), sealing: bytes(KEY_BYTES) })
/** An arm's: the parts of 31 others, sealed. */
const ROLE_BYTES_MAX = 65_536
const SERVED_MAX = 100_000

export const memberRecord: Codec<MemberRecord> = variants<MemberRecord>({
  run: { terms: termsCodec, parties: list(party, ARMS_MAX + 3), roles: list(role, 2) },
  role: { id, role, record: bytes(ROLE_BYTES_MAX) },
  ended: { id },
  served: { name, arm: name, count: uint() },
  whole: { records: list(bytes(2 * ROLE_BYTES_MAX), SERVED_MAX + 3 * RUNS_MAX) },
})
