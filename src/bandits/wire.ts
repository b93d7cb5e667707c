// The messages of a private run and the records that its parties save, with their limits. Append-only. Where a number
// could tell something its field has one length: a slot is one byte, tokens and boxes are equally long.

import { bool, bytes, type Codec, encode, list, struct, text, uint, variants } from '../core/index.ts'
import { BUDGET_MAX } from './phases.ts'
import { ARMS_MAX } from './settings.ts'
import { type ThesisMessage, thesisWords } from './thesis/wire.ts'

export const TOKEN_BYTES = 16
export const KEY_BYTES = 32
export const ATTEMPT_MAX = 65_535
const SIGNATURE_BYTES_MAX = 128
const SEALED_BYTES_MAX = 1_024
/** 31 lists of 61 tags of 8 bytes, and what is around them. */
const BOX_BYTES_MAX = 16_384
const WHY_BYTES_MAX = 256

/** What parties of a run say to each other. */
export type BanditMessage =
  /** Comparator to arms: the key of this run that boxes are sealed to. */
  | { kind: 'runKey'; publicKey: Uint8Array; signature: Uint8Array }
  /** An arm to another arm, or to the comparator: its part of the keys, signed, sealed. */
  | { kind: 'share'; sealed: Uint8Array }
  /** Something that should have come has not. */
  | { kind: 'want' }
  /** User to shuffler: begin, and how far is it? */
  | { kind: 'begin' }
  /** Shuffler to an arm: where it sits in this round; its token of the round before, and the pulls that it is worth. */
  | {
      kind: 'turn'
      round: number
      attempt: number
      slot: number
      pulls: number
      tokenAttempt: number
      token: Uint8Array
      /** Which arms are lost, a bit for each place. */
      lost: number
    }
  /** An arm to the shuffler: its tags and tokens, sealed to the comparator. */
  | { kind: 'box'; round: number; attempt: number; box: Uint8Array }
  /** Shuffler to comparator: all boxes in the order of slots. */
  | { kind: 'boxes'; round: number; attempt: number; boxes: readonly Uint8Array[]; lost: number }
  /** Comparator to shuffler: for each slot its token; at the end of a search, what proves the winner to the user. */
  | { kind: 'tokens'; round: number; attempt: number; tokens: readonly Uint8Array[]; verdict: Uint8Array }
  /** An arm to the shuffler: its part of the answer, sealed to the user. */
  | { kind: 'answer'; sealed: Uint8Array }
  /** Shuffler to user: all parts of the answer in the order of arms. */
  | { kind: 'answers'; answers: readonly Uint8Array[]; verdict: Uint8Array; lost: number; again: number }
  /** Shuffler to user: how far it is. */
  | { kind: 'progress'; round: number; spent: number }
  /** Anybody to shuffler and user: something was wrong, and this party has stopped. */
  | { kind: 'stop'; why: string }
  | ThesisMessage
  /** Comparator to shuffler: somebody was not ready in time, try again in other seats. */
  | { kind: 'again'; round: number; attempt: number }

const round = uint(BUDGET_MAX)
const attempt = uint(ATTEMPT_MAX)
const slot = uint(ARMS_MAX - 1)
const sealed = bytes(SEALED_BYTES_MAX)
const token = bytes(TOKEN_BYTES)
const why = text(WHY_BYTES_MAX)
const count = uint(BUDGET_MAX)
const lost = uint(2 ** ARMS_MAX - 1)

/** How messages of a run are written. */
export const banditVocabulary: Codec<BanditMessage> = variants<BanditMessage>({
  runKey: { publicKey: bytes(KEY_BYTES), signature: bytes(SIGNATURE_BYTES_MAX) },
  share: { sealed },
  want: {},
  begin: {},
  turn: { round, attempt, slot, pulls: count, tokenAttempt: attempt, token, lost },
  box: { round, attempt, box: bytes(BOX_BYTES_MAX) },
  boxes: { round, attempt, boxes: list(bytes(BOX_BYTES_MAX), ARMS_MAX), lost },
  tokens: { round, attempt, tokens: list(token, ARMS_MAX), verdict: sealed },
  answer: { sealed },
  answers: { answers: list(sealed, ARMS_MAX), verdict: sealed, lost, again: uint() },
  progress: { round, spent: count },
  stop: { why },
  ...thesisWords,
  again: { round, attempt },
})

/** A part of the keys of a run, as it is signed and sealed. */
export interface Share {
  /** Of the key that arms alone have; empty in what the comparator gets. */
  readonly arms: Uint8Array
  /** Of the key that proves a box to come from an arm. */
  readonly boxes: Uint8Array
  /** Of the key that these two arms mask with; empty in what the comparator gets. */
  readonly pair: Uint8Array
}

const keyPart = bytes(KEY_BYTES)
export const shareCodec: Codec<Share> = struct<Share>({ arms: keyPart, boxes: keyPart, pair: keyPart })
export const signedCodec = struct<{ content: Uint8Array; signature: Uint8Array }>({
  content: bytes(SEALED_BYTES_MAX),
  signature: bytes(SIGNATURE_BYTES_MAX),
})
/** What an arm tells the user: 8 bytes of a masked sum, or 16 of a token. */
export const answerCodec = struct<{ arm: number; value: Uint8Array }>({ arm: slot, value: token })

/** What an arm saves. */
export interface ArmRecord {
  readonly secret: Uint8Array
  readonly runKey: Uint8Array
  readonly shares: readonly Uint8Array[]
  readonly pulls: number
  readonly sum: number
  readonly target: number
  readonly isIn: boolean
  /** One more than the round that it sits in; 0 before the first. */
  readonly turns: number
  readonly attempt: number
  readonly slot: number
  readonly claim: Uint8Array
  readonly stopped: string
  readonly lost: number
}

const armKeysRecord = struct<Pick<ArmRecord, 'secret' | 'runKey' | 'shares'>>({
  secret: keyPart,
  runKey: keyPart,
  shares: list(bytes(SEALED_BYTES_MAX), ARMS_MAX),
})
const armPlayRecord = struct<Omit<ArmRecord, 'secret' | 'runKey' | 'shares'>>({
  pulls: count,
  sum: uint(),
  target: count,
  isIn: bool,
  turns: uint(BUDGET_MAX + 1),
  attempt,
  slot,
  claim: token,
  stopped: why,
  lost,
})

/** First what stays the same from round to round, which is most of it; then what every pull changes. */
export const armRecord: Codec<ArmRecord> = {
  write(writer, value) {
    writer.raw(keptKeys(value))
    armPlayRecord.write(writer, value)
  },
  read: reader => ({ ...armKeysRecord.read(reader), ...armPlayRecord.read(reader) }),
}

/** An arm saves after every pull: its keys are encoded once, until a part more has come. By its list of parts. */
const keptArmKeys = new WeakMap<readonly Uint8Array[], { readonly made: ArmKeysMade; readonly bytes: Uint8Array }>()
type ArmKeysMade = readonly [secret: Uint8Array, runKey: Uint8Array, ...parts: Uint8Array[]]

function keptKeys({ secret, runKey, shares }: ArmRecord): Uint8Array {
  const made: ArmKeysMade = [secret, runKey, ...shares]
  const kept = keptArmKeys.get(shares)
  // What came is never changed, only replaced.
  if (kept?.made.length === made.length && kept.made.every((part, at) => part === made[at])) return kept.bytes
  const bytes = encode(armKeysRecord, { secret, runKey, shares })
  keptArmKeys.set(shares, { made, bytes })
  return bytes
}

/** What a shuffler saves. */
export interface ShufflerRecord {
  readonly secret: Uint8Array
  readonly begun: boolean
  readonly round: number
  readonly attempt: number
  readonly tokens: readonly Uint8Array[]
  readonly tokenAttempt: number
  readonly verdict: Uint8Array
  readonly stopped: string
  /** Arms that are lost, and since when. */
  readonly drops: readonly Drop[]
  /** Attempts that were tried again since somebody was not ready. */
  readonly again: number
}

/** An arm that is lost, and the first attempt without it. */
export interface Drop {
  readonly place: number
  readonly round: number
  readonly attempt: number
}

export const shufflerRecord: Codec<ShufflerRecord> = struct<ShufflerRecord>({
  secret: keyPart,
  begun: bool,
  round,
  attempt,
  tokens: list(token, ARMS_MAX),
  tokenAttempt: attempt,
  verdict: sealed,
  stopped: why,
  drops: list(struct<Drop>({ place: slot, round, attempt }), ARMS_MAX),
  again: uint(),
})

/** What a comparator saves. */
export interface ComparatorRecord {
  readonly secret: Uint8Array
  readonly shares: readonly Uint8Array[]
  /** One more than the last round it has answered; 0 before the first. */
  readonly answered: number
  readonly attempt: number
  readonly digest: Uint8Array
  readonly tokens: readonly Uint8Array[]
  readonly verdict: Uint8Array
  readonly stopped: string
  readonly lost: number
}

export const comparatorRecord: Codec<ComparatorRecord> = struct<ComparatorRecord>({
  secret: keyPart,
  shares: list(keyPart, ARMS_MAX),
  answered: uint(BUDGET_MAX + 1),
  attempt,
  digest: keyPart,
  tokens: list(token, ARMS_MAX),
  verdict: sealed,
  stopped: why,
  lost,
})

/** What a user saves. */
export interface UserRecord {
  readonly begun: boolean
  readonly runKey: Uint8Array
  readonly stopped: string
}

export const userRecord: Codec<UserRecord> = struct<UserRecord>({ begun: bool, runKey: keyPart, stopped: why })
