// Which of very many subscriptions want an event.
//
// The obvious answers fail: asking every filter takes 5 ms for 100,000 of them, and counting how many predicates of each
// hold takes as long where many hold. Here clauses are grouped by what they ask about (a shape); within a shape, equal keys
// are found through maps, and ranges through rows of bits (bucket.ts). The index holds nothing that the filters do not say,
// so it is never saved: it is made anew.

import { called, checkValue } from '../../core/index.ts'
import type { Filter } from '../canonical.ts'
import { requireAttributes, requireFilter } from '../refusals.ts'
import type { Attributes } from '../values.ts'
import { extraOf } from './arena.ts'
import { type Placed, Registry } from './registry.ts'
import type { Shape } from './shape.ts'
import { Visit } from './visit.ts'

/** Entries of a subscription; beyond it lists of values are tested and not written out. */
export const ENTRIES_MAX = 1024

/** Subscriptions for which there is room at first. */
const ENTRIES_FIRST = 16

/** Where an entry is. */
interface Entry {
  readonly shape: Shape
  readonly entry: number
}

/** Filters by name; says which of them match an event, also where there are a hundred thousand and more. */
export class Matcher<Id = string> {
  private readonly numbers = new Map<Id, number>()
  /** By number: the name, and where its entry is; several of them stand in `several`. */
  private readonly names: (Id | undefined)[] = []
  private readonly shapes: (Shape | undefined)[] = []
  private entries = new Int32Array(ENTRIES_FIRST)
  /** Shape and entry by turns: an object for each would take twice the room. */
  private readonly several = new Map<number, readonly (Shape | number)[]>()
  private readonly free: number[] = []
  private readonly registry = new Registry(this.names)
  private readonly visit = new Visit()

  /** How many filters there are. */
  get size(): number {
    return this.numbers.size
  }

  /** Adds a filter, or replaces the one of this name. The filter is not to be changed afterwards. */
  add(id: Id, filter: Filter): void {
    requireFilter(filter)
    this.remove(id)
    const number = this.free.pop() ?? this.names.length
    this.numbers.set(id, number)
    this.names[number] = id
    const entries = this.placedAll(filter).flatMap(one => addEntries(one, number))
    this.shapes[number] = entries.length === 1 ? entries[0]!.shape : undefined
    if (number >= this.entries.length) this.grow()
    this.entries[number] = entries.length === 1 ? entries[0]!.entry : -1
    if (entries.length > 1) this.several.set(number, flat(entries))
  }

  /** By a quarter: a million subscriptions should not take the room of two. */
  private grow(): void {
    const grown = new Int32Array(Math.ceil(this.entries.length * 1.25))
    grown.set(this.entries)
    this.entries = grown
  }

  private placedAll(filter: Filter): Placed[] {
    let left = ENTRIES_MAX
    return filter.$any.map(clause => {
      const placed = this.registry.placed(clause, left, filter.$any.length > 1)
      left -= placed.plan.several?.values.length ?? 1
      return placed
    })
  }

  /** Removes a filter; false where there was none. */
  remove(id: Id): boolean {
    const number = this.numbers.get(id)
    if (number === undefined) return false
    const shape = this.shapes[number]
    const entries = shape === undefined ? (this.several.get(number) ?? []) : [shape, this.entries[number]!]
    for (let at = 0; at < entries.length; at += 2) this.removeEntry(entries[at] as Shape, entries[at + 1] as number)
    this.numbers.delete(id)
    this.several.delete(number)
    this.names[number] = undefined
    this.shapes[number] = undefined
    this.free.push(number)
    return true
  }

  private removeEntry(shape: Shape, entry: number): void {
    shape.remove(entry)
    if (shape.size === 0) this.registry.forget(shape)
  }

  /** The names of all filters that match, each once, in no particular order. */
  match(attributes: Attributes): readonly Id[] {
    const { found, count } = this.run(attributes)
    return found.slice(0, count) as Id[]
  }

  /**
   * Hands over the names of all filters that match, each once, without a list of them: of a million filters tens of thousands
   * may match, and the list takes longer to make than they take to find. Within `take` the index is not to be asked again.
   */
  each(attributes: Attributes, take: (id: Id) => void): void {
    checkValue('take', called('that is given each name'), take)
    const { found, count, event } = this.run(attributes)
    for (let at = 0; at < count; at++) {
      take(found[at] as Id)
      if (this.visit.event !== event)
        throw new RangeError('the index was asked while it handed over what it had found.')
    }
  }

  /** How many filters match. */
  count(attributes: Attributes): number {
    return this.run(attributes).count
  }

  private run(attributes: Attributes): Visit {
    requireAttributes(attributes)
    const { visit, registry } = this
    visit.begin(attributes)
    const present = []
    for (const name of Object.keys(attributes)) {
      const attribute = registry.attributes.get(name)
      if (attribute === undefined) continue
      attribute.take(visit.event, attributes[name]!)
      if (attribute.event !== visit.event) continue
      present.push(attribute)
      if (attribute.isList) visit.hasLists = true
    }
    for (const { shapes } of present) for (const shape of shapes) shape.ask(visit)
    for (const shape of registry.always) shape.ask(visit)
    return visit
  }
}

/** One entry, or one for each value of the plan's list. */
function addEntries({ plan, shape }: Placed, owner: number): Entry[] {
  const { keys, vetoed } = shape.parts
  const extra = extraOf(plan, vetoed)
  const values = plan.several?.values ?? [undefined]
  return values.map(value => {
    const ids = plan.keys.map((key, place) => keys[place]!.acquire(key.value))
    if (value !== undefined) ids.push(keys.at(-1)!.acquire(value))
    return { shape, entry: shape.add(owner, ids, plan.ranges, extra) }
  })
}

function flat(entries: readonly Entry[]): readonly (Shape | number)[] {
  const all: (Shape | number)[] = new Array(2 * entries.length)
  for (const [at, { shape, entry }] of entries.entries()) {
    all[2 * at] = shape
    all[2 * at + 1] = entry
  }
  return all
}
