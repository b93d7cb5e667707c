// The epoch record: who the members are and what they share. Everything said in an epoch is bound to its hash, and it
// names the hash of the record before, so that the epochs of a group form one chain.

import { sha256 } from '@noble/hashes/sha2.js'
import { bool, bytes, type Codec, encode, list, type NodeId, struct, text, uint } from '../../core/index.ts'
import type { PublicKey } from '../../crypto/index.ts'
import { type Fairness, LEASE_MAX, MEMBERS_MAX, SLOTS_MAX, type SlotsSettings } from '../settings.ts'

/** A member as the epoch record lists it. */
export interface EpochMember {
  readonly name: NodeId
  /** What its signatures are checked with. */
  readonly identity: PublicKey
}

/** Who the members are and what they share, in one epoch. */
export interface EpochRecord {
  readonly name: string
  readonly number: number
  /** The hash of the record before; empty for the first. */
  readonly previous: Uint8Array
  /** In ring order; positions count from 0. */
  readonly members: readonly EpochMember[]
  /** Silent members that the vote on the next epoch cannot spare: they have no place in the ring, and still vote. */
  readonly absent: readonly EpochMember[]
  readonly slots: readonly string[]
  readonly lease: number
  /** Millionths. */
  readonly drift: number
  readonly liars: number
  readonly rotating: boolean
  readonly concurrent: boolean
  /** The group in which tickets are encrypted. */
  readonly group: string
}

export const HASH_BYTES = 32
/** Bytes of a member's name, of a slot's, of the resource's. */
export const NAME_BYTES_MAX = 100
/** An Ed25519 key is 32 bytes. */
const IDENTITY_BYTES_MAX = 64
const MILLION = 1_000_000

const memberCodec: Codec<EpochMember> = struct<EpochMember>({
  name: text(NAME_BYTES_MAX),
  identity: bytes(IDENTITY_BYTES_MAX),
})

export const recordCodec: Codec<EpochRecord> = struct<EpochRecord>({
  name: text(NAME_BYTES_MAX),
  number: uint(),
  previous: bytes(HASH_BYTES),
  members: list(memberCodec, MEMBERS_MAX),
  absent: list(memberCodec, MEMBERS_MAX),
  slots: list(text(NAME_BYTES_MAX), SLOTS_MAX),
  lease: uint(LEASE_MAX),
  drift: uint(MILLION),
  liars: uint(MEMBERS_MAX),
  rotating: bool,
  concurrent: bool,
  group: text(NAME_BYTES_MAX),
})

export function recordHash(record: EpochRecord): Uint8Array {
  return sha256(encode(recordCodec, record))
}

export function firstRecord(settings: SlotsSettings, members: readonly EpochMember[], group: string): EpochRecord {
  const { name, slots, lease, drift, liars, fairness, concurrent } = settings
  return {
    name,
    number: 0,
    previous: new Uint8Array(),
    members,
    absent: [],
    slots,
    lease,
    drift: Math.round(drift * MILLION),
    liars,
    rotating: fairness === ('rotating' satisfies Fairness),
    concurrent,
    group,
  }
}

export function driftOf(record: EpochRecord): number {
  return record.drift / MILLION
}

/** Slots that a round deals: one ticket for each member, so no more than those. */
export function slotsDealt({ slots, members }: EpochRecord): number {
  return Math.min(slots.length, members.length)
}

export function positionOf(record: EpochRecord, name: NodeId): number {
  return record.members.findIndex(member => member.name === name)
}

/** Who decides on the next epoch. */
export function votersOf({ members, absent }: EpochRecord): readonly EpochMember[] {
  return absent.length === 0 ? members : [...members, ...absent]
}

export function isVoter(record: EpochRecord, name: NodeId): boolean {
  return votersOf(record).some(member => member.name === name)
}

/** The hash by which the first epoch is known: members with other settings are in another. */
export function firstEpoch(settings: SlotsSettings, members: readonly EpochMember[], group: string): Uint8Array {
  return recordHash(firstRecord(settings, members, group))
}
