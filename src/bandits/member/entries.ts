// The entries of a party's log, and how they are written. Append-only.

import { bytes, type Codec, list, type NodeId, oneOf, struct, uint, variants } from '../../core/index.ts'
import type { BanditParty } from '../settings.ts'
import { type BanditMessage, KEY_BYTES } from '../wire.ts'
import { type Head, headCodec, member, party, type Role, role, signature, type Terms, termsCodec } from './wire.ts'

/** One entry of a log. */
export type LogEntry =
  | { kind: 'opened'; self: NodeId; terms: Terms; parties: readonly BanditParty[]; salt: Uint8Array }
  /** What this party draws from, in that part. */
  | { kind: 'secret'; role: Role; secret: Uint8Array }
  /** `body` is empty where only the hash is kept; `opened` is what was sealed to this party, with its signature. */
  | {
      kind: 'heard'
      from: NodeId
      word: BanditMessage['kind']
      round: number
      attempt: number
      hash: Uint8Array
      body: Uint8Array
      opened: readonly Uint8Array[]
      signature: Uint8Array
    }
  /** A reward of its own arm, in steps of the grid. */
  | { kind: 'paid'; number: number; steps: number }
  /** The end, as it was signed. Not part of the chain. */
  | { kind: 'closed'; head: Head; heads: readonly { member: NodeId; head: Head }[] }

/** An entry and its number, from 1. After a crash a number may come again: the last one counts. */
export interface NumberedEntry {
  readonly number: number
  readonly entry: LogEntry
}

/** The answers of 32 arms, sealed. */
const BODY_BYTES_MAX = 65_536
const PARTIES_MAX = 64

export const entryCodec: Codec<LogEntry> = variants<LogEntry>({
  opened: { self: member, terms: termsCodec, parties: list(party, PARTIES_MAX), salt: bytes(KEY_BYTES) },
  secret: { role, secret: bytes(KEY_BYTES) },
  heard: {
    from: member,
    word: oneOf<BanditMessage['kind']>(
      'runKey',
      'share',
      'want',
      'begin',
      'turn',
      'box',
      'boxes',
      'tokens',
      'answer',
      'answers',
      'progress',
      'stop',
      'again',
    ),
    round: uint(),
    attempt: uint(),
    hash: bytes(KEY_BYTES),
    body: bytes(BODY_BYTES_MAX),
    opened: list(bytes(BODY_BYTES_MAX), PARTIES_MAX),
    signature,
  },
  paid: { number: uint(), steps: uint() },
  closed: {
    head: headCodec,
    heads: list(struct<{ member: NodeId; head: Head }>({ member, head: headCodec }), PARTIES_MAX),
  },
})

export const numberedCodec: Codec<NumberedEntry> = struct<NumberedEntry>({ number: uint(), entry: entryCodec })
