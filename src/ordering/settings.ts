// What all members of a group must agree on about objects, and what a client may choose for itself.

import type { Millis, NodeId } from '../core/index.ts'
import type { Applier } from './applier.ts'

import { type OrderingRules, orderingRules } from './rules.ts'
import { ANSWER_BYTES_MAX } from './wire.ts'

/** 32 bytes of any bytes; collisions must be out of reach. */
export type Hash = (input: Uint8Array) => Uint8Array

/** Signatures on ranks (BACKOFF §6.2's alternative): a refusal that shows one is believed alone. */
export interface RankProofs {
  /** This client's signature over the bytes that stand for a rank. Servers have none. */
  sign?(message: Uint8Array): Uint8Array
  verify(client: NodeId, message: Uint8Array, signature: Uint8Array): boolean
}

/** What servers and clients of objects must agree on, and their patience. */
export interface OrderingSettings {
  readonly liars: number
  readonly crashes: number
  readonly hash: Hash
  /** The applier of an object, or undefined where this process does not know the object: it cannot take its turn then. */
  findApplier(object: string): Applier | undefined
  /** How long a client keeps its turn at a server after its last message. */
  readonly turnMs: Millis
  /** After how long a client says again what was not answered; grows up to the bound. */
  readonly retryMin: Millis
  readonly retryMax: Millis
  /** Clock rates lie between 1 - drift and 1 + drift. */
  readonly drift: number
  /** How many of the last changes a server keeps for those who lag, and at most how many bytes of them. */
  readonly recentChangesMax: number
  readonly recentBytesMax: number
  /** How many bytes of log call for a checkpoint, and how many one step of it writes. */
  readonly checkpointBytesMin: number
  readonly checkpointPageBytes: number
  /** Bytes of one page when a table is copied. */
  readonly copyPageBytes: number
  /** How many bytes a client keeps of what one server says and too few others vouch for. One message always fits. */
  readonly shareBytesMax: number
  /** The longest attempt of a client. A server that came back empty does not vote until it is over. */
  readonly attemptMax: Millis
  /** How far above its own wall clock a server promises a rank: beyond it one get would end an object for good. */
  readonly rankAheadMax: Millis
  /** Names of the clients that may repair an object. */
  readonly operators: readonly string[]
  /** This server has lost its store and is to take its state from the others. */
  readonly rejoins: boolean
  /** For servers: nothing is voted on until the command `go` says that no other server knows of a later life. */
  readonly holds: boolean
  readonly proofs: RankProofs | undefined
  readonly rules: OrderingRules
}

/** The longest that somebody keeps the turn at a server after its last message, however slow it is. */
const TURN_MAX: Millis = 1_000

export function longestTurn({ turnMs }: OrderingSettings): Millis {
  return Math.max(turnMs, TURN_MAX)
}

/** Settings of a group that says nothing else; a process that runs brings the hash of its platform (defaults.ts has one). */
export const orderingBasics: Omit<OrderingSettings, 'hash'> = {
  liars: 0,
  crashes: 1,
  findApplier: () => undefined,
  turnMs: 150,
  retryMin: 100,
  retryMax: 2_000,
  drift: 0.01,
  recentChangesMax: 10_000,
  recentBytesMax: 32 * 2 ** 20,
  checkpointBytesMin: 16 * 2 ** 20,
  checkpointPageBytes: 2 ** 18,
  copyPageBytes: ANSWER_BYTES_MAX,
  shareBytesMax: 16 * 2 ** 20,
  attemptMax: 60_000,
  rankAheadMax: 24 * 60 * 60 * 1000,
  operators: [],
  rejoins: false,
  holds: false,
  proofs: undefined,
  rules: orderingRules,
}
