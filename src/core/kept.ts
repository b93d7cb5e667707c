// What the saves of one lane leave behind, told in the simplest way: a list in memory. Drivers that have no disk keep
// their records in it, and what the real log hands back must be the same.
//
// An account is the whole state written bit by bit, among the saves of the day, because one record (and one stall)
// cannot hold it. While it is being written, both are there, the old records and the unfinished account; only `forget`
// drops the old ones. So a crash in the midst of it costs nothing but the work, and the next life, which does not know
// how far the last one came, begins anew: an account begun in an earlier life can never be declared whole.

/** How a record stands to those before it in its lane: behind them, in their place, or first of a new account. */
export type SaveKind = 'append' | 'replace' | 'begin'

/** One lane in one life of its node. */
export class KeptLane {
  private kept: Uint8Array[]
  /** Where the newest account of this life begins. */
  private begun: number | undefined

  constructor(found: readonly Uint8Array[] = []) {
    this.kept = [...found]
  }

  get records(): readonly Uint8Array[] {
    return this.kept
  }

  save(record: Uint8Array, kind: SaveKind): void {
    if (kind === 'replace') {
      this.kept = []
      this.begun = undefined
    }
    if (kind === 'begin') this.begun = this.kept.length
    this.kept.push(record)
  }

  forget(): void {
    if (this.begun === undefined) return
    this.kept.splice(0, this.begun)
    this.begun = 0
  }
}
