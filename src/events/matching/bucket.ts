// Many entries with the same keys, and ranges or vetoes: found by rows of bits.
//
// For each range and each cell of its attribute there are two rows, interleaved: `may` (the range touches the cell) and
// `sure` (it covers it). The rows of the event's cells are joined by AND: what is sure in all is a hit, what may be is
// compared. Slots are sorted by the middle of the narrowest range, and every cell keeps the first and last word of its row
// that is not zero, so that only that window is read.
//
// A bucket is built once; then entries only die in it. It is never larger than what is built in a few milliseconds.

import type { Predicate } from '../canonical.ts'
import type { Scalar } from '../values.ts'
import type { Arena } from './arena.ts'
import type { Attribute } from './attribute.ts'
import type { Edges } from './axis.ts'
import type { Visit } from './visit.ts'

/** Entries of a bucket: its rows are then 256 words, and building it takes a few milliseconds. */
export const BUCKET_MAX = 8192

interface Column {
  readonly attribute: Attribute
  readonly edges: Edges
  /** For each cell, for each word: may, sure. */
  readonly rows: Int32Array
  /** By slot, so that neighbours are compared from one line of the cache. */
  readonly from: Float64Array
  readonly to: Float64Array
}

/** The slots that a value rules out: few as a list, many as a row. */
type Veto = { readonly row: boolean; readonly words: Int32Array }

export class Bucket {
  readonly slots: Int32Array
  live: number
  private readonly arena: Arena
  private readonly owners: Int32Array
  private readonly words: number
  private readonly alive: Int32Array
  private readonly columns: Column[] = []
  /** Of the first column, for each cell: the first and the last word that is not zero. */
  private readonly windows: Int16Array
  private readonly vetoes: ReadonlyMap<Attribute, Map<Scalar, Veto>>
  private readonly mask: Int32Array

  /** Of these entries; `number` is its place in its leaf. */
  constructor(arena: Arena, entries: readonly number[], vetoed: readonly Attribute[], number: number) {
    const spans = spansOf(arena, entries)
    const order = sortedBy(spans[0], entries.length)
    this.arena = arena
    this.slots = Int32Array.from(order, place => entries[place]!)
    this.owners = this.slots.map(entry => arena.owners[entry]!)
    this.live = entries.length
    this.words = (entries.length + 31) >> 5
    this.alive = new Int32Array(this.words)
    for (let slot = 0; slot < entries.length; slot++) {
      setBit(this.alive, slot)
      arena.places[this.slots[slot]!] = ~(number * BUCKET_MAX + slot)
    }
    for (const span of spans) this.columns.push(columnOf(span, order, this.words))
    this.windows = windowsOf(this.columns[0], this.words)
    this.vetoes = vetoesOf(arena, this.slots, vetoed)
    this.mask = new Int32Array(this.vetoes.size === 0 ? 0 : this.words)
  }

  remove(slot: number): void {
    this.alive[slot >> 5]! &= ~(1 << (slot & 31))
    this.live--
  }

  isAlive(slot: number): boolean {
    return ((this.alive[slot >> 5]! >>> (slot & 31)) & 1) === 1
  }

  collect(visit: Visit): void {
    const { columns, words } = this
    if (visit.hasLists && this.isListed(visit.event)) return this.collectEach(visit)
    const mask = this.vetoes.size === 0 ? this.alive : this.unvetoed(visit.event)
    if (columns.length === 0) {
      for (let word = 0; word < words; word++) if (mask[word] !== 0) this.take(visit, mask[word]!, word)
      return
    }
    const cell = columns[0]!.edges.cellFor(visit.event, columns[0]!.attribute.number)
    const first = this.windows[2 * cell]!
    const last = this.windows[2 * cell + 1]!
    if (first > last) return
    const window = { first, last, start: 2 * cell * words }
    if (columns.length === 1) this.collectOne(visit, mask, window)
    else if (columns.length === 2) this.collectTwo(visit, mask, window)
    else this.collectMore(visit, mask, window)
  }

  private collectOne(visit: Visit, mask: Int32Array, { first, last, start }: Window): void {
    const { rows } = this.columns[0]!
    for (let word = first; word <= last; word++) {
      const may = rows[start + 2 * word]! & mask[word]!
      if (may === 0) continue
      const sure = rows[start + 2 * word + 1]! & may
      if (sure !== 0) this.take(visit, sure, word)
      if (may !== sure) this.compare(visit, may ^ sure, word)
    }
  }

  private collectTwo(visit: Visit, mask: Int32Array, { first, last, start }: Window): void {
    const { rows } = this.columns[0]!
    const { rows: others, edges, attribute } = this.columns[1]!
    const other = 2 * edges.cellFor(visit.event, attribute.number) * this.words
    for (let word = first; word <= last; word++) {
      const may = rows[start + 2 * word]! & others[other + 2 * word]! & mask[word]!
      if (may === 0) continue
      const sure = rows[start + 2 * word + 1]! & others[other + 2 * word + 1]! & may
      if (sure !== 0) this.take(visit, sure, word)
      if (may !== sure) this.compare(visit, may ^ sure, word)
    }
  }

  private collectMore(visit: Visit, mask: Int32Array, { first, last, start }: Window): void {
    const { columns, words } = this
    const [one, two, three] = columns as [Column, Column, Column]
    const second = 2 * two.edges.cellFor(visit.event, two.attribute.number) * words
    const third = 2 * three.edges.cellFor(visit.event, three.attribute.number) * words
    for (let word = first; word <= last; word++) {
      const at = 2 * word
      let may = one.rows[start + at]! & two.rows[second + at]! & three.rows[third + at]! & mask[word]!
      if (may === 0) continue
      let sure = one.rows[start + at + 1]! & two.rows[second + at + 1]! & three.rows[third + at + 1]! & may
      for (let column = 3; column < columns.length; column++) {
        const { edges, attribute, rows } = columns[column]!
        const row = 2 * edges.cellFor(visit.event, attribute.number) * words + at
        may &= rows[row]!
        sure &= rows[row + 1]!
      }
      if (sure !== 0) this.take(visit, sure, word)
      if (may !== sure) this.compare(visit, may ^ sure, word)
    }
  }

  /** Entries whose ranges certainly hold. */
  private take(visit: Visit, bits: number, word: number): void {
    const { owners, slots, arena } = this
    const tested = arena.mustTest(visit, true)
    const base = word << 5
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const slot = base + 31 - Math.clz32(rest & -rest)
      if (tested && !arena.passes(slots[slot]!, visit, true)) continue
      visit.hit(owners[slot]!)
    }
  }

  /** Entries whose ranges end in the event's cell. */
  private compare(visit: Visit, bits: number, word: number): void {
    const { owners, slots, arena, columns } = this
    const tested = arena.mustTest(visit, true)
    const base = word << 5
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const slot = base + 31 - Math.clz32(rest & -rest)
      let inside = true
      for (let column = 0; inside && column < columns.length; column++) {
        const { attribute, from, to } = columns[column]!
        inside = attribute.number >= from[slot]! && attribute.number <= to[slot]!
      }
      if (inside && (!tested || arena.passes(slots[slot]!, visit, true))) visit.hit(owners[slot]!)
    }
  }

  /** Whether the event has a list of several numbers in a range, or a list where a value may rule out. */
  private isListed(event: number): boolean {
    for (const { attribute } of this.columns) if (Number.isNaN(attribute.number)) return true
    for (const attribute of this.vetoes.keys()) if (attribute.event === event && attribute.isList) return true
    return false
  }

  /** One by one, for lists. */
  private collectEach(visit: Visit): void {
    const { arena, slots } = this
    for (let slot = 0; slot < slots.length; slot++) {
      if (!this.isAlive(slot)) continue
      const entry = slots[slot]!
      if (arena.isInRanges(entry) && arena.passes(entry, visit, false)) visit.hit(this.owners[slot]!)
    }
  }

  /** All that live, without those that the event's values rule out. */
  private unvetoed(event: number): Int32Array {
    const { mask } = this
    mask.set(this.alive)
    for (const [attribute, byValue] of this.vetoes) {
      // What a former event left there is no value of this one.
      const veto = attribute.event === event ? byValue.get(attribute.items[0]!) : undefined
      if (veto === undefined) continue
      const { words } = veto
      if (veto.row) for (let word = 0; word < mask.length; word++) mask[word]! &= ~words[word]!
      else for (const slot of words) mask[slot >> 5]! &= ~(1 << (slot & 31))
    }
    return mask
  }
}

interface Window {
  readonly first: number
  readonly last: number
  readonly start: number
}

/** For each entry the first and the last cell of its range. */
interface Span {
  readonly attribute: Attribute
  readonly edges: Edges
  readonly from: Float64Array
  readonly to: Float64Array
  readonly low: Uint8Array
  readonly high: Uint8Array
}

/** The narrowest first. */
function spansOf(arena: Arena, entries: readonly number[]): Span[] {
  const spans = arena.ranges.map((attribute, column) => {
    const edges = attribute.axis.divided()
    const from = Float64Array.from(entries, entry => arena.from[column]![entry]!)
    const to = Float64Array.from(entries, entry => arena.to[column]![entry]!)
    const low = Uint8Array.from(from, value => edges.cellOf(value))
    const high = Uint8Array.from(to, value => edges.cellOf(value))
    let touched = 0
    for (let place = 0; place < low.length; place++) touched += (high[place]! - low[place]! + 1) / edges.cells
    return { attribute, edges, from, to, low, high, touched }
  })
  return spans.sort((a, b) => a.touched - b.touched)
}

/** Places of entries by the middle of their range. */
function sortedBy(span: Span | undefined, count: number): readonly number[] {
  if (span === undefined) return Array.from({ length: count }, (_, place) => place)
  const marks = Float64Array.from({ length: count }, (_, place) => {
    return (span.low[place]! + span.high[place]!) * BUCKET_MAX + place
  })
  return Array.from(marks.sort(), mark => mark % BUCKET_MAX)
}

function columnOf(span: Span, order: readonly number[], words: number): Column {
  const from = Float64Array.from(order, place => span.from[place]!)
  const to = Float64Array.from(order, place => span.to[place]!)
  return { attribute: span.attribute, edges: span.edges, rows: rowsOf(span, order, words), from, to }
}

function rowsOf({ edges, from, to, low, high }: Span, order: readonly number[], words: number): Int32Array {
  const rows = new Int32Array(edges.cells * words * 2)
  for (const [slot, place] of order.entries()) {
    const bit = 1 << (slot & 31)
    const word = slot >> 5
    const [first, last] = [low[place]!, high[place]!]
    for (let cell = first; cell <= last; cell++) {
      const at = (cell * words + word) * 2
      rows[at]! |= bit
      const covers =
        (cell > first || edges.coversStart(cell, from[place]!)) && (cell < last || edges.coversEnd(cell, to[place]!))
      if (covers) rows[at + 1]! |= bit
    }
  }
  return rows
}

function windowsOf(column: Column | undefined, words: number): Int16Array {
  if (column === undefined) return new Int16Array(0)
  const { rows, edges } = column
  const windows = new Int16Array(2 * edges.cells)
  for (let cell = 0; cell < edges.cells; cell++) {
    const start = cell * words * 2
    let first = 0
    let last = words - 1
    while (first <= last && rows[start + 2 * first] === 0) first++
    while (last >= first && rows[start + 2 * last] === 0) last--
    windows[2 * cell] = first
    windows[2 * cell + 1] = last
  }
  return windows
}

function vetoesOf(arena: Arena, slots: Int32Array, vetoed: readonly Attribute[]): Map<Attribute, Map<Scalar, Veto>> {
  const words = (slots.length + 31) >> 5
  const all = new Map<Attribute, Map<Scalar, Veto>>()
  for (const attribute of vetoed) {
    const lists = new Map<Scalar, number[]>()
    for (const [slot, entry] of slots.entries()) {
      for (const predicate of arena.extras?.[entry]?.vetoes ?? []) {
        if (predicate.attribute !== attribute.name) continue
        for (const value of valuesOf(predicate)) {
          const list = lists.get(value)
          if (list === undefined) lists.set(value, [slot])
          else if (list.at(-1) !== slot) list.push(slot)
        }
      }
    }
    all.set(attribute, new Map([...lists].map(([value, list]) => [value, vetoOf(list, words)])))
  }
  return all
}

/** The values of "none of these" and of "anything but these". */
function valuesOf(predicate: Predicate): readonly Scalar[] {
  const [test] = predicate.tests
  return test?.op === 'in' ? test.values : []
}

function vetoOf(slots: readonly number[], words: number): Veto {
  if (slots.length < words) return { row: false, words: Int32Array.from(slots) }
  const row = new Int32Array(words)
  for (const slot of slots) setBit(row, slot)
  return { row: true, words: row }
}

function setBit(words: Int32Array, slot: number): void {
  words[slot >> 5]! |= 1 << (slot & 31)
}
