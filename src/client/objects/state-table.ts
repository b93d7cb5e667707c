// A state of the user's, as JSON, in the table of an object: each property of a plain object is an entry of its own, so
// that a version carries the properties that changed and not the whole. Any other value is one entry.
//
// Values that are given out are frozen to their depth. So a property that `apply` did not touch is the very same value
// afterwards, and is recognised by that; and an `apply` that writes into the state it was given fails with a
// TypeError instead of changing what this process believes and nobody else sees.

import { sameBytes } from '../../core/index.ts'
import type { TableView } from '../../ordering/index.ts'
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

/** Reads and writes states; remembers what it parsed, by the bytes it came from. */
export class StateTable {
  private readonly parsed = new Map<string, Parsed>()
  private order: { readonly found: readonly string[]; readonly sorted: readonly string[] } = { found: [], sorted: [] }

  /** The state in the table, or undefined where there is none yet. */
  read(view: Readable): unknown {
    const form = view.get(FORM)
    if (form === undefined) return undefined
    if (DECODER.decode(form) === 'value') return this.value(VALUE, view.get(VALUE)!)
    const properties = this.sorted([...view.keys(PROPERTY)])
    if (this.parsed.size > 2 * properties.length + FORGET_FROM) this.forgetOthers(properties)
    const state = Object.fromEntries(
      properties.map(key => [key.slice(PROPERTY.length), this.value(key, view.get(key)!)]),
    )
    return Object.freeze(state)
  }

  /** Makes the table hold `after`; `before` is what `read` gave. */
  write(view: TableView, before: unknown, after: unknown): void {
    if (before === after) return
    if (!isPlain(after)) return this.writeValue(view, after)
    const old: Record<string, unknown> = isPlain(before) ? before : {}
    if (before !== undefined && !isPlain(before)) view.remove(VALUE)
    if (before === undefined || !isPlain(before)) view.set(FORM, OBJECT_FORM)
    for (const [property, value] of Object.entries(after)) {
      if (Object.hasOwn(old, property) && old[property] === value) continue
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

  /** The same in every process. Mostly they are those of the last time, in the same order of keeping. */
  private sorted(keys: readonly string[]): readonly string[] {
    const { found, sorted } = this.order
    if (found.length === keys.length && found.every((key, place) => key === keys[place])) return sorted
    this.order = { found: keys, sorted: [...keys].sort() }
    return this.order.sorted
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
