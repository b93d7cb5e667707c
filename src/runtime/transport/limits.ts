// Everything that a peer, or a stranger, could make large or long, and where we stop it.

import { assert } from '../../core/index.ts'
import { HEADER_BYTES } from './frames.ts'
import { FRAME_BYTES_MAX } from './transport.ts'

export interface Limits {
  /** The largest frame of an open connection, in and out. */
  readonly frameBytesMax: number
  /** What a peer may say at once: twice the largest frame. */
  readonly inBytesBurst: number
  /** And then, for ever. Beyond it the connection is read more slowly. */
  readonly inBytesPerSecond: number
  /** Of a peer that was caught lying, at once and for each second: enough for what locks and small objects need. */
  readonly caughtBytesPerSecond: number
  /** How long the frames of one certificate are worked at while others wait: far longer than honest ones take. */
  readonly turnMs: number
  /** What may wait for one connection: the largest frame and a second of a busy peer's messages. */
  readonly queueBytesMax: number
  /** What may wait for all connections of one certificate: three full queues, as many as a server has connections. */
  readonly queueBytesOfOwnerMax: number
  /** Large frames of one certificate of which a part has come, each counted as a whole: two of the largest. */
  readonly readingBytesOfOwnerMax: number
  /** TCP connection and TLS handshake, and then the greeting, each within this. A handshake takes some 10 ms. */
  readonly handshakeMs: number
  /** A peer that has not taken one write for this long does not read: better no connection than a useless one. */
  readonly stallMs: number
  /** A frame that has begun is complete within this, or its sender holds our memory for nothing. */
  readonly frameMs: number
  /** How often the three limits above are looked at: one timer for the transport, none for each message. */
  readonly sweepMs: number
  /** Clients' connections in total. Servers are few, have names of their own, and are never refused for this. */
  readonly clientsMax: number
  /** Connections of all processes that use one client's certificate: one client must not take the places of all. */
  readonly clientsPerNameMax: number
  /** Connections of one node. Two servers that dial each other at once have two; a third is left from before a crash. */
  readonly connectionsPerNodeMax: number
  /** TCP connections beyond those of clients: for servers and for handshakes under way, which strangers may fill. */
  readonly handshakesMax: number
  /** Handshakes under way from one address: a machine with a hundred clients that all start at once, and no more. */
  readonly handshakesPerAddressMax: number
  /** Where these are full, one that is under way for longer makes room: an honest one takes some 10 ms. */
  readonly handshakeRoomMs: number
  /** Silence after which TCP asks whether the other machine is still there (then each second, ten times). */
  readonly keepAliveMs: number
  /** What `close` gives queued frames to leave. */
  readonly closeMs: number
}

const LIMITS: Limits = {
  frameBytesMax: FRAME_BYTES_MAX,
  inBytesBurst: 32 << 20,
  inBytesPerSecond: 32 << 20,
  caughtBytesPerSecond: 1 << 20,
  turnMs: 10,
  queueBytesMax: 20 << 20,
  queueBytesOfOwnerMax: 60 << 20,
  readingBytesOfOwnerMax: 32 << 20,
  handshakeMs: 5_000,
  stallMs: 10_000,
  frameMs: 30_000,
  sweepMs: 1_000,
  clientsMax: 1_024,
  clientsPerNameMax: 256,
  connectionsPerNodeMax: 3,
  handshakesMax: 256,
  handshakesPerAddressMax: 64,
  handshakeRoomMs: 500,
  keepAliveMs: 15_000,
  closeMs: 1_000,
}

/** A stranger's first frame is a greeting, and this is more than any greeting takes. */
export const GREETING_BYTES_MAX = 512

export function limitsWith(changes: Partial<Limits>): Limits {
  const limits = { ...LIMITS, ...changes }
  assert(limits.frameBytesMax <= FRAME_BYTES_MAX, 'no connection takes more than every peer is ready to send')
  assert(limits.queueBytesMax >= limits.frameBytesMax + HEADER_BYTES, 'the largest frame fits into an empty queue')
  assert(limits.queueBytesOfOwnerMax >= limits.queueBytesMax, 'one connection may have the share of all')
  assert(limits.readingBytesOfOwnerMax >= limits.frameBytesMax + HEADER_BYTES, 'there is room for the largest frame')
  return limits
}
