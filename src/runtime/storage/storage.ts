// What keeps the records that a machine saves. A record is durable when it will be there after a power cut.
//
// A node saves, and only when the record is durable does it promise. So a store has one duty above all: never to call
// durable what it could lose, and never to hand back, after a crash, what was not saved. It may hand back a record
// that was saved and not yet called durable: the node had promised nothing on it, and a record is true in any case.

import type { Saved, SaveKind } from '../../core/index.ts'

export interface Storage {
  /** What was durable when the store was last used, by lane, oldest first. To be asked once, before the first save. */
  read(): Promise<Saved>
  /**
   * Appends a record to a lane ('append'), puts it in the place of all records of that lane ('replace'), or appends it
   * as the first of a new account ('begin').
   * Takes the bytes over before it returns. Calls `durable` once, later, when the record is durable and all before it
   * are, in the order of the calls for that lane.
   * Without `durable` the record is lazy: it costs no flush of its own, and goes out with the next record that somebody
   * waits for, after a short while, or at `close`.
   * After a failed write nothing is ever called durable again: `failed` (given when the store was opened) is called once.
   */
  save(lane: string, record: Uint8Array, kind: SaveKind, durable?: () => void): void
  /**
   * Drops the records of the lane before the newest 'begin', if there was one since the store was opened and since the
   * last 'replace'; else nothing. As a lazy record does, it goes out later, and never ahead of what was saved before.
   */
  forget(lane: string): void
  /** Waits until all is durable (or the store has failed), then lets go of the files. Nothing may be saved after it. */
  close(): Promise<void>
}

/** A place that can be opened again after its node has ended, cleanly or not. */
export interface Store {
  /** `failed` is called at most once: the store can keep nothing any more, and the node must stop. */
  open(failed: (error: Error) => void): Promise<Storage>
}

/** A record larger than this is a bug of the protocol that saves it: the largest snapshot of ours is far below. */
export const RECORD_BYTES_MAX = 16 << 20

/** A lane is the name of a node's part, or of a part's part; its length is written in one byte. */
export const LANE_BYTES_MAX = 255
