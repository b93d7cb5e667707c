// Lists and counts of a tree, out of one table: what a reader asks for, checked, and what it is given.

import { SettingsError } from '../../core/index.ts'
import {
  below,
  childOf,
  isPath,
  isWithin,
  readEntry,
  readValue,
  type Stat,
  statOf,
  type TableReader,
} from '../../ordering/tree/index.ts'
import { TreeError } from '../recipes/tree.ts'
import type { WaitOptions } from '../waiting.ts'

/** Which of the entries below a path, and what of them. */
export interface ListOptions extends WaitOptions {
  /** All that is below, parents first, by their paths. Default: the children, by their names. */
  readonly recursive?: boolean
  /** The entries, with value and versions. Default: names. */
  readonly values?: boolean
  /** At most so many. Default: all. */
  readonly limit?: number
  /** Only what comes behind this child, by its name, or with `recursive` behind this path. It must still be there. */
  readonly after?: string
}

/** What is counted. */
export interface CountOptions extends WaitOptions {
  /** All that is below. Default: the children. */
  readonly recursive?: boolean
}

/** An entry as a list shows it. */
export interface ListedEntry {
  readonly path: string
  readonly name: string
  readonly value: Uint8Array
  readonly stat: Stat
  /** The value as text. */
  text(): string
}

interface Place {
  readonly path: string
  readonly recursive: boolean
  readonly values: boolean
  readonly limit: number
  /** As a path. */
  readonly after: string | undefined
}

const DECODER = new TextDecoder()

export function checkPath(path: string, at?: number): void {
  if (typeof path !== 'string' || !isPath(path)) throw new TreeError('bad-path', String(path), at)
}

/** Refuses what can be no place, before anything is asked. */
export function placeOf(path: string, options: ListOptions): Place {
  checkPath(path)
  const { recursive = false, values = false, limit = Number.MAX_SAFE_INTEGER } = options
  if (!Number.isInteger(limit) || limit < 1) throw new SettingsError(`limit is ${limit}; it must be 1 or more.`)
  if (options.after === undefined) return { path, recursive, values, limit, after: undefined }
  const after = recursive ? options.after : childOf(path, options.after)
  checkPath(after)
  if (after === path || !isWithin(after, path)) {
    throw new SettingsError(`after is ${after}; it must be a path below ${path}.`)
  }
  return { path, recursive, values, limit, after }
}

export function listed(table: TableReader, place: Place): readonly (string | ListedEntry)[] {
  const { path, recursive, values, limit, after } = place
  if (readEntry(table, path) === undefined) throw new TreeError('no-entry', path)
  if (after !== undefined && readEntry(table, after) === undefined) throw new TreeError('no-entry', after)
  const found: (string | ListedEntry)[] = []
  for (const visited of below(table, path, recursive, after)) {
    if (values) {
      // A copy: the table goes on, and what a user does with it is the user's.
      const value = readValue(table, visited.path, visited.entry).slice()
      const stat = statOf(visited.entry)
      found.push({ path: visited.path, name: visited.name, value, stat, text: () => DECODER.decode(value) })
    } else found.push(recursive ? visited.path : visited.name)
    if (found.length >= limit) break
  }
  return found
}

export function counted(table: TableReader, path: string): number {
  checkPath(path)
  if (readEntry(table, path) === undefined) throw new TreeError('no-entry', path)
  let count = 0
  for (const _ of below(table, path, true)) count++
  return count
}
