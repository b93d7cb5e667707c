// Which records of a log still count. A record is dead when a later one of its lane replaced it, or when a whole account
// of its lane begins behind it. Either way all before one place is dead and all from there on is alive, so it is enough
// to know that place for each lane, and what stands in front of the newest account.

import type { RecordKind } from './records.ts'

interface Lane {
  /** Position of the oldest living record. */
  from: number
  /** What the living records take in the file. */
  bytes: number
  /** Where the newest account begins, and what the living records in front of it take. */
  begun: { readonly position: number; readonly bytesBefore: number } | undefined
}

export class Lanes {
  private readonly lanes = new Map<string, Lane>()
  /** The sum over all lanes: what a rewritten log would take. */
  livingBytes = 0

  note(name: string, position: number, bytes: number, kind: RecordKind): void {
    const lane = this.lanes.get(name) ?? { from: position, bytes: 0, begun: undefined }
    this.lanes.set(name, lane)
    if (kind === 'replace') {
      this.drop(lane, position, lane.bytes)
      lane.begun = undefined
    } else if (kind === 'begin') lane.begun = { position, bytesBefore: lane.bytes }
    else if (kind === 'forget' && lane.begun !== undefined) {
      const { position: start, bytesBefore } = lane.begun
      this.drop(lane, start, bytesBefore)
      lane.begun = { position: start, bytesBefore: 0 }
    }
    // A `forget` lives as long as the account that it made whole: copied while records before it were, it drops them.
    lane.bytes += bytes
    this.livingBytes += bytes
  }

  isLiving(name: string, position: number): boolean {
    const lane = this.lanes.get(name)
    return lane !== undefined && position >= lane.from
  }

  private drop(lane: Lane, from: number, bytes: number): void {
    lane.from = from
    lane.bytes -= bytes
    this.livingBytes -= bytes
  }
}
