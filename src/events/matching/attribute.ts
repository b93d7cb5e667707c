// What the index knows of one attribute: the value that the present event has there, the keys that are taken from it, and
// how its numbers are divided.

import { fold } from '../fold.ts'
import { formFits, levelsOf, type TopicDialect, type TopicPattern } from '../topics.ts'
import type { AttributeValue, Scalar } from '../values.ts'
import { Axis } from './axis.ts'
import type { KeySpec } from './plan.ts'
import type { Asked, Visit } from './visit.ts'

/** No key: ids begin with 1. */
export const NONE = 0
/** Several keys, of a list. */
export const SEVERAL = -1

/** An attribute that some filter asks about. */
export class Attribute {
  readonly name: string
  readonly axis = new Axis()
  /** Shapes that are asked for events with this attribute, and gates with shapes behind them. */
  readonly shapes: Asked[] = []
  /** How many shapes these are, behind gates or not. */
  homed = 0
  /** How many keys, gates and shapes need it. */
  uses = 0
  /** The event that has `items`. */
  event = 0
  items: readonly Scalar[] = []
  isList = false
  /** Its number, if it has exactly one; else NaN. */
  number = Number.NaN
  numbers: readonly number[] = []
  private readonly single: [Scalar] = [null]
  private split = ''
  private splitDialect: TopicDialect | undefined
  private levels: readonly string[] | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Takes the value of an event; false where it is a list of none, and so absent. */
  take(event: number, value: AttributeValue): void {
    if (typeof value === 'object' && value !== null) {
      if (value.length === 0) return
      if (value.length > 1) return this.takeList(event, value)
      this.single[0] = value[0]!
    } else this.single[0] = value
    const item = this.single[0]
    this.event = event
    this.items = this.single
    this.isList = false
    this.number = typeof item === 'number' ? item : Number.NaN
  }

  private takeList(event: number, value: readonly Scalar[]): void {
    this.event = event
    this.items = value
    this.isList = true
    this.number = Number.NaN
    this.numbers = value.filter(item => typeof item === 'number')
    if (this.numbers.length === 1) this.number = this.numbers[0]!
  }

  /** Whether one of its numbers may lie in a range. */
  get hasNumbers(): boolean {
    return !Number.isNaN(this.number) || (this.isList && this.numbers.length > 0)
  }

  /** The levels of a topic. The last one asked for is kept: many keys are taken of it. */
  levelsOf(dialect: TopicDialect, topic: string): readonly string[] | undefined {
    if (this.splitDialect !== dialect || this.split !== topic) {
      this.split = topic
      this.splitDialect = dialect
      this.levels = levelsOf(dialect, topic)
    }
    return this.levels
  }
}

/** The values that one part of an attribute has in some filter, each with a number. */
export class KeySpace {
  readonly attribute: Attribute
  uses = 0
  readonly spec: KeySpec
  private readonly ids = new Map<Scalar, number>()
  private readonly values: (Scalar | undefined)[] = [undefined]
  private readonly counts: number[] = [0]
  private readonly free: number[] = []
  private event = 0
  private id = NONE
  /** Where the id is SEVERAL. */
  several: readonly number[] = []

  constructor(attribute: Attribute, spec: KeySpec) {
    this.attribute = attribute
    this.spec = spec
  }

  /** The number of a value that one more entry has. */
  acquire(value: Scalar): number {
    const known = this.ids.get(value)
    if (known !== undefined) {
      this.counts[known] = this.counts[known]! + 1
      return known
    }
    const id = this.free.pop() ?? this.values.length
    this.ids.set(value, id)
    this.values[id] = value
    this.counts[id] = 1
    return id
  }

  release(id: number): void {
    this.counts[id] = this.counts[id]! - 1
    if (this.counts[id]! > 0) return
    this.ids.delete(this.values[id]!)
    this.values[id] = undefined
    this.free.push(id)
  }

  /** The number of what the event has here: NONE where no filter has it, SEVERAL for a list. */
  idOf(event: number): number {
    if (this.event === event) return this.id
    this.event = event
    const { items, isList } = this.attribute
    if (!isList) {
      const key = this.keyOf(items[0]!)
      this.id = key === undefined ? NONE : (this.ids.get(key) ?? NONE)
      return this.id
    }
    const found = new Set<number>()
    for (const item of items) {
      const key = this.keyOf(item)
      const id = key === undefined ? undefined : this.ids.get(key)
      if (id !== undefined) found.add(id)
    }
    this.several = [...found]
    this.id = found.size === 0 ? NONE : SEVERAL
    return this.id
  }

  private keyOf(item: Scalar): Scalar | undefined {
    const { kind, size } = this.spec
    if (kind === 'value') return item
    if (typeof item !== 'string') return undefined
    switch (kind) {
      case 'prefix':
        return item.length < size ? undefined : item.slice(0, size)
      case 'suffix':
        return item.length < size ? undefined : item.slice(-size)
      case 'folded':
        return fold(item)
      case 'folded prefix':
        return fold(item).slice(0, size)
      case 'folded suffix':
        return fold(item).slice(-size)
      default:
        return this.attribute.levelsOf(kind, item)?.[size]
    }
  }
}

/** Whether the levels of a topic are as many as a pattern wants: if not, no shape behind it is asked. */
export class Gate implements Asked {
  readonly shapes: Asked[] = []
  readonly attribute: Attribute
  uses = 0
  readonly pattern: TopicPattern
  private event = 0
  private open = false

  constructor(attribute: Attribute, pattern: TopicPattern) {
    this.attribute = attribute
    this.pattern = pattern
  }

  ask(visit: Visit): void {
    if (!this.isOpen(visit.event)) return
    for (let i = 0; i < this.shapes.length; i++) this.shapes[i]!.ask(visit)
  }

  isOpen(event: number): boolean {
    if (this.event === event) return this.open
    this.event = event
    const { items, isList } = this.attribute
    this.open = isList ? items.some(item => this.fits(item)) : this.fits(items[0]!)
    return this.open
  }

  private fits(item: Scalar): boolean {
    if (typeof item !== 'string') return false
    const levels = this.attribute.levelsOf(this.pattern.dialect, item)
    return levels !== undefined && formFits(this.pattern, levels)
  }
}
