// Which slots of a bucket a value rules out: "none of these" and "anything but these".

import type { Predicate } from '../canonical.ts'
import type { Scalar } from '../values.ts'
import type { Attribute } from './attribute.ts'

/** A predicate that is false for these values: an item is none of them, or all items are. */
export interface Veto {
  readonly attribute: Attribute
  readonly values: readonly Scalar[]
  /** Whether one item that is not among them is enough, and there must be one. */
  readonly some: boolean
}

/** The predicate as a veto on one of these attributes. */
export function vetoOf(predicate: Predicate, attributes: readonly Attribute[]): Veto {
  const attribute = attributes.find(one => one.name === predicate.attribute)!
  const [test] = predicate.tests
  return { attribute, values: test?.op === 'in' ? test.values : [], some: predicate.some }
}

/** Whether the event's value is one that is ruled out. The same as `holds` of the predicate, without its detours. */
export function isRuledOut({ attribute, values, some }: Veto, event: number): boolean {
  if (attribute.event !== event) return some
  if (!attribute.isList) return values.includes(attribute.items[0]!)
  return some
    ? attribute.items.every(item => values.includes(item))
    : attribute.items.some(item => values.includes(item))
}

/** The slots that a value rules out: few as a list, many as a row of bits. */
interface Ruled {
  slots: number[]
  row: Int32Array | undefined
}

export class Vetoes {
  private readonly words: number
  private readonly ruled = new Map<Attribute, Map<Scalar, Ruled>>()

  /** Of these attributes, for so many words of slots. */
  constructor(vetoed: readonly Attribute[], words: number) {
    this.words = words
    for (const attribute of vetoed) this.ruled.set(attribute, new Map())
  }

  get size(): number {
    return this.ruled.size
  }

  /** What rules this slot out. */
  add(slot: number, vetoes: readonly Veto[]): void {
    for (const { attribute, values } of vetoes) {
      const byValue = this.ruled.get(attribute)!
      for (const value of values) this.rule(byValue, value, slot)
    }
  }

  private rule(byValue: Map<Scalar, Ruled>, value: Scalar, slot: number): void {
    const known = byValue.get(value)
    if (known === undefined) byValue.set(value, { slots: [slot], row: undefined })
    else if (known.row !== undefined) setBit(known.row, slot)
    else {
      known.slots.push(slot)
      if (known.slots.length <= this.words) return
      const row = new Int32Array(this.words)
      for (const one of known.slots) setBit(row, one)
      known.row = row
      known.slots = []
    }
  }

  /** Whether the event has a list where a value may rule out. */
  isListed(event: number): boolean {
    for (const attribute of this.ruled.keys()) if (attribute.event === event && attribute.isList) return true
    return false
  }

  /** Takes out of a mask what the event's values rule out. */
  apply(mask: Int32Array, event: number): void {
    for (const [attribute, byValue] of this.ruled) {
      // What a former event left there is no value of this one.
      const ruled = attribute.event === event ? byValue.get(attribute.items[0]!) : undefined
      if (ruled === undefined) continue
      const { row, slots } = ruled
      if (row !== undefined) for (let word = 0; word < row.length; word++) mask[word]! &= ~row[word]!
      else for (let at = 0; at < slots.length; at++) mask[slots[at]! >> 5]! &= ~(1 << (slots[at]! & 31))
    }
  }
}

/** Sets the bit of a slot. */
export function setBit(words: Int32Array, slot: number): void {
  words[slot >> 5]! |= 1 << (slot & 31)
}
