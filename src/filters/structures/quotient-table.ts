// What the three quotient hash tables share: rows of k cells of s bits, and where an element's row and fingerprint are.

import { Draws, scale } from '../cells/draws.ts'
import { PackedCells } from '../cells/packed.ts'
import { rowHolds } from '../cells/rows.ts'
import { SEMI_SORTED_BITS, SEMI_SORTED_CELLS, SEMI_SORTED_ROW_BITS, SemiSortedRows } from '../cells/semi-sorted.ts'
import type { HashOptions, SnapshotOptions } from '../filter.ts'
import { FilterError, filterOptions, HASH_NAMES, requireBits, requireCells, requireInteger } from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'

/** What all tables of fingerprints are made with. */
export interface QuotientTableOptions extends HashOptions {
  /** Memory for cells: M. */
  readonly bits: number
  /** Cells in a row: k. */
  readonly cells: number
  /** Width of a cell: s. */
  readonly fingerprintBits: number
}

const TABLE_NAMES = { bits: true, cells: true, fingerprintBits: true, ...HASH_NAMES } as const
export const checkQuotientTable = filterOptions<QuotientTableOptions>(TABLE_NAMES)
/** With what those that can sort their rows know besides. */
export const checkSortable = filterOptions<QuotientTableOptions & { readonly semiSort?: boolean | undefined }>({
  ...TABLE_NAMES,
  semiSort: true,
})

export abstract class QuotientTable extends HashedFilter {
  readonly options: SnapshotOptions
  readonly rows: number
  readonly cells: number
  /** S = 2^s - 1: how many different fingerprints there are, 0 being the empty cell. */
  readonly fingerprints: number
  protected readonly table: PackedCells
  /** The rows of `table`, if they are semi-sorted. */
  protected readonly sorted: SemiSortedRows | null
  protected readonly draws: Draws

  constructor(options: QuotientTableOptions, semiSort: boolean) {
    super(options)
    const { bits, cells, fingerprintBits } = options
    requireInteger('fingerprintBits', fingerprintBits, 1, 32)
    this.fingerprints = 2 ** fingerprintBits - 1
    this.cells = requireCells(cells, this.fingerprints, `fingerprintBits ${fingerprintBits}`)
    if (semiSort) requireSemiSortable(cells, fingerprintBits)
    const rowBits = semiSort ? SEMI_SORTED_ROW_BITS : cells * fingerprintBits
    requireBits(bits, rowBits, `one row of ${cells} cells of ${fingerprintBits} bits`)
    this.rows = Math.floor(bits / rowBits)
    this.sorted = semiSort ? new SemiSortedRows(this.rows) : null
    this.table = this.sorted?.table ?? new PackedCells(this.rows * cells, fingerprintBits)
    this.draws = new Draws(this.hash.drawsSeed)
    this.options = { bits, cells, fingerprintBits, ...(semiSort ? { semiSort } : {}) }
  }

  get bitsUsed(): number {
    return this.table.bits
  }

  /**
   * From 1 to S. The thesis (§3.5.2) hashes again while the fingerprint is 0. Scaling one word onto 1 … S has the same
   * distribution, to within S / 2^32, and no loop. Calling 0 a 1 instead would make that fingerprint twice as likely.
   */
  protected fingerprintOf(two: number): number {
    return 1 + scale(two, this.fingerprints)
  }

  protected startOf(one: number): number {
    return scale(one, this.rows) * this.cells
  }

  detectWords(one: number, two: number): boolean {
    if (this.sorted !== null) return this.sorted.holds(scale(one, this.rows), this.fingerprintOf(two))
    return rowHolds(this.table, this.startOf(one), this.cells, this.fingerprintOf(two))
  }

  protected streamSorted(sorted: SemiSortedRows, one: number, two: number, again: boolean): boolean {
    return sorted.stream(scale(one, this.rows), this.fingerprintOf(two), this.draws, again)
  }

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

function requireSemiSortable(cells: number, fingerprintBits: number): void {
  if (cells === SEMI_SORTED_CELLS && fingerprintBits === SEMI_SORTED_BITS) return
  throw new FilterError(
    `semiSort is true with cells ${cells} and fingerprintBits ${fingerprintBits}: it works for ` +
      `cells ${SEMI_SORTED_CELLS} and fingerprintBits ${SEMI_SORTED_BITS} only`,
  )
}
