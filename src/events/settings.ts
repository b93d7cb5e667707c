// What the servers and clients of a group must know about events.

import type { Millis } from '../core/index.ts'
import type { PublicKey, Signatures, Signer } from '../crypto/index.ts'
import { type EventsRules, eventsRules } from './rules.ts'

/** A hash of 32 bytes. */
export type Hash = (input: Uint8Array) => Uint8Array

/** Whose signatures are believed: the key in a client's certificate, if the certificate is of that name. */
export interface EventKeys {
  readonly signatures: Signatures
  keyOf(name: string, identity: Uint8Array): PublicKey | undefined
}

/** Settings of both halves. */
export interface EventsSettings {
  readonly rules: EventsRules
  /** Bound into every signature, so that nothing of one group is worth anything in another. */
  readonly group: string
  /** b: servers that may do anything. */
  readonly liars: number
  /** f: servers that may be gone, liars included. */
  readonly crashes: number
  readonly hash: Hash
  /** Needed where a server may lie; without liars the server's word is enough, and nothing is signed. */
  readonly keys?: EventKeys
  /** How often heads are told, and what was lost is said again. */
  readonly beat: Millis
  /** Bytes of events that a server keeps, and of one author's among them: beyond, it takes no more. */
  readonly bytesMax: number
  readonly authorBytesMax: number
  /** Bytes that one client's subscriptions, cursors and queues take of a server, and those of all clients. */
  readonly clientBytesMax: number
  readonly clientsBytesMax: number
  /** Bytes of one server's words that are kept while too few others say the same, by a client or another server. */
  readonly shareBytesMax: number
}

/** Settings of a client: who signs for it. */
export interface EventsClientSettings extends EventsSettings {
  readonly signer?: Signer
  /** The certificate whose key signs. */
  readonly identity?: Uint8Array
}

/** Everything but the hash. */
export const eventsBasics: Omit<EventsSettings, 'hash'> = {
  rules: eventsRules,
  group: '',
  liars: 0,
  crashes: 1,
  beat: 100,
  bytesMax: 256_000_000,
  authorBytesMax: 64_000_000,
  clientBytesMax: 32 * 2 ** 20,
  clientsBytesMax: 512 * 2 ** 20,
  shareBytesMax: 16 * 2 ** 20,
}
