// What watchers see: every change of the tree, once, in order.
//
// Each change has a number, and is written into a ring of keys beside the entries. A version of the object carries the
// writes of all operations that were applied together, so it carries their events too: none is lost when two sets of one
// entry meet in one version. A watcher that was away looks into the ring: it continues where it was, or learns that it
// missed more than the ring holds.

import { type Codec, decode, encode, struct, text, uint } from '../../core/index.ts'
import { isWithin, PATH_BYTES_MAX, parentOf } from './paths.ts'
import type { TableReader, TableView, TableWrite } from './view.ts'

/** More changes than one version can hold operations (4,096) many times over; a few megabytes at most in use. */
export const RING = 16_384
const lastChangeKey = 'm'
const KINDS = ['created', 'changed', 'deleted'] as const

export interface TreeChange {
  /** Counts the changes of the tree from 1, without gaps. */
  readonly change: number
  readonly kind: (typeof KINDS)[number]
  readonly path: string
}

/**
 * A change as somebody sees it who watches a path: `children` where one of its children came or went.
 *
 * @example
 * ```ts
 * for await (const event of await tree.watch('/config')) {
 *   if ('kind' in event && event.kind === 'changed') console.log(event.path, event.change)
 * }
 * ```
 */
export interface TreeEvent {
  readonly change: number
  readonly kind: 'created' | 'changed' | 'deleted' | 'children'
  readonly path: string
}

const kindCodec: Codec<TreeChange['kind']> = {
  write: (writer, kind) => writer.byte(KINDS.indexOf(kind)),
  read: reader => KINDS[reader.byte()] ?? reader.refuse('no kind of change'),
}
const changeCodec = struct<TreeChange>({ change: uint(), kind: kindCodec, path: text(PATH_BYTES_MAX) })
const countCodec = uint()
const ringKey = (change: number): string => `x${change % RING}`

/** The number of the last change. */
export function lastChange(table: TableReader): number {
  const stored = table.get(lastChangeKey)
  const decoded = stored === undefined ? undefined : decode(countCodec, stored)
  return decoded?.ok ? decoded.value : 0
}

/** Notes a change and returns its number. */
export function note(view: TableView, kind: TreeChange['kind'], path: string): number {
  const change = lastChange(view) + 1
  view.set(lastChangeKey, encode(countCodec, change))
  view.set(ringKey(change), encode(changeCodec, { change, kind, path }))
  return change
}

/** The changes of one version of the object, in order. */
export function changesIn(writes: readonly TableWrite[]): TreeChange[] {
  const found: TreeChange[] = []
  for (const { key, value } of writes) {
    if (value === undefined || !key.startsWith('x')) continue
    const decoded = decode(changeCodec, value)
    if (decoded.ok) found.push(decoded.value)
  }
  return found.sort((a, b) => a.change - b.change)
}

/** The changes after number `since`, or undefined where the ring no longer holds them all. */
export function changesSince(table: TableReader, since: number): TreeChange[] | undefined {
  const last = lastChange(table)
  if (last - since > RING) return undefined
  const found: TableWrite[] = []
  for (let change = since + 1; change <= last; change++) {
    found.push({ key: ringKey(change), value: table.get(ringKey(change)) })
  }
  return changesIn(found)
}

/** What somebody sees of a change who watches a path, or a path and all below it. */
export function eventsFor(change: TreeChange, path: string, subtree = false): TreeEvent[] {
  const events: TreeEvent[] = []
  if (subtree ? isWithin(change.path, path) : change.path === path) events.push(change)
  if (change.kind === 'changed' || change.path === '/') return events
  const parent = parentOf(change.path)
  if (subtree ? isWithin(parent, path) : parent === path) {
    events.push({ change: change.change, kind: 'children', path: parent })
  }
  return events
}
