// Which records of a log still count. A record is dead when a later one of its lane replaced it, so it is enough to
// know, for each lane, where the last replacement stands: all before it is dead, all from there on is alive.

interface Lane {
  /** Position of the oldest living record. */
  from: number
  /** What the living records take in the file. */
  bytes: number
}

export class Lanes {
  private readonly lanes = new Map<string, Lane>()
  /** The sum over all lanes: what a rewritten log would take. */
  livingBytes = 0

  note(name: string, position: number, bytes: number, replaces: boolean): void {
    const lane = this.lanes.get(name)
    this.livingBytes += bytes
    if (lane === undefined) this.lanes.set(name, { from: position, bytes })
    else if (replaces) {
      this.livingBytes -= lane.bytes
      lane.from = position
      lane.bytes = bytes
    } else lane.bytes += bytes
  }

  isLiving(name: string, position: number): boolean {
    const lane = this.lanes.get(name)
    return lane !== undefined && position >= lane.from
  }
}
