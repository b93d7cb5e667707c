// The entries of one shape, in columns: whose each is, where it stands, its keys and ranges, and what must be tested.

import type { Predicate } from '../canonical.ts'
import { holds } from '../filter.ts'
import type { Attribute } from './attribute.ts'
import type { Plan } from './plan.ts'
import { isRuledOut, type Veto, vetoOf } from './vetoes.ts'
import type { Visit } from './visit.ts'

const CAPACITY_FIRST = 4
/**
 * Below it columns double, from there on they grow by a quarter: a million entries in 45 shapes are 22,000 in each, and should
 * not take the room of 32,768.
 */
const LARGE = 1 << 10

/** What is left to be tested of an entry. */
export interface Extra {
  readonly vetoes: readonly Veto[]
  readonly tests: readonly Predicate[]
  readonly listTests: readonly Predicate[]
}

/** What is left of a plan; undefined where keys and ranges say it all. */
export function extraOf({ vetoes, tests, listTests }: Plan, vetoed: readonly Attribute[]): Extra | undefined {
  if (vetoes.length + tests.length + listTests.length === 0) return undefined
  return { vetoes: vetoes.map(predicate => vetoOf(predicate, vetoed)), tests, listTests }
}

/** What the entries of a shape have. */
export interface ArenaParts {
  readonly keys: readonly unknown[]
  readonly ranges: readonly Attribute[]
  readonly vetoed: readonly unknown[]
  readonly gates: readonly unknown[]
  readonly tested: boolean
  /** Whether a subscription may have other entries that hit the same event. */
  readonly repeated: boolean
  /** Names of subscriptions by their number: the index's own list. */
  readonly names: readonly unknown[]
}

/** Columns of entries. An entry is its place in them. */
export class Arena {
  /** The number of the subscription. */
  owners = new Int32Array(CAPACITY_FIRST)
  /** Where its leaf has it: a place in the list, or below zero the complement of bucket and slot. */
  places = new Int32Array(CAPACITY_FIRST)
  /** For each key a column of ids. */
  readonly keys: Int32Array[]
  /** For each range its ends. */
  readonly from: Float64Array[]
  readonly to: Float64Array[]
  readonly ranges: readonly Attribute[]
  private readonly names: readonly unknown[]
  private readonly tested: boolean
  private readonly repeated: boolean
  private readonly vetoed: boolean
  private readonly listTested: boolean
  extras: (Extra | undefined)[] | undefined
  size = 0
  private used = 0
  private readonly free: number[] = []

  constructor({ keys, ranges, vetoed, gates, tested, repeated, names }: ArenaParts) {
    this.ranges = ranges
    this.names = names
    this.repeated = repeated
    this.tested = tested
    this.vetoed = vetoed.length > 0
    this.listTested = gates.length > 0
    this.keys = keys.map(() => new Int32Array(CAPACITY_FIRST))
    this.from = ranges.map(() => new Float64Array(CAPACITY_FIRST))
    this.to = ranges.map(() => new Float64Array(CAPACITY_FIRST))
  }

  add(owner: number, ids: readonly number[], extra: Extra | undefined): number {
    const entry = this.free.pop() ?? this.used++
    if (entry >= this.owners.length) this.grow()
    this.owners[entry] = owner
    for (const [place, id] of ids.entries()) this.keys[place]![entry] = id
    if (extra !== undefined) this.extras ??= []
    if (this.extras !== undefined) this.extras[entry] = extra
    this.size++
    return entry
  }

  remove(entry: number): void {
    if (this.extras !== undefined) this.extras[entry] = undefined
    this.free.push(entry)
    this.size--
  }

  private grow(): void {
    const length = this.owners.length < LARGE ? this.owners.length * 2 : Math.ceil(this.owners.length * 1.25)
    const ints = (old: Int32Array) => {
      const grown = new Int32Array(length)
      grown.set(old)
      return grown
    }
    const floats = (old: Float64Array) => {
      const grown = new Float64Array(length)
      grown.set(old)
      return grown
    }
    this.owners = ints(this.owners)
    this.places = ints(this.places)
    for (const column of this.keys.keys()) this.keys[column] = ints(this.keys[column]!)
    for (const column of this.from.keys()) {
      this.from[column] = floats(this.from[column]!)
      this.to[column] = floats(this.to[column]!)
    }
  }

  nameOf(entry: number): unknown {
    return this.names[this.owners[entry]!]
  }

  /** Whether an event may hit a subscription of this shape twice; of a list two items may be two of its values. */
  mayRepeat(visit: Visit): boolean {
    return this.repeated || visit.hasLists
  }

  /** An entry matches. */
  hit(entry: number, visit: Visit): void {
    const owner = this.owners[entry]!
    if (this.mayRepeat(visit)) visit.hitOnce(owner, this.names[owner])
    else visit.hit(this.names[owner])
  }

  /** Whether the event lies in all ranges of an entry. */
  isInRanges(entry: number): boolean {
    for (let column = 0; column < this.ranges.length; column++) {
      const attribute = this.ranges[column]!
      const from = this.from[column]![entry]!
      const to = this.to[column]![entry]!
      const { number } = attribute
      if (number >= from && number <= to) continue
      // Not a number: of a list with several numbers, one must lie in it.
      if (!Number.isNaN(number) || !attribute.numbers.some(one => one >= from && one <= to)) return false
    }
    return true
  }

  /** Whether there is something left to be tested for this event; vetoes may be applied already. */
  mustTest(visit: Visit, vetoed: boolean): boolean {
    return this.tested || (this.vetoed && !vetoed) || (visit.hasLists && this.listTested)
  }

  /** Whether what is left to be tested holds. Vetoes that a bucket has applied are left out. */
  passes(entry: number, visit: Visit, vetoed: boolean): boolean {
    const extra = this.extras?.[entry]
    if (extra === undefined) return true
    const { attributes, hasLists, event } = visit
    const { vetoes } = extra
    if (!vetoed) for (let at = 0; at < vetoes.length; at++) if (isRuledOut(vetoes[at]!, event)) return false
    for (const predicate of extra.tests) if (!holds(predicate, attributes)) return false
    if (hasLists) for (const predicate of extra.listTests) if (!holds(predicate, attributes)) return false
    return true
  }
}
