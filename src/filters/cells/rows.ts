// A row of cells, filled from the left: the common ground of the quotient hash tables and the streaming quotient filter.
// 0 is an empty cell, and nothing stands behind the first empty one.

import type { Draws } from './draws.ts'
import type { PackedCells } from './packed.ts'

export function rowHolds(table: PackedCells, start: number, cells: number, fingerprint: number): boolean {
  for (let at = start; at < start + cells; at++) if (table.get(at) === fingerprint) return true
  return false
}

/** THESIS algorithm 3: true when the fingerprint was there; else it takes an empty cell, or a random one's place. */
export function streamRow(
  table: PackedCells,
  start: number,
  cells: number,
  fingerprint: number,
  draws: Draws,
): boolean {
  let at = start
  for (; at < start + cells; at++) {
    const held = table.get(at)
    if (held === fingerprint) return true
    if (held === 0) break
  }
  if (at === start + cells) at = cells === 1 ? start : start + draws.below(cells)
  table.set(at, fingerprint)
  return false
}

/** THESIS §3.7.1: as above, but what was there is put in once more. */
export function streamRowAgain(
  table: PackedCells,
  start: number,
  cells: number,
  fingerprint: number,
  draws: Draws,
): boolean {
  let found = false
  let at = start
  for (; at < start + cells; at++) {
    const held = table.get(at)
    if (held === fingerprint) found = true
    if (held === 0) break
  }
  if (at === start + cells) at = cells === 1 ? start : start + draws.below(cells)
  table.set(at, fingerprint)
  return found
}

/** THESIS algorithm 4: the newest stands first, everything moves one cell on, and the oldest falls out. */
export function streamRowQueue(table: PackedCells, start: number, cells: number, fingerprint: number): boolean {
  let found = false
  let moving = fingerprint
  for (let at = start; at < start + cells && moving !== 0; at++) {
    const held = table.get(at)
    if (held === fingerprint) found = true
    if (held !== moving) table.set(at, moving)
    moving = held
  }
  return found
}
