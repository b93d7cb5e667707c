// Semi-sorting (THESIS §3.5.3, after Fan and others): rows of four 4-bit fingerprints in 12 bits instead of 16.
//
// The order of fingerprints in a row means nothing to a QHT. Sorted, a row has only 3,876 forms (four out of sixteen
// with repetition), and 3,876 < 2^12. So a row is kept as the number of its sorted form: a quarter of the memory saved
// for two table look-ups. Rows are sorted downwards, so that empty cells (0) still come last.
//
// Not for queued rows: there the order is the age.

import { type Cells, PackedCells } from './packed.ts'

export const SEMI_SORTED_CELLS = 4
export const SEMI_SORTED_BITS = 4
export const SEMI_SORTED_ROW_BITS = 12
const FORMS = 3876

interface Tables {
  /** Form to the row's four nibbles, first cell lowest. */
  readonly rowOf: Uint16Array
  /** The reverse, for sorted rows. */
  readonly formOf: Uint16Array
}

let shared: Tables | undefined

/** 140 kB, built on first use and shared by all filters. */
function tables(): Tables {
  if (shared !== undefined) return shared
  const rowOf = new Uint16Array(FORMS)
  const formOf = new Uint16Array(0x10000)
  let form = 0
  for (let row = 0; row < 0x10000; row++) {
    if (sorted(row) !== row) continue
    rowOf[form] = row
    formOf[row] = form++
  }
  shared = { rowOf, formOf }
  return shared
}

function sorted(row: number): number {
  const cells = [row & 15, (row >> 4) & 15, (row >> 8) & 15, row >> 12].sort((a, b) => b - a)
  return cells[0]! | (cells[1]! << 4) | (cells[2]! << 8) | (cells[3]! << 12)
}

/** Looks like packed cells, except that `set` may move the other cells of the row. */
export class SemiSortedCells implements Cells {
  private readonly rows: PackedCells
  private readonly tables = tables()

  constructor(rows: number) {
    this.rows = new PackedCells(rows, SEMI_SORTED_ROW_BITS)
  }

  get bits(): number {
    return this.rows.bits
  }

  get words(): Int32Array {
    return this.rows.words
  }

  get(index: number): number {
    const row = this.tables.rowOf[this.rows.get(index >>> 2)]!
    return (row >>> ((index & 3) << 2)) & 15
  }

  set(index: number, value: number): void {
    const { rowOf, formOf } = this.tables
    let row = rowOf[this.rows.get(index >>> 2)]!
    let at = index & 3
    row = put(row, at, value)
    // One cell is out of order: let it sink to the left, then to the right.
    for (; at > 0 && cell(row, at - 1) < value; at--) row = put(put(row, at, cell(row, at - 1)), at - 1, value)
    for (; at < 3 && cell(row, at + 1) > value; at++) row = put(put(row, at, cell(row, at + 1)), at + 1, value)
    this.rows.set(index >>> 2, formOf[row]!)
  }

  clear(): void {
    this.rows.clear()
  }
}

function cell(row: number, at: number): number {
  return (row >>> (at << 2)) & 15
}

function put(row: number, at: number, value: number): number {
  return (row & ~(15 << (at << 2))) | (value << (at << 2))
}
