// Many entries with the same keys, and ranges or vetoes: found by rows of bits.
//
// For each range and each cell of its attribute there are two rows, interleaved: `may` (the range touches the cell) and
// `sure` (it covers it). The rows of the event's cells are joined by AND: what is sure in all is a hit, what may be is
// compared. Slots are sorted by the middle of the narrowest range, and every cell keeps the first and last word of its row
// that is not zero, so that only that window is read, and the tail: what was added since, in the order in which it came.
//
// Comparing the tail one by one was the obvious way, and took as long as all the rest: its ends are a coin toss to the processor.

import type { Arena } from './arena.ts'
import type { Attribute } from './attribute.ts'
import { Column, narrowestFirst, rowOfFirst, sortedBy } from './column.ts'
import { setBit, Vetoes } from './vetoes.ts'
import type { Visit } from './visit.ts'

/** Slots of a bucket: its rows are then 256 words, and building it takes a few milliseconds. */
export const BUCKET_MAX = 8192
/** Of a bucket that is built anew, the tail may have one slot for so many that are sorted: each entry is moved a few times only. */
const TAIL = 4
const FULL = -1

export class Bucket {
  /** Slots that are taken, by the living and the dead. */
  size: number
  live: number
  readonly capacity: number
  private readonly arena: Arena
  private readonly slots: Int32Array
  /** By slot: the name of the subscription. Looked up by number each would be a miss of the cache. */
  private readonly names: unknown[]
  private readonly number: number
  private readonly alive: Int32Array
  private readonly columns: readonly Column[]
  /** The word in which the tail begins. */
  private readonly tail: number
  private readonly vetoes: Vetoes
  private readonly mask: Int32Array
  /** Whether hits of this event must still be tested, or counted once. */
  private careful = false

  /** Of these entries; `number` is its place in its leaf. */
  constructor(arena: Arena, entries: readonly number[], vetoed: readonly Attribute[], number: number) {
    const count = entries.length
    this.arena = arena
    this.number = number
    this.capacity = Math.min(BUCKET_MAX, (count + Math.ceil(count / TAIL) + 31) & ~31)
    const words = this.capacity >> 5
    const ranges = narrowestFirst(arena, entries)
    const order = sortedBy(arena, ranges[0], entries)
    this.columns = ranges.map(range => new Column(arena, range, words))
    this.vetoes = new Vetoes(vetoed, words)
    this.slots = new Int32Array(this.capacity)
    this.names = new Array(this.capacity)
    this.alive = rowOfFirst(count, words)
    this.mask = new Int32Array(this.vetoes.size === 0 ? 0 : words)
    this.size = count
    this.live = count
    this.tail = count >> 5
    for (let slot = 0; slot < count; slot++) this.set(slot, entries[order[slot]!]!)
    this.columns[0]?.measure()
  }

  /** One more; there must be a slot left. */
  add(entry: number): void {
    setBit(this.alive, this.size)
    this.set(this.size, entry)
    this.size++
    this.live++
  }

  private set(slot: number, entry: number): void {
    const { arena, columns } = this
    this.slots[slot] = entry
    this.names[slot] = arena.nameOf(entry)
    arena.places[entry] = ~(this.number * BUCKET_MAX + slot)
    for (let column = 0; column < columns.length; column++) columns[column]!.set(slot, arena, entry)
    if (this.vetoes.size > 0) this.vetoes.add(slot, arena.extras?.[entry]?.vetoes ?? [])
  }

  remove(slot: number): void {
    this.alive[slot >> 5]! &= ~(1 << (slot & 31))
    this.names[slot] = undefined
    this.live--
  }

  private isAlive(slot: number): boolean {
    return ((this.alive[slot >> 5]! >>> (slot & 31)) & 1) === 1
  }

  /** The entries that live. */
  entries(): number[] {
    const entries: number[] = []
    for (let slot = 0; slot < this.size; slot++) if (this.isAlive(slot)) entries.push(this.slots[slot]!)
    return entries
  }

  collect(visit: Visit): void {
    const { columns, arena } = this
    if (visit.hasLists && this.isListed(visit.event)) return this.collectEach(visit)
    this.careful = arena.mustTest(visit, true) || arena.mayRepeat(visit)
    const mask = this.vetoes.size === 0 ? this.alive : this.unvetoed(visit.event)
    const end = (this.size + 31) >> 5
    if (columns.length === 0) {
      for (let word = 0; word < end; word++) if (mask[word] !== 0) this.take(visit, mask[word]!, word)
      return
    }
    const first = columns[0]!.firstWord(visit.event)
    const last = columns[0]!.lastWord(visit.event)
    this.scan(visit, mask, first, last + 1)
    this.scan(visit, mask, Math.max(this.tail, last + 1), end)
  }

  private scan(visit: Visit, mask: Int32Array, from: number, end: number): void {
    if (from >= end) return
    if (this.columns.length === 1) this.scanOne(visit, mask, from, end)
    else if (this.columns.length === 2) this.scanTwo(visit, mask, from, end)
    else this.scanMore(visit, mask, from, end)
  }

  private scanOne(visit: Visit, mask: Int32Array, from: number, end: number): void {
    const [one] = this.columns as [Column]
    const { rows } = one
    const start = one.rowOf(visit.event)
    for (let word = from; word < end; word++) {
      const may = rows[start + 2 * word]! & mask[word]!
      if (may === 0) continue
      const sure = rows[start + 2 * word + 1]! & may
      if (sure !== 0) this.take(visit, sure, word)
      if (may !== sure) this.compare(visit, may ^ sure, word)
    }
  }

  private scanTwo(visit: Visit, mask: Int32Array, from: number, end: number): void {
    const [one, two] = this.columns as [Column, Column]
    const { rows } = one
    const { rows: others } = two
    const start = one.rowOf(visit.event)
    const other = two.rowOf(visit.event)
    for (let word = from; word < end; word++) {
      const may = rows[start + 2 * word]! & others[other + 2 * word]! & mask[word]!
      if (may === 0) continue
      const sure = rows[start + 2 * word + 1]! & others[other + 2 * word + 1]! & may
      if (sure !== 0) this.take(visit, sure, word)
      if (may !== sure) this.compare(visit, may ^ sure, word)
    }
  }

  private scanMore(visit: Visit, mask: Int32Array, from: number, end: number): void {
    const { columns } = this
    const [one, two, three] = columns as [Column, Column, Column]
    const first = one.rowOf(visit.event)
    const second = two.rowOf(visit.event)
    const third = three.rowOf(visit.event)
    for (let word = from; word < end; word++) {
      const at = 2 * word
      let may = one.rows[first + at]! & two.rows[second + at]! & three.rows[third + at]! & mask[word]!
      if (may === 0) continue
      let sure = one.rows[first + at + 1]! & two.rows[second + at + 1]! & three.rows[third + at + 1]! & may
      for (let column = 3; column < columns.length; column++) {
        const row = columns[column]!.rowOf(visit.event) + at
        may &= columns[column]!.rows[row]!
        sure &= columns[column]!.rows[row + 1]!
      }
      if (sure !== 0) this.take(visit, sure, word)
      if (may !== sure) this.compare(visit, may ^ sure, word)
    }
  }

  /** Entries whose ranges certainly hold. */
  private take(visit: Visit, bits: number, word: number): void {
    if (this.careful) return this.takeCarefully(visit, bits, word)
    const { names } = this
    const { found } = visit
    const base = word << 5
    let { count } = visit
    if (bits === FULL) for (let slot = base; slot < base + 32; slot++) found[count++] = names[slot]
    else
      for (let rest = bits; rest !== 0; rest &= rest - 1) found[count++] = names[base + 31 - Math.clz32(rest & -rest)]
    visit.count = count
  }

  /** Entries whose ranges end in the event's cell. */
  private compare(visit: Visit, bits: number, word: number): void {
    const { columns } = this
    const base = word << 5
    let inside = bits
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest
      const slot = base + 31 - Math.clz32(bit)
      let outside = 0
      for (let column = 0; column < columns.length; column++) {
        const { attribute, from, to } = columns[column]!
        outside |= Number(attribute.number < from[slot]!) | Number(attribute.number > to[slot]!)
      }
      // Without a branch: which of them pass is a coin toss.
      inside &= ~(bit & -outside)
    }
    if (inside !== 0) this.take(visit, inside, word)
  }

  private takeCarefully(visit: Visit, bits: number, word: number): void {
    const { slots, arena } = this
    const tested = arena.mustTest(visit, true)
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const entry = slots[(word << 5) + 31 - Math.clz32(rest & -rest)]!
      if (!tested || arena.passes(entry, visit, true)) arena.hit(entry, visit)
    }
  }

  /** Whether the event has a list of several numbers in a range, or a list where a value may rule out. */
  private isListed(event: number): boolean {
    for (const { attribute } of this.columns) if (Number.isNaN(attribute.number)) return true
    return this.vetoes.isListed(event)
  }

  /** One by one, for lists. */
  private collectEach(visit: Visit): void {
    const { arena, slots } = this
    for (let slot = 0; slot < this.size; slot++) {
      if (!this.isAlive(slot)) continue
      const entry = slots[slot]!
      if (arena.isInRanges(entry) && arena.passes(entry, visit, false)) arena.hit(entry, visit)
    }
  }

  /** All that live, without those that the event's values rule out. */
  private unvetoed(event: number): Int32Array {
    this.mask.set(this.alive)
    this.vetoes.apply(this.mask, event)
    return this.mask
  }
}
