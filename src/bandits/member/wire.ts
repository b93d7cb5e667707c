// How members come together for a run, and the records that a member saves of the runs it takes part in. Append-only.

import {
  bool,
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
import { ALGORITHMS, type Algorithm, ARMS_MAX, type BanditParty, LEVELS, type Level } from '../settings.ts'
import { type BanditMessage, banditVocabulary, KEY_BYTES } from '../wire.ts'

/** Who has which arm; in SR-secured who draws for which phase. */
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
  /** Every message is signed, and every party keeps a log that can be audited. */
  readonly audit: boolean
  readonly level: Level
  /** See `BanditRun`. */
  readonly pace: Millis
  readonly armTimeout: Millis
  readonly drops: boolean
}

/** What a party commits its log with, when the run is over. */
export interface Head {
  /** Entries in the log. */
  readonly count: number
  /** A hash of them all, each with a salt of its own: it confirms no guess. */
  readonly head: Uint8Array
  readonly signature: Uint8Array
}

/** What members say to each other about runs. */
export type MemberMessage =
  /** User to all members: who has arms of this name? */
  | { kind: 'call'; name: string }
  | { kind: 'serves'; name: string; arms: readonly string[] }
  /** User to the parties. */
  | { kind: 'invite'; terms: Terms }
  /** With the digest of the run: a party that knows other keys has another. */
  | { kind: 'accepted'; id: string; run: Uint8Array }
  | { kind: 'declined'; id: string; why: string }
  /** User to the parties: it has its answer, or waits no longer. */
  | { kind: 'over'; id: string }
  /** To somebody who speaks of a run that is not known here. */
  | { kind: 'forgot'; id: string }
  /** A word of the run itself; signed where the run is to be audited. */
  | { kind: 'said'; id: string; body: BanditMessage; signature: Uint8Array }
  /** A party to the user, when the run is over and was to be audited. */
  | { kind: 'head'; id: string; head: Head }

/** Bytes of the name of a run or an arm. */
export const NAME_BYTES_MAX = 40
/** Bytes of a member's name. */
const MEMBER_BYTES_MAX = 64
const ID_BYTES = 32
export const WHY_BYTES_MAX = 256
/** Runs that a member takes part in at once. */
export const RUNS_MAX = 32
/** A minute for a pull: who is slower has no use for a beat. */
export const PACE_MAX: Millis = 60_000
/** A week: a user that waits longer asks again. */
export const PATIENCE_MAX: Millis = 604_800_000

const name = text(NAME_BYTES_MAX)
export const member = text(MEMBER_BYTES_MAX)
const id = text(ID_BYTES)
const why = text(WHY_BYTES_MAX)

const SIGNATURE_BYTES_MAX = 128
export const signature = bytes(SIGNATURE_BYTES_MAX)

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
  audit: bool,
  level: oneOf<Level>(...LEVELS),
  pace: uint(PACE_MAX),
  armTimeout: uint(PATIENCE_MAX),
  drops: bool,
})

/** More entries than any log has. */
const ENTRIES_MAX = 2 ** 40
export const headCodec: Codec<Head> = struct<Head>({ count: uint(ENTRIES_MAX), head: bytes(KEY_BYTES), signature })

/** How members speak of runs. */
export const banditMemberVocabulary: Codec<MemberMessage> = variants<MemberMessage>({
  call: { name },
  serves: { name, arms: list(name, ARMS_MAX) },
  invite: { terms: termsCodec },
  accepted: { id, run: bytes(KEY_BYTES) },
  declined: { id, why },
  over: { id },
  forgot: { id },
  said: { id, body: banditVocabulary, signature },
  head: { id, head: headCodec },
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
  /** How far its log of a run is; what is in it is in a file. */
  | { kind: 'log'; id: string; count: number; head: Uint8Array; salt: Uint8Array }
  /** The user's answer, while it waits for the others' last words on their logs: they may have forgotten the run by now. */
  | { kind: 'answer'; id: string; answer: SavedAnswer }
  /** Everything there is to know, instead of all before. */
  | { kind: 'whole'; records: readonly Uint8Array[] }

/** An answer as it is saved. */
export interface SavedAnswer {
  /** One more than the place of the best arm; 0 where there is a sum. */
  readonly best: number
  readonly steps: number
  readonly lost: readonly number[]
  readonly again: number
}

export const role = oneOf<Role>('arm', 'shuffler', 'comparator', 'user')
export const party = struct<BanditParty>({ id: member, signing: bytes(KEY_BYTES), sealing: bytes(KEY_BYTES) })
/** An arm's: the parts of 31 others, sealed. */
const ROLE_BYTES_MAX = 65_536
const SERVED_MAX = 100_000

export const memberRecord: Codec<MemberRecord> = variants<MemberRecord>({
  run: { terms: termsCodec, parties: list(party, ARMS_MAX + 3), roles: list(role, 2) },
  role: { id, role, record: bytes(ROLE_BYTES_MAX) },
  ended: { id },
  served: { name, arm: name, count: uint() },
  log: { id, count: uint(ENTRIES_MAX), head: bytes(KEY_BYTES), salt: bytes(KEY_BYTES) },
  whole: { records: list(bytes(2 * ROLE_BYTES_MAX), SERVED_MAX + 8 * RUNS_MAX) },
  answer: {
    id,
    answer: struct<SavedAnswer>({
      best: uint(ARMS_MAX),
      steps: uint(),
      lost: list(uint(ARMS_MAX), ARMS_MAX),
      again: uint(),
    }),
  },
})
