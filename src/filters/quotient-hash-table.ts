// Quotient Hash Table (QHT), THESIS §3.5, algorithm 3.
//
// N rows of k cells of s bits. A hash picks the row, another the fingerprint. The fingerprint is in the row: duplicate.
// Otherwise it takes an empty cell, or the place of a random one.
//
// Guarantees: an element is found right after its insertion, in fixed memory. Later newcomers evict it (false
// negative), and another element may share row and fingerprint (false positive; k / S once all rows are full).
// It never decides security: see README.md.
//
// An empty cell is 0, so fingerprints run from 1 to S = 2^s - 1. The thesis (§3.5.2) draws again while the fingerprint
// is 0. Scaling one hash word onto 1 … S has the same distribution, to within S / 2^32, and needs no loop. Treating 0
// as 1 instead, as some do, makes that fingerprint twice as likely and the false positives with it.

import { Draws, scale } from './draws.ts'
import type { HashOptions, Key, Verdict } from './filter.ts'
import { HashedFilter } from './hashed-filter.ts'
import { PackedCells } from './packed.ts'
import { requireBits, requireCells, requireInteger } from './refusals.ts'

export interface QuotientHashTableOptions extends HashOptions {
  /** Memory for cells: M. */
  readonly bits: number
  /** Cells in a row: k. */
  readonly cells: number
  /** Width of a cell: s. */
  readonly fingerprintBits: number
}

export class QuotientHashTable extends HashedFilter {
  readonly name: string = 'QuotientHashTable'
  readonly options
  readonly rows: number
  readonly cells: number
  /** S: how many different fingerprints there are. */
  readonly fingerprints: number
  private readonly table: PackedCells
  private readonly draws: Draws

  constructor(options: QuotientHashTableOptions) {
    super(options)
    const { bits, cells, fingerprintBits } = options
    requireInteger('fingerprintBits', fingerprintBits, 1, 32)
    this.fingerprints = 2 ** fingerprintBits - 1
    this.cells = requireCells(cells, this.fingerprints, `fingerprintBits ${fingerprintBits}`)
    requireBits(bits, cells * fingerprintBits, `one row of ${cells} cells of ${fingerprintBits} bits`)
    this.rows = Math.floor(bits / (cells * fingerprintBits))
    this.table = new PackedCells(this.rows * cells, fingerprintBits)
    this.draws = new Draws(this.hash.drawsSeed)
    this.options = { bits, cells, fingerprintBits }
  }

  get bitsUsed(): number {
    return this.table.bits
  }

  stream(key: Key): Verdict {
    const one = this.hash.of(key)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  streamWords(one: number, two: number): boolean {
    const { table, cells } = this
    const fingerprint = 1 + scale(two, this.fingerprints)
    const start = scale(one, this.rows) * cells
    for (let at = start; at < start + cells; at++) {
      const held = table.get(at)
      if (held === fingerprint) return true
      // Cells fill from the left, so nothing stands behind the first empty one.
      if (held === 0) {
        table.set(at, fingerprint)
        return false
      }
    }
    table.set(cells === 1 ? start : start + this.draws.below(cells), fingerprint)
    return false
  }

  detectWords(one: number, two: number): boolean {
    const fingerprint = 1 + scale(two, this.fingerprints)
    const start = scale(one, this.rows) * this.cells
    for (let at = start; at < start + this.cells; at++) if (this.table.get(at) === fingerprint) return true
    return false
  }

  /** What is there already is not inserted again; QuotientHashTableWithDuplicates does. */
  insertWords(one: number, two: number): void {
    this.streamWords(one, two)
  }

  parts(): readonly Int32Array[] {
    return [this.table.words, this.draws.state]
  }

  clear(): void {
    this.table.clear()
  }
}
