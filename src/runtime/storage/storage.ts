// What keeps the records that a machine saves. A record is durable when it will be there after a power cut.
//
// A node saves, and only when the record is durable does it promise. So a store has one duty above all: never to call
// durable what it could lose, and never to hand back, after a crash, what was not saved. It may hand back a record
// that was saved and not yet called durable: the node had promised nothing on it, and a record is true in any case.

import type { Saved } from '../../core/index.ts'

export interface Storage {
  /** What was durable when the store was last used, by lane, oldest first. To be asked once, before the first save. */
  read(): Promise<Saved>
  /**
   * Appends a record to a lane, or, with `replaces`, puts it in the place of all records of that lane.
   * Takes the bytes over before it returns. Calls `durable` once, later, when the record is durable,
   * in the order of the calls for that lane.
   * After a failed write nothing is ever called durable again: `failed` (given when the store was opened) is called once.
   */
  save(lane: string, record: Uint8Array, replaces: boolean, durable: () => void): void
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
