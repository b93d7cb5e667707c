// The words of membership on the wire, with their limits. Append only: the place in the list is the number on the wire.

import {
  bytes,
  type Codec,
  encode,
  finite,
  list,
  type NodeId,
  option,
  struct,
  text,
  uint,
  variants,
} from '../core/index.ts'
import { type Claim, claimCodec, MEMBER_BYTES_MAX, NAME_BYTES_MAX } from './claims.ts'
import { BOOT_MAX, type Incarnation } from './incarnation.ts'
import { type Coordinate, ERROR_MAX, PLACE_MAX } from './vivaldi.ts'

/** Bytes of a ping's nonce: an answer cannot be guessed before the question is there. */
export const NONCE_BYTES = 8
/** Claims in one message; the sender also keeps to a number of bytes. */
export const CLAIMS_MAX = 64
/** Members on one page of a summary: about 8 kB. */
export const PAGE_MAX = 256
/** Bytes of the hash over a whole view: chance collisions only cost one round of repair. */
export const HASH_BYTES = 8
const VERSION_MAX = 2 ** 32

/** Whether a member is here, by the view of the one who says so. A suspicion is nobody's settled view. */
export const PRESENCES = ['here', 'left', 'failed'] as const
export type Presence = (typeof PRESENCES)[number]

/** One line of a view: enough to see who knows newer. */
export interface Entry {
  readonly member: NodeId
  readonly incarnation: Incarnation
  /** Version of the attributes, 0 for none. */
  readonly version: number
  /** Tells two claims of one incarnation apart: 32 bits of the digest. */
  readonly tag: number
  readonly presence: Presence
}

export interface Relay {
  readonly requester: NodeId
  readonly nonce: Uint8Array
}

/** One member's part of an aggregate: its estimate of the average value, of the average of "I asked", and the extremes. */
export interface Estimate {
  readonly average: number
  /** One over the size of the group, in the end: the asker starts with 1, everybody else with 0. */
  readonly share: number
  readonly minimum: number
  readonly maximum: number
}

/** Which aggregate, asked by whom, and which round of asking. */
export interface AggregateName {
  readonly asker: NodeId
  readonly boot: number
  readonly number: number
  readonly name: string
}

/** What members say to each other. */
export type MembershipMessage =
  /** Are you there? With `relay`, on behalf of somebody who had no answer. */
  | { kind: 'ping'; nonce: Uint8Array; relay: Relay | undefined; claims: readonly Claim[] }
  | {
      kind: 'ack'
      nonce: Uint8Array
      /** For a relayed ping: the member's own signature for the one who wants to know. */
      voucher: Uint8Array | undefined
      coordinate: Coordinate
      claims: readonly Claim[]
    }
  /** Ask this member in my place. */
  | { kind: 'pingRequest'; nonce: Uint8Array; target: NodeId; claims: readonly Claim[] }
  | { kind: 'relayed'; nonce: Uint8Array; voucher: Uint8Array }
  /** I asked and had no answer; but I am here, and so is your link to me. */
  | { kind: 'nack'; nonce: Uint8Array }
  | { kind: 'gossip'; claims: readonly Claim[] }
  /** The hash of a whole view. A member that has another hash answers with its first page. */
  | { kind: 'summary'; hash: Uint8Array; claims: readonly Claim[] }
  /** The members after `after` in the order of names, up to `upTo`; empty: up to the last. */
  | { kind: 'page'; after: string; upTo: string; entries: readonly Entry[] }
  | { kind: 'more'; after: string }
  | { kind: 'want'; members: readonly NodeId[] }
  /** With the asker's own signature: an aggregate in somebody's name is one that it asked for. */
  | { kind: 'average'; of: AggregateName; signature: Uint8Array; exchange: number; estimate: Estimate }
  /** How much of the difference the one who was asked took over. */
  | { kind: 'averaged'; of: AggregateName; exchange: number; estimate: Estimate }

const member = text(MEMBER_BYTES_MAX)
const nonce = bytes(NONCE_BYTES)
const claims = list(claimCodec, CLAIMS_MAX)
const voucher = bytes(64)
const signature = bytes(64)

const presence: Codec<Presence> = {
  write: (writer, value) => writer.byte(PRESENCES.indexOf(value)),
  read: reader => PRESENCES[reader.byte()] ?? reader.refuse('unknown presence'),
}

/** Thousandths of what is encoded, from -max to max, zigzag: places need no more. */
function thousandths(max: number): Codec<number> {
  const whole = uint(max * 2_000 + 1)
  return {
    write(writer, value) {
      const scaled = Math.round(value * 1_000)
      whole.write(writer, scaled < 0 ? -2 * scaled - 1 : 2 * scaled)
    },
    read(reader) {
      const read = whole.read(reader)
      return (read % 2 === 1 ? -(read + 1) / 2 : read / 2) / 1_000
    },
  }
}

const coordinate = struct<Coordinate>({
  x: thousandths(PLACE_MAX),
  y: thousandths(PLACE_MAX),
  height: thousandths(PLACE_MAX),
  error: thousandths(ERROR_MAX),
})

const aggregateName = struct<AggregateName>({
  asker: member,
  boot: uint(BOOT_MAX),
  number: uint(VERSION_MAX),
  name: text(NAME_BYTES_MAX),
})
const askedFor = struct<{ domain: string; group: string; of: AggregateName }>({
  domain: text(40),
  group: text(MEMBER_BYTES_MAX),
  of: aggregateName,
})

/** What an asker signs, so that others can bring its aggregate to the next. */
export function aggregateBytes(group: string, of: AggregateName): Uint8Array {
  return encode(askedFor, { domain: 'coterie membership aggregate 1', group, of })
}

const estimate = struct<Estimate>({ average: finite, share: finite, minimum: finite, maximum: finite })

export const entryCodec = struct<Entry>({
  member,
  incarnation: uint(),
  version: uint(VERSION_MAX),
  tag: uint(2 ** 32),
  presence,
})

/** The messages of membership on the wire. */
export const membershipVocabulary: Codec<MembershipMessage> = variants<MembershipMessage>({
  ping: { nonce, relay: option(struct<Relay>({ requester: member, nonce })), claims },
  ack: { nonce, voucher: option(voucher), coordinate, claims },
  pingRequest: { nonce, target: member, claims },
  relayed: { nonce, voucher },
  nack: { nonce },
  gossip: { claims },
  summary: { hash: bytes(HASH_BYTES), claims },
  page: {
    after: member,
    upTo: member,
    entries: list(entryCodec, PAGE_MAX),
  },
  more: { after: member },
  want: { members: list(member, PAGE_MAX) },
  average: { of: aggregateName, signature, exchange: uint(2 ** 32), estimate },
  averaged: { of: aggregateName, exchange: uint(2 ** 32), estimate },
})

/** What a member saves: the number of its life. */
export const membershipRecord = struct<{ boot: number }>({ boot: uint(BOOT_MAX) })
