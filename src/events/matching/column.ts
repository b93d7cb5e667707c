// One range of the entries of a bucket, as rows of bits: for each cell of its attribute two of them, interleaved, `may` (the
// range touches the cell) and `sure` (it covers it).

import type { Arena } from './arena.ts'
import type { Attribute } from './attribute.ts'
import type { Edges } from './axis.ts'
import { setBit } from './vetoes.ts'

export class Column {
  readonly attribute: Attribute
  readonly edges: Edges
  /** For each cell, for each word: may, sure. */
  readonly rows: Int32Array
  /** By slot, so that neighbours are compared from one line of the cache. */
  readonly from: Float64Array
  readonly to: Float64Array
  /** Of each cell the first and the last word that is not zero, among the slots that are sorted. */
  private windows = new Int16Array(0)
  private readonly words: number
  /** Which of the arena's ranges it is. */
  private readonly range: number

  constructor(arena: Arena, range: number, words: number) {
    this.attribute = arena.ranges[range]!
    this.edges = this.attribute.axis.divided()
    this.range = range
    this.words = words
    this.rows = new Int32Array(this.edges.cells * words * 2)
    this.from = new Float64Array(words * 32)
    this.to = new Float64Array(words * 32)
  }

  /** Puts the range of an entry into a slot. */
  set(slot: number, arena: Arena, entry: number): void {
    const { edges, rows, words } = this
    const from = arena.from[this.range]![entry]!
    const to = arena.to[this.range]![entry]!
    this.from[slot] = from
    this.to[slot] = to
    const first = edges.cellOf(from)
    const last = edges.cellOf(to)
    const bit = 1 << (slot & 31)
    let at = (first * words + (slot >> 5)) * 2
    for (let cell = first; cell <= last; cell++, at += words * 2) {
      rows[at]! |= bit
      const covers = (cell > first || edges.coversStart(cell, from)) && (cell < last || edges.coversEnd(cell, to))
      if (covers) rows[at + 1]! |= bit
    }
  }

  /** Where the row of the event's cell begins. */
  rowOf(event: number): number {
    return this.edges.cellFor(event, this.attribute.number) * this.words * 2
  }

  /** Finds the windows of the slots that there are. */
  measure(): void {
    const { rows, edges, words } = this
    this.windows = new Int16Array(2 * edges.cells)
    for (let cell = 0; cell < edges.cells; cell++) {
      const start = cell * words * 2
      let first = 0
      let last = words - 1
      while (first <= last && rows[start + 2 * first] === 0) first++
      while (last >= first && rows[start + 2 * last] === 0) last--
      // Nothing there: the window ends before the first word, or what comes later, behind the sorted, would lie within it.
      if (first > last) last = -1
      this.windows[2 * cell] = first
      this.windows[2 * cell + 1] = last
    }
  }

  /** The first word of the window of the event's cell. */
  firstWord(event: number): number {
    return this.windows[2 * this.edges.cellFor(event, this.attribute.number)]!
  }

  /** And the last. */
  lastWord(event: number): number {
    return this.windows[2 * this.edges.cellFor(event, this.attribute.number) + 1]!
  }
}

/** The order of an arena's ranges, the narrowest among these entries first. */
export function narrowestFirst(arena: Arena, entries: readonly number[]): number[] {
  const touched = arena.ranges.map(({ axis }, range) => {
    const edges = axis.divided()
    let sum = 0
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at]!
      sum += edges.cellOf(arena.to[range]![entry]!) - edges.cellOf(arena.from[range]![entry]!) + 1
    }
    return sum / edges.cells
  })
  return touched.map((_, range) => range).sort((a, b) => touched[a]! - touched[b]!)
}

/** Places of entries by the middle of their range. */
export function sortedBy(arena: Arena, range: number | undefined, entries: readonly number[]): Int32Array {
  const marks = new Int32Array(entries.length)
  const scale = 1 << Math.ceil(Math.log2(entries.length + 1))
  const edges = range === undefined ? undefined : arena.ranges[range]!.axis.divided()
  for (let place = 0; place < entries.length; place++) {
    const entry = entries[place]!
    const middle =
      edges === undefined ? 0 : edges.cellOf(arena.from[range!]![entry]!) + edges.cellOf(arena.to[range!]![entry]!)
    marks[place] = middle * scale + place
  }
  marks.sort()
  for (let slot = 0; slot < marks.length; slot++) marks[slot]! %= scale
  return marks
}

/** A row with the first so many slots set. */
export function rowOfFirst(slots: number, words: number): Int32Array {
  const row = new Int32Array(words)
  for (let slot = 0; slot < slots; slot++) setBit(row, slot)
  return row
}
