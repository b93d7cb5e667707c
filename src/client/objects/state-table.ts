// A state of the user's, as JSON, in the table of an object: each property of a plain object is an entry of its own, so
// that a version carries the properties that changed and not the whole. Any other value is one entry.
//
// Values that are given out are frozen to their depth. So a property that `apply` did not touch is the very same value
// afterwards, and is recognised by that; and an `apply` that writes into the state it was given fails with a
// TypeError instead of changing what this process believes and nobody else sees.

import { sameBytes } from '../../core/index.ts'
import type { TableView, Write } from '../../ordering/index.ts'
import { join, whyNotJson } from './json.ts'

/** Which of the two forms the state has. */
const FORM = 'form'
const OBJECT_FORM = new TextEncoder().encode('object')
const VALUE_FORM = new TextEncoder().encode('value')
const VALUE = 'value'
const PROPERTY = 'p:'
/** How errors name the state. */
const STATE = 'state'

/** Larger values are kept as they are, and known by what they are. */
const COMPARED_MAX = 4_096
/** So few are not worth looking for. */
const FORGET_FROM = 100

const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()

/** What a state, an operation and a result may be made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [property: string]: Json }

interface Parsed {
  readonly bytes: Uint8Array
  readonly value: unknown
}

type Readable = Pick<TableView, 'get' | 'keys'>

/** The properties of the last state that was read: mostly the next has the same, and few of them changed. */
interface Last {
  /** As the table gave them. */
  readonly found: readonly string[]
  /** In the order of the alphabet, the same in every process; and without what marks a property. */
  readonly keys: readonly string[]
  readonly names: readonly string[]
  readonly state: Readonly<Record<string, unknown>>
}

/** Reads and writes states; remembers what it parsed, by the bytes it came from. */
export class StateTable {
  private readonly parsed = new Map<string, Parsed>()
  private last: Last = { found: [], keys: [], names: [], state: Object.freeze({}) }

  /** The state in the table, or undefined where there is none yet. */
  read(view: Readable): unknown {
    const form = view.get(FORM)
    if (form === undefined) return undefined
    if (DECODER.decode(form) === 'value') return this.value(VALUE, view.get(VALUE)!)
    return this.properties(view, [...view.keys(PROPERTY)])
  }

  /**
   * The state that `before`, which this table read, becomes by these writes; undefined where it has to be read anew, because
   * properties came or went, or the form changed.
   */
  patched(before: unknown, writes: readonly Write[]): unknown {
    if (!isPlain(before)) return undefined
    const known = (key: string) => key.startsWith(PROPERTY) && Object.hasOwn(before, key.slice(PROPERTY.length))
    if (!writes.every(({ key, value }) => value !== undefined && known(key))) return undefined
    const after = { ...before }
    for (const { key, value } of writes) after[key.slice(PROPERTY.length)] = this.value(key, value!)
    return Object.freeze(after)
  }

  /** To make an object of ten thousand properties anew costs ten times what it costs to see that it is the same. */
  private properties(view: Readable, found: readonly string[]): unknown {
    const { last } = this
    if (found.length !== last.found.length || !found.every((key, place) => key === last.found[place]))
      return this.allProperties(view, found)
    const { keys, names, state } = last
    let changed: Record<string, unknown> | undefined
    for (let place = 0; place < keys.length; place++) {
      const value = this.value(keys[place]!, view.get(keys[place]!)!)
      if (value === state[names[place]!]) continue
      changed ??= { ...state }
      changed[names[place]!] = value
    }
    if (changed !== undefined) this.last = { ...last, state: Object.freeze(changed) }
    return this.last.state
  }

  private allProperties(view: Readable, found: readonly string[]): unknown {
    const keys = [...found].sort()
    const names = keys.map(key => key.slice(PROPERTY.length))
    if (this.parsed.size > 2 * keys.length + FORGET_FROM) this.forgetOthers(keys)
    const state = Object.fromEntries(keys.map((key, place) => [names[place]!, this.value(key, view.get(key)!)]))
    this.last = { found, keys, names, state: Object.freeze(state) }
    return this.last.state
  }

  /** Makes the table hold `after`; `before` is what `read` gave. */
  write(view: TableView, before: unknown, after: unknown): void {
    if (before === after) return
    if (!isPlain(after)) return this.writeValue(view, after)
    const old: Record<string, unknown> = isPlain(before) ? before : {}
    if (before !== undefined && !isPlain(before)) view.remove(VALUE)
    if (before === undefined || !isPlain(before)) view.set(FORM, OBJECT_FORM)
    for (const property of Object.keys(after)) {
      const value = after[property]
      if (old[property] === value && Object.hasOwn(old, property)) continue
      this.put(view, PROPERTY + property, value, join(STATE, property))
    }
    for (const property of Object.keys(old)) if (!Object.hasOwn(after, property)) view.remove(PROPERTY + property)
  }

  private writeValue(view: TableView, after: unknown): void {
    for (const key of [...view.keys(PROPERTY)]) view.remove(key)
    view.set(FORM, VALUE_FORM)
    this.put(view, VALUE, after, STATE)
  }

  private put(view: TableView, key: string, value: unknown, path: string): void {
    const why = whyNotJson(value, path)
    if (why !== undefined) throw new TypeError(`${why}, and JSON has no word for that`)
    view.set(key, ENCODER.encode(JSON.stringify(value)))
  }

  /** Properties come and go; what was parsed of those that went would stay for ever. */
  private forgetOthers(properties: readonly string[]): void {
    const here = new Set(properties)
    for (const key of this.parsed.keys()) if (!here.has(key)) this.parsed.delete(key)
  }

  private value(key: string, bytes: Uint8Array): unknown {
    const known = this.parsed.get(key)
    // Small values come as fresh copies each time: to compare them costs a tenth of parsing and freezing them again.
    if (
      known !== undefined &&
      (known.bytes === bytes || (bytes.length <= COMPARED_MAX && sameBytes(known.bytes, bytes)))
    )
      return known.value
    const value = deepFreeze(JSON.parse(DECODER.decode(bytes)))
    this.parsed.set(key, { bytes, value })
    return value
  }
}

/** The same, over entries that nobody writes to. */
export function readable(table: ReadonlyMap<string, Uint8Array>): Readable {
  return {
    get: key => table.get(key),
    *keys(prefix) {
      for (const key of table.keys()) if (key.startsWith(prefix)) yield key
    },
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const parent = Object.getPrototypeOf(value)
  return parent === Object.prototype || parent === null
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
