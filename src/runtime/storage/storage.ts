// What keeps the records that a machine saves. A record is durable when it will be there after a power cut.

import type { Saved } from '../../core/index.ts'

export interface Storage {
  /** What was durable when the store was last used, by lane, oldest first. */
  read(): Promise<Saved>
  /**
   * Appends a record to a lane, or, with `replaces`, puts it in the place of all records of that lane.
   * Calls `durable` once, when the record is durable, in the order of the calls for that lane.
   * After a failed write nothing is ever called durable again: `failed` (given when the store was opened) is called once.
   */
  save(lane: string, record: Uint8Array, replaces: boolean, durable: () => void): void
  /** Waits until all is durable, then lets go of the files. */
  close(): Promise<void>
}
