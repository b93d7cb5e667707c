// What stands below an entry, as it lies in one table: for readers that have a copy of it, and write nothing.

import { type Entry, readEntry } from './entries.ts'
import { childOf, nameOf, parentOf } from './paths.ts'
import type { TableReader } from './view.ts'

/** An entry on the way through a tree. */
export interface Visited {
  readonly path: string
  readonly name: string
  readonly entry: Entry
}

/**
 * The children of an entry in order of creation, or with `recursive` all that is below it, parents first. `after`: only
 * what comes behind this path, which must be below the entry and there, since its place goes with it.
 */
export function* below(table: TableReader, path: string, recursive = false, after?: string): Generator<Visited> {
  if (after === undefined) return yield* level(table, path, undefined, recursive)
  if (recursive) yield* level(table, after, undefined, true)
  // What is left of each level, from the deepest up.
  for (let at = after; at !== path; at = parentOf(at)) yield* level(table, parentOf(at), nameOf(at), recursive)
}

function* level(table: TableReader, path: string, after: string | undefined, recursive: boolean): Generator<Visited> {
  let name = after === undefined ? readEntry(table, path)?.first : readEntry(table, childOf(path, after))?.behind
  while (name !== undefined) {
    const child = childOf(path, name)
    const entry: Entry = readEntry(table, child)!
    yield { path: child, name, entry }
    if (recursive) yield* level(table, child, undefined, true)
    name = entry.behind
  }
}
