// Counters that lose one, many at a time: Stable Bloom takes one from dozens of neighbouring cells per element.
//
// Where a cell's width divides 32, all cells of a word go in one step: fold each cell onto its lowest bit (1 when the
// cell is not zero), keep the cells of the run, subtract. No cell borrows from its neighbour, because zero cells are
// left alone.

import type { PackedCells } from './packed.ts'

/** Takes one from every non-zero cell in [from, from + count), which must not pass the end. */
export function decrementRun(cells: PackedCells, from: number, count: number): void {
  const { width } = cells
  if (32 % width !== 0 || width === 32) decrementEach(cells, from, count)
  else decrementWords(cells.words, width, from * width, (from + count) * width)
}

function decrementEach(cells: PackedCells, from: number, count: number): void {
  for (let at = from; at < from + count; at++) {
    const held = cells.get(at)
    if (held !== 0) cells.set(at, held - 1)
  }
}

function decrementWords(words: Int32Array, width: number, startBit: number, endBit: number): void {
  const lowest = LOWEST[width]!
  const last = (endBit - 1) >>> 5
  for (let word = startBit >>> 5; word <= last; word++) {
    const held = words[word]!
    if (held === 0) continue
    let folded = held
    for (let shift = 1; shift < width; shift <<= 1) folded |= folded >>> shift
    let mask = lowest
    if (word === startBit >>> 5) mask &= -1 << (startBit & 31)
    if (word === last) mask &= -1 >>> (31 - ((endBit - 1) & 31))
    words[word] = held - (folded & mask)
  }
}

/**
 * Takes `by` from every cell, down to zero: the one pass over everything that a clock's turn costs. Cells are narrower
 * than 32 bits here. Whether a cell is above `by` cannot be foreseen, so there is no branch: a negative rest is masked.
 */
export function lowerAll(cells: PackedCells, by: number): void {
  const { words, width, count } = cells
  const mask = 2 ** width - 1
  for (let at = 0, bit = 0; at < count; at++, bit += width) {
    const word = bit >>> 5
    const shift = bit & 31
    const held = ((words[word]! >>> shift) | ((words[word + 1]! << 1) << (31 - shift))) & mask
    const lowered = (held - by) & ~((held - by) >> 31)
    // Flip the bits that differ: the cell may lie across two words, and a subtraction would have to borrow.
    const change = held ^ lowered
    words[word] = words[word]! ^ (change << shift)
    words[word + 1] = words[word + 1]! ^ ((change >>> 1) >>> (31 - shift))
  }
}

/** For each width the word whose cells are all 1. */
const LOWEST: Readonly<Record<number, number>> = {
  1: 0xffffffff | 0,
  2: 0x55555555,
  4: 0x11111111,
  8: 0x01010101,
  16: 0x00010001,
}
