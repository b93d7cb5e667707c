// The words of the tree: what can be asked of it, and what it answers. Answers are definite: an operation that
// answers with an error did nothing.

import { bool, bytes, type Codec, list, option, struct, text, uint, variants } from '../../core/index.ts'
import { SESSION_BYTES_MAX, type Stat, statFields, VALUE_BYTES_MAX } from './entries.ts'
import { PATH_BYTES_MAX } from './paths.ts'

/** Conditions and writes of one transaction: one version of the object must hold them all. */
export const TRANSACTION_MAX = 256
/** As for sessions: a day. */
export const LEASE_TTL_MAX = 24 * 60 * 60 * 1000
/** Shorter ones end between two renewals on an ordinary network. */
export const LEASE_TTL_MIN = 300
/** Names in one page of a list; a page ends sooner where the names are long (an answer holds 256 KiB). */
export const PAGE_MAX = 10_000

/**
 * One write of a transaction.
 *
 * @example
 * ```ts
 * const value = new TextEncoder().encode('paid')
 * const writes: coterie.TransactionWrite[] = [
 *   { kind: 'set', path: '/orders/7', value, version: undefined },
 *   { kind: 'delete', path: '/open/7', version: undefined },
 * ]
 * await tree.txn({ do: writes })
 * ```
 */
export type TreeWrite =
  | { kind: 'create'; path: string; value: Uint8Array; ephemeral: boolean; sequential: boolean }
  /** `version`: only where the value was set that number of times. */
  | { kind: 'set'; path: string; value: Uint8Array; version: number | undefined }
  | { kind: 'delete'; path: string; version: number | undefined }
  /** As `create`, and it ends with a lease: this one, or one of its own with this time. */
  | {
      kind: 'createLeased'
      path: string
      value: Uint8Array
      sequential: boolean
      lease: string | undefined
      ttl: number | undefined
    }
  /** From now on it ends with this lease, or one of its own with this time; with neither it stays. */
  | { kind: 'attach'; path: string; lease: string | undefined; ttl: number | undefined }

/**
 * What must hold of an entry for a transaction to be done.
 *
 * @example
 * ```ts
 * const unchanged: coterie.TreeCondition = { kind: 'version', path: '/orders/7', version: 3 }
 * await tree.txn({ if: [unchanged], do: [{ kind: 'delete', path: '/orders/7', version: undefined }] })
 * ```
 */
export type TreeCondition =
  | { kind: 'exists'; path: string }
  | { kind: 'absent'; path: string }
  | { kind: 'version'; path: string; version: number }
  | { kind: 'value'; path: string; value: Uint8Array }
  /** Nothing was created or deleted below it since. */
  | { kind: 'childrenVersion'; path: string; version: number }

export type TreeOperation =
  | TreeWrite
  | { kind: 'get'; path: string }
  | { kind: 'exists'; path: string }
  /** Names of children in order of creation, behind the child `after`, at most `limit`. */
  | { kind: 'list'; path: string; after: string | undefined; limit: number }
  | { kind: 'txn'; conditions: readonly TreeCondition[]; writes: readonly TreeWrite[] }
  /** A lease, to which entries of several processes attach. */
  | { kind: 'grant'; ttl: number }
  | { kind: 'renew'; lease: string }
  /** It ends now, with its entries. */
  | { kind: 'revoke'; lease: string }

/** Why an operation on the tree was not done. */
export type TreeErrorCode =
  | 'no-entry'
  | 'exists'
  | 'bad-version'
  | 'not-empty'
  | 'no-parent'
  /** Entries that end with a session have no children. */
  | 'ephemeral-parent'
  | 'bad-path'
  /** A condition of a transaction does not hold. */
  | 'condition'
  /** The session has as many ephemeral entries as it may. */
  | 'too-many'
  /** The value does not fit into an answer: read its key. */
  | 'too-large'
  | 'malformed'
  /** The lease has ended, or never was. */
  | 'no-lease'
  /** Told by clients: a watch cannot begin so far back. */
  | 'forgotten'

/** A code's place here is its byte on the wire: append only. */
const errorCodes: readonly TreeErrorCode[] = [
  'no-entry',
  'exists',
  'bad-version',
  'not-empty',
  'no-parent',
  'ephemeral-parent',
  'bad-path',
  'condition',
  'too-many',
  'too-large',
  'malformed',
  'no-lease',
  'forgotten',
]

export type TreeResult =
  | { kind: 'created'; path: string; stat: Stat }
  | { kind: 'changed'; stat: Stat }
  | { kind: 'deleted' }
  | { kind: 'found'; value: Uint8Array; stat: Stat }
  | { kind: 'stat'; stat: Stat | undefined }
  | { kind: 'names'; names: readonly string[]; more: boolean; stat: Stat }
  | { kind: 'done'; results: readonly TreeWriteResult[] }
  | { kind: 'leased'; lease: string }
  /** `at`: which condition, or which write, of a transaction, counted from 0. */
  | { kind: 'error'; code: TreeErrorCode; path: string; at: number | undefined }

/**
 * What a write of a transaction did, in the order of the writes.
 *
 * @example
 * ```ts
 * const value = new Uint8Array()
 * const [made] = await tree.txn({ do: [{ kind: 'create', path: '/a', value, ephemeral: false, sequential: false }] })
 * if (made?.kind === 'created') console.log(made.path, made.stat.created)
 * ```
 */
export type TreeWriteResult =
  | { kind: 'created'; path: string; stat: Stat }
  | { kind: 'changed'; stat: Stat }
  | { kind: 'deleted' }

const path = text(PATH_BYTES_MAX)
const value = bytes(VALUE_BYTES_MAX)
const lease = text(SESSION_BYTES_MAX)
const ttl = uint(LEASE_TTL_MAX)
const writeVariants = {
  create: { path, value, ephemeral: bool, sequential: bool },
  set: { path, value, version: option(uint()) },
  delete: { path, version: option(uint()) },
}
// Behind the others where all words are listed: who knows only the older words reads them as before.
const leaseVariants = {
  createLeased: { path, value, sequential: bool, lease: option(lease), ttl: option(ttl) },
  attach: { path, lease: option(lease), ttl: option(ttl) },
}
const writeCodec: Codec<TreeWrite> = variants<TreeWrite>({ ...writeVariants, ...leaseVariants })
const conditionCodec = variants<TreeCondition>({
  exists: { path },
  absent: { path },
  version: { path, version: uint() },
  value: { path, value },
  childrenVersion: { path, version: uint() },
})

export const operationCodec: Codec<TreeOperation> = variants<TreeOperation>({
  ...writeVariants,
  get: { path },
  exists: { path },
  list: { path, after: option(path), limit: uint(PAGE_MAX) },
  txn: { conditions: list(conditionCodec, TRANSACTION_MAX), writes: list(writeCodec, TRANSACTION_MAX) },
  ...leaseVariants,
  grant: { ttl },
  renew: { lease },
  revoke: { lease },
})

const stat: Codec<Stat> = struct<Stat>(statFields)
const codeCodec: Codec<TreeErrorCode> = {
  write: (writer, code) => writer.byte(errorCodes.indexOf(code)),
  read: reader => errorCodes[reader.byte()] ?? reader.refuse('no error code'),
}
const writeResults = { created: { path, stat }, changed: { stat }, deleted: {} }
const writeResultCodec: Codec<TreeWriteResult> = variants<TreeWriteResult>(writeResults)

export const resultCodec: Codec<TreeResult> = variants<TreeResult>({
  ...writeResults,
  found: { value, stat },
  stat: { stat: option(stat) },
  names: { names: list(path, PAGE_MAX), more: bool, stat },
  done: { results: list(writeResultCodec, TRANSACTION_MAX) },
  error: { code: codeCodec, path, at: option(uint(TRANSACTION_MAX)) },
  leased: { lease },
})
