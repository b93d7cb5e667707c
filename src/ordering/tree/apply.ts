// The tree of versioned entries (LECTURE, "ZooKeeper": a namespace like that of a file system, whose nodes are
// created, deleted, updated and checked for existence; a write may name the version it expects, W(n, k)a).
// Pure functions on an object's table. An operation that fails has written nothing.

import { decode, encode } from '../../core/index.ts'
import {
  type Entry,
  entryKey,
  fresh,
  readEntry,
  readValue,
  statOf,
  valueKey,
  withValue,
  writeEntry,
} from './entries.ts'
import { note } from './events.ts'
import { DraftedLeases, type LeaseTable, noLeases, ownerOf } from './leases.ts'
import { link, OWNED_MAX, readOwned, rebind, unlink } from './links.ts'
import {
  operationCodec,
  PAGE_MAX,
  resultCodec,
  type TreeCondition,
  type TreeErrorCode,
  type TreeOperation,
  type TreeResult,
  type TreeWrite,
  type TreeWriteResult,
} from './operations.ts'
import { childOf, isPath, parentOf, sequenced } from './paths.ts'
import { Draft, type TableReader, type TableView } from './view.ts'

/** An answer holds 256 KiB: beyond this, names go to the next page and values are read by their key. */
const ANSWER_BYTES_MAX = 200_000

type Failure = TreeResult & { kind: 'error' }

const failure = (code: TreeErrorCode, path: string): Failure => ({ kind: 'error', code, path, at: undefined })

/** Whose operation it is, and which leases there are. */
interface TreeContext {
  readonly session: string
  readonly leases?: LeaseTable
}

/** Who writes. */
interface Writer {
  readonly session: string
  readonly leases: LeaseTable
}

/** What an object's applier gives to the order: the tree as bytes in, bytes out. */
export const treeApplier = {
  apply(view: TableView, operation: Uint8Array, { session, leases = noLeases }: TreeContext): Uint8Array {
    const decoded = decode(operationCodec, operation)
    const result = decoded.ok ? applyTree(view, decoded.value, session, leases) : failure('malformed', '/')
    return encode(resultCodec, result)
  },
  /** A session has ended or run out. */
  ended(view: TableView, session: string): void {
    endSession(view, session)
  },
}

export function applyTree(
  view: TableView,
  operation: TreeOperation,
  session: string,
  leases: LeaseTable = noLeases,
): TreeResult {
  switch (operation.kind) {
    case 'create':
    case 'set':
    case 'delete':
    case 'createLeased':
    case 'attach':
      return write(view, operation, { session, leases })
    case 'get':
      return get(view, operation.path)
    case 'exists':
      return exists(view, operation.path)
    case 'list':
      return listChildren(view, operation.path, operation.after, operation.limit)
    case 'txn':
      return transact(view, operation, { session, leases })
    case 'grant':
      return { kind: 'leased', lease: leases.grant(operation.ttl) }
    case 'renew':
      return leases.renew(operation.lease) ? { kind: 'leased', lease: operation.lease } : failure('no-lease', '/')
    case 'revoke':
      return revoke(view, operation.lease, leases)
  }
}

/** Deletes what is bound to a session, the newest first. */
export function endSession(view: TableView, session: string): void {
  for (let owned = readOwned(view, session); owned !== undefined; owned = readOwned(view, session)) {
    erase(view, owned.first, readEntry(view, owned.first)!)
  }
}

function revoke(view: TableView, lease: string, leases: LeaseTable): TreeResult {
  if (!leases.has(lease)) return failure('no-lease', '/')
  endSession(view, lease)
  leases.drop(lease)
  return { kind: 'leased', lease }
}

function write(view: TableView, operation: TreeWrite, { session, leases }: Writer): TreeWriteResult | Failure {
  if (!isPath(operation.path)) return failure('bad-path', operation.path)
  switch (operation.kind) {
    case 'create':
      return create(view, operation, operation.ephemeral ? session : undefined)
    case 'createLeased': {
      const owner = ownerOf(leases, operation)
      return owner === undefined ? failure('no-lease', operation.path) : create(view, operation, owner)
    }
    case 'attach':
      return attach(view, operation, leases)
    case 'set':
      return set(view, operation)
    case 'delete':
      return remove(view, operation)
  }
}

function create(
  view: TableView,
  { path: asked, value, sequential }: TreeWrite & { kind: 'create' | 'createLeased' },
  owner: string | undefined,
): TreeWriteResult | Failure {
  if (asked === '/') return failure('exists', asked)
  const parentPath = parentOf(asked)
  const parent = readEntry(view, parentPath)
  if (parent === undefined) return failure('no-parent', parentPath)
  if (parent.owner !== undefined) return failure('ephemeral-parent', parentPath)
  const path = sequential ? sequenced(asked, parent.sequence) : asked
  // With its number it may be too long, also for an answer.
  if (!isPath(path)) return failure('bad-path', asked)
  if (readEntry(view, path) !== undefined) return failure('exists', path)
  if (isFull(view, owner)) return failure('too-many', path)
  if (sequential) writeEntry(view, parentPath, { ...parent, sequence: parent.sequence + 1 })
  const created = note(view, 'created', path)
  const entry = withValue(view, path, { ...fresh, created, modified: created, owner }, value)
  link(view, path, entry)
  return { kind: 'created', path, stat: statOf(entry) }
}

function isFull(view: TableView, owner: string | undefined): boolean {
  return owner !== undefined && (readOwned(view, owner)?.count ?? 0) >= OWNED_MAX
}

function attach(
  view: TableView,
  { path, lease, ttl }: TreeWrite & { kind: 'attach' },
  leases: LeaseTable,
): TreeWriteResult | Failure {
  const entry = readEntry(view, path)
  if (path === '/') return failure('bad-path', path)
  if (entry === undefined) return failure('no-entry', path)
  if (entry.children > 0) return failure('not-empty', path)
  const stays = lease === undefined && ttl === undefined
  const owner = stays ? undefined : ownerOf(leases, { lease, ttl })
  if (!stays && owner === undefined) return failure('no-lease', path)
  if (owner !== entry.owner && isFull(view, owner)) return failure('too-many', path)
  if (owner !== entry.owner) rebind(view, path, owner)
  return { kind: 'changed', stat: statOf(readEntry(view, path)!) }
}

function set(view: TableView, { path, value, version }: TreeWrite & { kind: 'set' }): TreeWriteResult | Failure {
  const entry = readEntry(view, path)
  if (entry === undefined) return failure('no-entry', path)
  if (version !== undefined && version !== entry.version) return failure('bad-version', path)
  const modified = note(view, 'changed', path)
  const after = withValue(view, path, { ...entry, modified, version: entry.version + 1 }, value)
  writeEntry(view, path, after)
  return { kind: 'changed', stat: statOf(after) }
}

function remove(view: TableView, { path, version }: TreeWrite & { kind: 'delete' }): TreeWriteResult | Failure {
  if (path === '/') return failure('bad-path', path)
  const entry = readEntry(view, path)
  if (entry === undefined) return failure('no-entry', path)
  if (version !== undefined && version !== entry.version) return failure('bad-version', path)
  if (entry.children > 0) return failure('not-empty', path)
  erase(view, path, entry)
  return { kind: 'deleted' }
}

function erase(view: TableView, path: string, entry: Entry): void {
  note(view, 'deleted', path)
  unlink(view, path, entry)
  view.remove(entryKey(path))
  if (entry.inline === undefined) view.remove(valueKey(path))
}

function get(table: TableReader, path: string): TreeResult {
  const entry = isPath(path) ? readEntry(table, path) : undefined
  if (entry === undefined) return failure(isPath(path) ? 'no-entry' : 'bad-path', path)
  const value = readValue(table, path, entry)
  if (value.length > ANSWER_BYTES_MAX) return failure('too-large', path)
  return { kind: 'found', value, stat: statOf(entry) }
}

function exists(table: TableReader, path: string): TreeResult {
  if (!isPath(path)) return failure('bad-path', path)
  const entry = readEntry(table, path)
  return { kind: 'stat', stat: entry && statOf(entry) }
}

function listChildren(table: TableReader, path: string, after: string | undefined, limit: number): TreeResult {
  if (!isPath(path)) return failure('bad-path', path)
  const parent = readEntry(table, path)
  if (parent === undefined) return failure('no-entry', path)
  const from = after === undefined ? undefined : childOf(path, after)
  if (from !== undefined && !isPath(from)) return failure('bad-path', path)
  const start = from === undefined ? undefined : readEntry(table, from)
  // The child at which the last page ended is gone, and its place with it.
  if (from !== undefined && start === undefined) return failure('no-entry', from)
  const names: string[] = []
  let length = 0
  let next = start === undefined ? parent.first : start.behind
  while (next !== undefined && names.length < Math.min(limit, PAGE_MAX) && length < ANSWER_BYTES_MAX) {
    names.push(next)
    // At most three bytes for a character, and two for the length.
    length += 3 * next.length + 2
    next = readEntry(table, childOf(path, next))!.behind
  }
  return { kind: 'names', names, more: next !== undefined, stat: statOf(parent) }
}

/** All or nothing. The failing condition or write is named by its place. */
function transact(view: TableView, operation: TreeOperation & { kind: 'txn' }, writer: Writer): TreeResult {
  for (const [at, condition] of operation.conditions.entries()) {
    if (!isPath(condition.path)) return { ...failure('bad-path', condition.path), at }
    if (!holds(view, condition)) return { ...failure('condition', condition.path), at }
  }
  const draft = new Draft(view)
  const leases = new DraftedLeases(writer.leases)
  const results: TreeWriteResult[] = []
  for (const [at, one] of operation.writes.entries()) {
    const result = write(draft, one, { ...writer, leases })
    if (result.kind === 'error') {
      leases.undo()
      return { ...result, at }
    }
    results.push(result)
  }
  draft.keep()
  return { kind: 'done', results }
}

function holds(table: TableReader, condition: TreeCondition): boolean {
  const entry = readEntry(table, condition.path)
  if (condition.kind === 'absent') return entry === undefined
  if (entry === undefined) return false
  switch (condition.kind) {
    case 'exists':
      return true
    case 'version':
      return entry.version === condition.version
    case 'childrenVersion':
      return entry.childrenVersion === condition.version
    case 'value':
      return equalBytes(readValue(table, condition.path, entry), condition.value)
  }
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
