// What carries frames between nodes. The node above encodes and decodes; a transport knows bytes and identities only.
// Delivery is best effort and at most once: a frame may be lost, never altered, never given a false sender.
// Frames from one peer over one connection arrive in the order in which they were sent.

import type { NodeId } from '../../core/index.ts'

/** A frame larger than this is refused before it is read. The largest of ours carry the change of an object: 15 MiB. */
export const FRAME_BYTES_MAX = 16 << 20

/** Called from a fresh turn of the event loop, never from inside `send`; not called once `close` has been. */
export interface TransportEvents {
  /** A frame from an authenticated peer. The bytes are valid during the call only. */
  frame(from: NodeId, frame: Uint8Array): void
  /** A peer can be reached now. */
  up(peer: NodeId): void
  /** A peer can no longer be reached; what was queued for it is lost. */
  down(peer: NodeId, why: string): void
}

export interface Transport {
  readonly self: NodeId
  /**
   * Takes the bytes over before it returns. Drops the frame, and counts it, where the peer cannot be reached or its
   * queue is full. A node cannot reach itself: a driver hands such a message over without a transport.
   */
  send(to: NodeId, frame: Uint8Array): void
  /**
   * No more is taken of whoever has this peer's certificate, over any connection, until it is let go: what it says meanwhile waits in
   * its own machine. A transport within one process need not be able to.
   */
  hold?(peer: NodeId, isHeld: boolean): void
  /** Peers that can be reached now. */
  connected(): readonly NodeId[]
  /** Frames dropped so far, by reason. */
  dropped(): Readonly<Record<DropReason, number>>
  /** Sends what is queued (within a second), then ends all connections. */
  close(): Promise<void>
}

export type DropReason =
  /** No connection, and none is being made. */
  | 'unreachable'
  /** The peer reads more slowly than we write. */
  | 'queue full'
  /** Over `FRAME_BYTES_MAX`: a bug of the sender. */
  | 'too large'
  /** Queued, but the connection ended, or could not be made, before the frame left. */
  | 'connection lost'

export type Drops = Record<DropReason, number>

export function noDrops(): Drops {
  return { unreachable: 0, 'queue full': 0, 'too large': 0, 'connection lost': 0 }
}

/** How much a line of the log matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/**
 * Where a node's lines go.
 *
 * @example
 * ```ts
 * const log: coterie.Log = (level, message, fields) => console.error(level, message, JSON.stringify(fields))
 * await coterie.connect({ config: path, log })
 * ```
 */
export type Log = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void
