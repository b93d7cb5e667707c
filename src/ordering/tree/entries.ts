// How a tree lies in a table of keys and values.
//
//   e<path>     the entry: its versions, its owner, its place among its siblings, its value if that is small
//   v<path>     the value of an entry, if it is large
//   s<session>  the first of the entries that end with a session
//   m           the number of the last change
//   x<place>    the last changes, in a ring: what happened to which path
//
// Children are a linked list in order of creation: an entry names the children before and behind it, its parent the
// first and the last. So creating or deleting touches a fixed number of keys however many siblings there are, and
// listing walks from child to child without asking the table for a range of keys. The price is that a neighbour's
// entry is written again, which is why large values live apart.

import { bytes, type Codec, decode, encode, option, struct, text, uint } from '../../core/index.ts'
import { PATH_BYTES_MAX } from './paths.ts'
import type { TableReader, TableView } from './view.ts'

export const SESSION_BYTES_MAX = 200
/** A neighbour's creation writes a value again up to this size. */
const INLINE_BYTES_MAX = 512
/** Half of what a key of the table may hold: an operation carries it, and something beside. */
export const VALUE_BYTES_MAX = 4 * 2 ** 20

/**
 * What is known of an entry besides its value.
 *
 * @example
 * ```ts
 * const stat = await tree.exists('/config')
 * if (stat !== undefined) await tree.set('/config', 'new', { version: stat.version })
 * ```
 */
export interface Stat {
  /** The change that made it: no two entries of a tree share one, later entries have larger ones. A fencing token. */
  readonly created: number
  /** The change that last set its value. */
  readonly modified: number
  /** How often its value was set. */
  readonly version: number
  /** How often a child was created or deleted. */
  readonly childrenVersion: number
  readonly children: number
  /** The session with which it ends, or none. */
  readonly owner: string | undefined
}

export interface Entry extends Stat {
  /** The number that the next sequential child gets. */
  readonly sequence: number
  /** Names of the first and the last child, and of the siblings before and behind. */
  readonly first: string | undefined
  readonly last: string | undefined
  readonly before: string | undefined
  readonly behind: string | undefined
  /** Paths of the entries of the same owner before and behind. */
  readonly ownedBefore: string | undefined
  readonly ownedBehind: string | undefined
  /** The value, if it is small. */
  readonly inline: Uint8Array | undefined
}

const path = text(PATH_BYTES_MAX)
export const statFields = {
  created: uint(),
  modified: uint(),
  version: uint(),
  childrenVersion: uint(),
  children: uint(),
  owner: option(text(SESSION_BYTES_MAX)),
}
const entryCodec: Codec<Entry> = struct<Entry>({
  ...statFields,
  sequence: uint(),
  first: option(path),
  last: option(path),
  before: option(path),
  behind: option(path),
  ownedBefore: option(path),
  ownedBehind: option(path),
  inline: option(bytes(INLINE_BYTES_MAX)),
})

export const EMPTY = new Uint8Array()
export const fresh: Entry = {
  created: 0,
  modified: 0,
  version: 0,
  childrenVersion: 0,
  children: 0,
  owner: undefined,
  sequence: 0,
  first: undefined,
  last: undefined,
  before: undefined,
  behind: undefined,
  ownedBefore: undefined,
  ownedBehind: undefined,
  inline: EMPTY,
}

/** Keys under which an entry's value may lie, for a reader that asks servers for keys. */
export const entryKey = (of: string): string => `e${of}`
export const valueKey = (of: string): string => `v${of}`

/** The root is always there. */
export function readEntry(table: TableReader, of: string): Entry | undefined {
  const stored = table.get(entryKey(of))
  if (stored === undefined) return of === '/' ? fresh : undefined
  const decoded = decode(entryCodec, stored)
  // Written by this file alone; anything else is a bug, and stops the operation.
  if (!decoded.ok) throw new Error(`the entry ${of} cannot be read: ${decoded.refusal}`)
  return decoded.value
}

export function writeEntry(view: TableView, of: string, entry: Entry): void {
  view.set(entryKey(of), encode(entryCodec, entry))
}

export function readValue(table: TableReader, of: string, entry: Entry): Uint8Array {
  return entry.inline ?? table.get(valueKey(of)) ?? EMPTY
}

/** The entry with this value; a large one is put where it belongs. */
export function withValue(view: TableView, of: string, entry: Entry, value: Uint8Array): Entry {
  if (value.length > INLINE_BYTES_MAX) {
    view.set(valueKey(of), value)
    return { ...entry, inline: undefined }
  }
  if (entry.inline === undefined) view.remove(valueKey(of))
  return { ...entry, inline: value }
}

export function statOf(entry: Entry): Stat {
  const { created, modified, version, childrenVersion, children, owner } = entry
  return { created, modified, version, childrenVersion, children, owner }
}
