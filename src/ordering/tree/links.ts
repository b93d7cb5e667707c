// The two linked lists that an entry may stand in: its parent's children, and what ends with its session.

import { decode, encode, struct, text, uint } from '../../core/index.ts'
import { type Entry, readEntry, writeEntry } from './entries.ts'
import { childOf, nameOf, PATH_BYTES_MAX, parentOf } from './paths.ts'
import type { TableReader, TableView } from './view.ts'

/** Ending a session removes all that is bound to it in one version, at a few writes each. */
export const OWNED_MAX = 1_000

interface Owned {
  readonly count: number
  readonly first: string
}
const ownedCodec = struct<Owned>({ count: uint(OWNED_MAX), first: text(PATH_BYTES_MAX) })
const ownedKey = (session: string): string => `s${session}`

export function readOwned(table: TableReader, session: string): Owned | undefined {
  const stored = table.get(ownedKey(session))
  const decoded = stored === undefined ? undefined : decode(ownedCodec, stored)
  return decoded?.ok ? decoded.value : undefined
}

function patch(view: TableView, path: string, part: Partial<Entry>): void {
  writeEntry(view, path, { ...readEntry(view, path)!, ...part })
}

/** Writes the entry as the last child of its parent, and in front of what its owner has. */
export function link(view: TableView, path: string, entry: Entry): void {
  const parentPath = parentOf(path)
  const parent = readEntry(view, parentPath)!
  const name = nameOf(path)
  if (parent.last !== undefined) patch(view, childOf(parentPath, parent.last), { behind: name })
  writeEntry(view, path, { ...entry, before: parent.last, ...own(view, path, entry.owner) })
  patch(view, parentPath, {
    first: parent.first ?? name,
    last: name,
    children: parent.children + 1,
    childrenVersion: parent.childrenVersion + 1,
  })
}

function own(view: TableView, path: string, session: string | undefined): Partial<Entry> {
  if (session === undefined) return {}
  const owned = readOwned(view, session)
  view.set(ownedKey(session), encode(ownedCodec, { count: (owned?.count ?? 0) + 1, first: path }))
  if (owned === undefined) return {}
  patch(view, owned.first, { ownedBefore: path })
  return { ownedBehind: owned.first }
}

/** Gives an entry another owner, or none. */
export function rebind(view: TableView, path: string, owner: string | undefined): void {
  const entry = readEntry(view, path)!
  if (entry.owner !== undefined) disown(view, entry.owner, entry)
  writeEntry(view, path, { ...entry, owner, ownedBefore: undefined, ownedBehind: undefined })
  patch(view, path, own(view, path, owner))
}

/** Takes an entry out of both lists. What is left of the entry itself is the caller's. */
export function unlink(view: TableView, path: string, entry: Entry): void {
  const parentPath = parentOf(path)
  const { before, behind } = entry
  if (before !== undefined) patch(view, childOf(parentPath, before), { behind })
  if (behind !== undefined) patch(view, childOf(parentPath, behind), { before })
  const parent = readEntry(view, parentPath)!
  writeEntry(view, parentPath, {
    ...parent,
    first: before === undefined ? behind : parent.first,
    last: behind === undefined ? before : parent.last,
    children: parent.children - 1,
    childrenVersion: parent.childrenVersion + 1,
  })
  if (entry.owner !== undefined) disown(view, entry.owner, entry)
}

function disown(view: TableView, session: string, { ownedBefore, ownedBehind }: Entry): void {
  if (ownedBefore !== undefined) patch(view, ownedBefore, { ownedBehind })
  if (ownedBehind !== undefined) patch(view, ownedBehind, { ownedBefore })
  const { count, first } = readOwned(view, session)!
  if (count === 1) return view.remove(ownedKey(session))
  const next = ownedBefore === undefined ? ownedBehind! : first
  view.set(ownedKey(session), encode(ownedCodec, { count: count - 1, first: next }))
}
