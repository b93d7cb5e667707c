// The record of an epoch: who may read and write a channel from when until when, how it is searched, and the epoch's key,
// sealed to each. Signed by the channel's keeper, numbered, and chained by the hash of the one before. It may travel through
// the broker: it shows how many parties there are and their keys, and nothing of what they say.

import { sha256 } from '@noble/hashes/sha2.js'
import {
  bool,
  bytes,
  type Codec,
  type Decoded,
  decode,
  encode,
  list,
  oneOf,
  option,
  struct,
  text,
  uint,
} from '../../core/index.ts'
import {
  framed,
  type PublicKey,
  type RandomBytes,
  type Sealing,
  type Signatures,
  type Signer,
} from '../../crypto/index.ts'
import { CHANNEL_BYTES_MAX, NODE_BYTES_MAX } from '../wire.ts'
import { type ChannelName, SECRET_MODES, type SecretMode, TAG_BYTES } from './keys.ts'
import { type Searchable, searchableCodec, whyNotSearchable } from './keywords.ts'
import { APART_READERS_MAX, CARRIED_MAX, PARTIES_MAX } from './limits.ts'
import type { SecretRules } from './rules.ts'

/** A reader or writer of a channel. */
export interface Party {
  readonly name: string
  readonly reads: boolean
  readonly writes: boolean
  /** Ed25519: what it publishes is signed with it. */
  readonly signingKey: PublicKey
  /** X25519: the epoch's key is sealed to it. */
  readonly sealingKey: PublicKey
  /** Of a reader in peks mode: events are marked for it with this key. Else left out. */
  readonly searchKey?: Uint8Array | undefined
}

/** A party with the epoch's key, sealed to it. */
export interface KeyedParty extends Party {
  readonly sealed: Uint8Array
}

/** What an epoch is. */
export interface EpochTerms {
  readonly channel: ChannelName
  readonly number: number
  /** The hash of the record before; of the first, zeros. */
  readonly before: Uint8Array
  /** Wall clock, in milliseconds. */
  readonly issued: number
  readonly from: number
  readonly until: number
  readonly mode: SecretMode
  readonly searchable: readonly Searchable[]
}

/** The signed record of an epoch. */
export interface EpochRecord extends EpochTerms {
  readonly parties: readonly KeyedParty[]
  readonly signature: Uint8Array
}

const HASH_BYTES = 32
const KEY_BYTES = 32
const SEARCH_KEY_BYTES = 96
const SIGNATURE_BYTES = 64
const GROUP_BYTES_MAX = 64
/** The label, channel, number, name and key, framed, and what the seal adds. */
const SEALED_KEY_MAX = 288
/** The name before the first. */
export const NO_RECORD: Uint8Array = new Uint8Array(HASH_BYTES)
/** Notice before a new epoch is used, so that readers listen to its tags before writers use them. */
export const NOTICE_MS = 30_000
/** How long an epoch lasts unless the keeper says otherwise. */
export const EPOCH_MS = 3_600_000
const SAID = 'coterie/events/epoch'
const SEALED = 'coterie/events/epoch key'

const partyCodec = struct<KeyedParty>({
  name: text(NODE_BYTES_MAX),
  reads: bool,
  writes: bool,
  signingKey: bytes(KEY_BYTES),
  sealingKey: bytes(KEY_BYTES),
  searchKey: option(bytes(SEARCH_KEY_BYTES)),
  sealed: bytes(SEALED_KEY_MAX),
})

const recordCodec: Codec<EpochRecord> = struct<EpochRecord>({
  channel: struct<ChannelName>({ group: text(GROUP_BYTES_MAX), name: text(CHANNEL_BYTES_MAX), id: bytes(TAG_BYTES) }),
  number: uint(),
  before: bytes(HASH_BYTES),
  issued: uint(),
  from: uint(),
  until: uint(),
  mode: oneOf(...SECRET_MODES),
  searchable: searchableCodec,
  parties: list(partyCodec, PARTIES_MAX),
  signature: bytes(SIGNATURE_BYTES),
})

/** The record as bytes. */
export function encodeRecord(record: EpochRecord): Uint8Array {
  return encode(recordCodec, record)
}

/** The record, or why the bytes are none. Says nothing about who signed it. */
export function decodeRecord(input: Uint8Array): Decoded<EpochRecord> {
  const decoded = decode(recordCodec, input)
  if (!decoded.ok) return decoded
  const why = whyNotRecord(decoded.value)
  return why === undefined ? decoded : { ok: false, refusal: why }
}

/** Records that are kept at once: the one in use, those before it in their grace, and those issued ahead. */
export const RECORDS_MAX = 16
const recordsCodec = list(bytes(CARRIED_MAX), RECORDS_MAX)

/** Several records as bytes: what is saved, and what a party's file has. */
export function encodeRecords(records: readonly EpochRecord[]): Uint8Array {
  return encode(recordsCodec, records.slice(-RECORDS_MAX).map(encodeRecord))
}

/** The records, or why the bytes are none. */
export function decodeRecords(input: Uint8Array): Decoded<readonly EpochRecord[]> {
  const decoded = decode(recordsCodec, input)
  if (!decoded.ok) return decoded
  const records: EpochRecord[] = []
  for (const one of decoded.value) {
    const record = decodeRecord(one)
    if (!record.ok) return record
    records.push(record.value)
  }
  return { ok: true, value: records }
}

function whyNotRecord({ mode, searchable, parties, from, until, issued, channel }: EpochRecord): string | undefined {
  if (channel.id.length !== TAG_BYTES) return 'a channel without an id'
  if (!(issued <= from && from < until)) return 'an epoch that ends before it begins'
  if (new Set(parties.map(({ name }) => name)).size !== parties.length) return 'a party that is listed twice'
  return whyNotApart(mode, parties) ?? whyNotSearchable(searchable)
}

/** What is wrong with the readers of a channel in which each has its own seal, as a sentence; nothing where all is well. */
export function whyNotApart(mode: SecretMode, parties: readonly Party[]): string | undefined {
  if (mode !== 'paired' && mode !== 'peks') return undefined
  const readers = parties.filter(({ reads }) => reads)
  if (readers.length > APART_READERS_MAX)
    return `a ${mode} channel seals for each reader: it has ${readers.length}, and may have ${APART_READERS_MAX}.`
  const without = readers.find(({ searchKey }) => searchKey?.length !== SEARCH_KEY_BYTES)
  return mode === 'peks' && without !== undefined ? `${without.name} has no search key.` : undefined
}

/** What the keeper signs. */
function wordsOf(record: Omit<EpochRecord, 'signature'>): Uint8Array {
  return framed(SAID, sha256(encode(recordCodec, { ...record, signature: new Uint8Array(0) })))
}

/** The hash that names a record: the next one holds it. */
export function recordHash(record: EpochRecord): Uint8Array {
  return sha256(encodeRecord(record))
}

/** What the keeper works with. */
export interface Keeper {
  readonly signer: Signer
  /** Any sealing: its own key is not used, only its `seal`. */
  readonly sealing: Pick<Sealing, 'seal'>
  readonly random: RandomBytes
}

/** The next epoch's record: a fresh key, sealed to each party. */
export function issueRecord(
  { signer, sealing, random }: Keeper,
  terms: EpochTerms,
  parties: readonly Party[],
): EpochRecord {
  const key = random(KEY_BYTES)
  const keyed = parties.map(party => ({
    ...party,
    sealed: sealing.seal(party.sealingKey, framed(SEALED, terms.channel.id, terms.number, party.name, key), random),
  }))
  const unsigned = { ...terms, parties: keyed }
  return { ...unsigned, signature: signer.sign(wordsOf(unsigned)) }
}

/** Whether the keeper signed it. */
export function isKeepers(rules: SecretRules, signatures: Signatures, keeper: PublicKey, record: EpochRecord): boolean {
  return !rules.checksRecord() || signatures.verify(keeper, wordsOf(record), record.signature)
}

/** The epoch's key, for one of its parties; nothing where it is none, or its key does not open it. */
export function keyFor(record: EpochRecord, name: string, sealing: Pick<Sealing, 'open'>): Uint8Array | undefined {
  const party = record.parties.find(one => one.name === name)
  const opened = party && sealing.open(party.sealed)
  if (opened === undefined) return undefined
  const key = opened.slice(-KEY_BYTES)
  const whole = framed(SEALED, record.channel.id, record.number, name, key)
  return whole.length === opened.length && whole.every((byte, place) => byte === opened[place]) ? key : undefined
}

/** What a writer signs to say that it has the record: until then a removed reader may still read it. */
export function receiptWords(record: EpochRecord, name: string): Uint8Array {
  return framed('coterie/events/epoch receipt', record.channel.id, record.number, recordHash(record), name)
}
