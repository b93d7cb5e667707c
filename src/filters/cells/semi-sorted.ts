// Semi-sorting (THESIS §3.5.3, after Fan and others): rows of four 4-bit fingerprints in 12 bits instead of 16.
//
// The order of fingerprints in a row means nothing to a QHT. Sorted, a row has only 3,876 forms (four out of sixteen
// with repetition), and 3,876 < 2^12. So a row is kept as the number of its sorted form: a quarter of the memory saved
// for two table look-ups. Rows are sorted downwards, so that empty cells (0) still come last.
//
// Not for queued rows: there the order is the age. The rows have code of their own and do not pose as packed cells: two
// kinds of cells behind one call would slow down the common kind.

import type { Draws } from './draws.ts'
import { PackedCells } from './packed.ts'

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

export class SemiSortedRows {
  readonly table: PackedCells
  private readonly rowOf: Uint16Array
  private readonly formOf: Uint16Array

  constructor(rows: number) {
    this.table = new PackedCells(rows, SEMI_SORTED_ROW_BITS)
    this.rowOf = tables().rowOf
    this.formOf = tables().formOf
  }

  holds(row: number, fingerprint: number): boolean {
    return includes(this.rowOf[this.table.get(row)]!, fingerprint)
  }

  /** Algorithm 3 on one row; with `again`, what was there is put in once more (§3.7.1). */
  stream(row: number, fingerprint: number, draws: Draws, again: boolean): boolean {
    const cells = this.rowOf[this.table.get(row)]!
    const found = includes(cells, fingerprint)
    if (found && !again) return true
    const at = cell(cells, 3) === 0 ? 3 : draws.below(4)
    this.table.set(row, this.formOf[replaced(cells, at, fingerprint)]!)
    return found
  }
}

function includes(row: number, fingerprint: number): boolean {
  return (
    cell(row, 0) === fingerprint ||
    cell(row, 1) === fingerprint ||
    cell(row, 2) === fingerprint ||
    cell(row, 3) === fingerprint
  )
}

/** The row with another fingerprint in one cell, sorted again: only that one can be out of order. */
function replaced(sortedRow: number, index: number, value: number): number {
  let at = index
  let row = put(sortedRow, at, value)
  for (; at > 0 && cell(row, at - 1) < value; at--) row = put(put(row, at, cell(row, at - 1)), at - 1, value)
  for (; at < 3 && cell(row, at + 1) > value; at++) row = put(put(row, at, cell(row, at + 1)), at + 1, value)
  return row
}

function cell(row: number, at: number): number {
  return (row >>> (at << 2)) & 15
}

function put(row: number, at: number, value: number): number {
  return (row & ~(15 << (at << 2))) | (value << (at << 2))
}
