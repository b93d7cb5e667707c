// What carries frames between nodes. The node above encodes and decodes; a transport knows bytes and identities only.
// Delivery is best effort and at most once: a frame may be lost, never altered, never given a false sender.

import type { NodeId } from '../../core/index.ts'

/** A frame larger than this is refused before it is read: no message of ours comes near it. */
export const FRAME_BYTES_MAX = 1 << 20

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
  /** Takes the bytes over before it returns. Drops the frame, and counts it, where the peer cannot be reached or its queue is full. */
  send(to: NodeId, frame: Uint8Array): void
  /** Peers that can be reached now. */
  connected(): readonly NodeId[]
  /** Frames dropped so far, by reason. */
  dropped(): Readonly<Record<string, number>>
  /** Sends what is queued (within a second), then ends all connections. */
  close(): Promise<void>
}
