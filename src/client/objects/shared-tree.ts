// The group's tree as its user sees it: entries with versions, in one order for everybody (LECTURE, "ZooKeeper").
//
// A tree is an object whose operations are the tree's words. So `tree.set` is: the word in bytes here, the session of the
// object (object-session.ts), a command of the ordering part (orders.ts).

import {
  called,
  decode,
  encode,
  flag,
  type Millis,
  optionsSchema,
  type Rule,
  required,
  SettingsError,
  textOf,
  whole,
} from '../../core/index.ts'
import {
  entryKey,
  operationCodec,
  readEntry,
  readValue,
  resultCodec,
  type Stat,
  statOf,
  type TreeOperation,
  type TreeResult,
  type TreeWrite,
  type TreeWriteResult,
  valueKey,
} from '../../ordering/tree/index.ts'
import { SESSION_TTL_MAX } from '../../ordering/wire.ts'
import { holderClock } from '../../runtime/clock.ts'
import { Feed } from '../feed.ts'
import { type CreateOptions, type Tree, TreeError, type WatchEvent } from '../recipes/tree.ts'
import { bytesOf } from '../values.ts'
import { type WaitOptions, waitRules } from '../waiting.ts'
import type { ObjectPort, ReadOptions } from './object-session.ts'
import { SESSION_TTL_MIN_MS } from './orders.ts'
import { bindingOf, checkTtl, type LeasedOptions, TreeLease, type TreeLeaseOptions } from './tree-lease.ts'
import {
  type CountOptions,
  checkPath,
  counted,
  type ListedEntry,
  type ListOptions,
  listed,
  placeOf,
} from './tree-listing.ts'
import {
  checkCount,
  checkCreate,
  checkList,
  checkRead,
  checkRenewal,
  checkSet,
  checkTreeLease,
  checkVersioned,
  readTransaction,
  type TransactionCondition,
  type TransactionWrite,
  type VersionOptions,
} from './tree-options.ts'
import { TreeWatches } from './tree-watches.ts'

/** Which tree, and how long it waits. */
export interface TreeOptions {
  /** Another tree than the group's usual one: an object of this name. */
  readonly name?: string
  /** How long ephemeral entries outlive this process. Default 10 s. */
  readonly ttl?: Millis
  /** How long to wait for an answer where a call does not say. Default: for ever. */
  readonly timeout?: Millis
}

/** An entry of a tree, as it was read. */
export interface TreeEntry {
  readonly value: Uint8Array
  readonly stat: Stat
  /** The value as text. */
  text(): string
}

/** Conditions and writes that happen together. */
export interface TransactionOptions extends WaitOptions {
  /** All of them must hold. */
  readonly if?: readonly TransactionCondition[]
  /** All of them happen, or none. */
  readonly do: readonly TransactionWrite[]
}

/** What a watch of a path covers, and what ends it. */
export interface TreeWatchOptions {
  /** Also what is below the path. */
  readonly recursive?: boolean
  /** Each event has the value, and the one before. */
  readonly values?: boolean
  /** The number of the first change to tell of; rejects with a `TreeError` where it is no longer remembered. */
  readonly from?: number
  readonly signal?: AbortSignal
  /** Called when nothing can be missed any more. */
  started?(): void
}

const list: Rule = { must: 'a list', fits: Array.isArray }

export const checkTreeOptions = optionsSchema<TreeOptions>({
  name: textOf('the name of a tree'),
  ttl: whole(SESSION_TTL_MIN_MS, SESSION_TTL_MAX, 'milliseconds'),
  timeout: waitRules.timeout,
})
const checkTransaction = optionsSchema<TransactionOptions>({ if: list, do: required(list), ...waitRules })
const checkTreeWatch = optionsSchema<TreeWatchOptions>({
  recursive: flag,
  values: flag,
  from: whole(1, Number.MAX_SAFE_INTEGER),
  signal: waitRules.signal,
  started: called('to call when nothing can be missed'),
})

export const TREE_NAME = 'tree'
export const TREE_TTL_DEFAULT_MS = 10_000
const DECODER = new TextDecoder()

/** A tree of versioned entries, as in ZooKeeper: every change has a version, and watches miss none. */
export class SharedTree {
  readonly name: string
  /** For recipes: the same tree in their words. */
  readonly plain: Tree
  private readonly port: ObjectPort
  private readonly watches: TreeWatches
  private readonly closed: () => void
  private readonly waiting: WaitOptions

  /** @internal Made by `group.tree`. */
  constructor(port: ObjectPort, options: Pick<TreeOptions, 'timeout'>, closed: () => void) {
    this.port = port
    this.name = port.name
    this.closed = closed
    this.waiting = options.timeout === undefined ? {} : { timeout: options.timeout }
    this.watches = new TreeWatches(port, this.waiting)
    const listen: Listen = (path, listener, subtree) => this.listen(path, listener, subtree)
    this.plain = forRecipes(this, listen, port)
  }

  /** Fires when ephemeral entries of this process may be gone. */
  get signal(): AbortSignal {
    return this.port.signal
  }

  /** Makes an entry; answers its path, which has a number where it is sequential, and its versions. */
  async create(
    path: string,
    value: string | Uint8Array = '',
    options: CreateOptions & LeasedOptions & WaitOptions = {},
  ): Promise<{ path: string; stat: Stat }> {
    checkCreate('tree.create', options)
    const { ephemeral = false, sequential = false } = options
    const binding = bindingOf(options)
    if (binding !== undefined && ephemeral) {
      throw new SettingsError('an entry ends with its session (ephemeral) or with a lease: give one of the two.')
    }
    const entry = { path, value: bytesOf(value), sequential }
    const operation =
      binding === undefined
        ? ({ kind: 'create', ...entry, ephemeral } as const)
        : ({ kind: 'createLeased', ...entry, ...binding } as const)
    const made = await this.submit<'created'>(operation, options)
    return { path: made.path, stat: made.stat }
  }

  /** `version`: only where the value was set exactly that many times; rejects with a `TreeError` otherwise. */
  async set(path: string, value: string | Uint8Array, options: VersionOptions & LeasedOptions = {}): Promise<Stat> {
    checkSet('tree.set', options)
    const binding = bindingOf(options)
    const operation = { kind: 'set', path, value: bytesOf(value), version: options.version } as const
    if (binding === undefined) return (await this.submit<'changed'>(operation, options)).stat
    checkPath(path)
    const writes = [operation, { kind: 'attach', path, ...binding } as const]
    const { results } = await this.submit<'done'>({ kind: 'txn', conditions: [], writes }, options)
    return (results[1] as TreeWriteResult & { kind: 'changed' }).stat
  }

  /** A lease: entries made with it, by this process or others that know its id, go when it is renewed no more. */
  async lease(options: TreeLeaseOptions): Promise<TreeLease> {
    checkTreeLease('tree.lease', options)
    const ttl = checkTtl(options.ttl)
    const now = holderClock()
    const since = now()
    const { lease } = await this.submit<'leased'>({ kind: 'grant', ttl }, options)
    const port = {
      renew: (id: string, wait: WaitOptions) => this.renewLease(id, wait),
      revoke: (id: string, wait: WaitOptions) => this.revokeLease(id, wait),
    }
    return new TreeLease(port, lease, options, now, since)
  }

  /** Renews a lease that any process granted: it lives for its time from now on. */
  async renewLease(lease: string, options: WaitOptions = {}): Promise<void> {
    checkRenewal('tree.renewLease', options)
    await this.submit<'leased'>({ kind: 'renew', lease }, options)
  }

  /** Ends a lease that any process granted, and all that is bound to it. */
  async revokeLease(lease: string, options: WaitOptions = {}): Promise<void> {
    checkRenewal('tree.revokeLease', options)
    await this.submit<'leased'>({ kind: 'revoke', lease }, options)
  }

  /** `version`: as for `set`. An entry with children stays, and the call rejects. */
  async delete(path: string, options: VersionOptions = {}): Promise<void> {
    checkVersioned('tree.delete', options)
    await this.submit<'deleted'>({ kind: 'delete', path, version: options.version }, options)
  }

  /** Linearizable, unless `stale`. Undefined where there is no such entry. */
  async get(path: string, options: ReadOptions = {}): Promise<TreeEntry | undefined> {
    checkRead('tree.get', options)
    checkPath(path)
    const table = await this.port.read([entryKey(path), valueKey(path)], this.with(options))
    const entry = readEntry(table, path)
    if (entry === undefined) return undefined
    const value = readValue(table, path, entry)
    return { value, stat: statOf(entry), text: () => DECODER.decode(value) }
  }

  /** The versions of an entry, without its value. Undefined where there is none. */
  async exists(path: string, options: ReadOptions = {}): Promise<Stat | undefined> {
    checkRead('tree.exists', options)
    checkPath(path)
    const entry = readEntry(await this.port.read([entryKey(path)], this.with(options)), path)
    return entry && statOf(entry)
  }

  /**
   * The names of the children, in order of creation; with `recursive` the paths of all that is below, parents first;
   * with `values` the entries. All of one version, linearizable, and nothing is written.
   */
  list(path: string, options: ListOptions & { readonly values: true }): Promise<readonly ListedEntry[]>
  list(path: string, options?: ListOptions & { readonly values?: false }): Promise<readonly string[]>
  async list(path: string, options: ListOptions = {}): Promise<readonly (string | ListedEntry)[]> {
    checkList('tree.list', options)
    const place = placeOf(path, options)
    return this.port.copy(table => listed(table, place), this.with(options))
  }

  /** How many children an entry has; with `recursive` how many entries are below it. A read. */
  async count(path: string, options: CountOptions = {}): Promise<number> {
    checkCount('tree.count', options)
    if (options.recursive) return this.port.copy(table => counted(table, path), this.with(options))
    const { recursive: _recursive, ...waiting } = options
    const stat = await this.exists(path, waiting)
    if (stat === undefined) throw new TreeError('no-entry', path)
    return stat.children
  }

  /** Several writes, all or none, where all conditions hold; rejects with a `TreeError` that names what failed. */
  async txn(transaction: TransactionOptions): Promise<readonly TreeWriteResult[]> {
    checkTransaction('tree.txn', transaction)
    const { conditions, writes } = readTransaction(transaction.if ?? [], transaction.do)
    for (const part of [conditions, writes]) for (const [at, { path }] of part.entries()) checkPath(path, at)
    return (await this.submit<'done'>({ kind: 'txn', conditions, writes }, transaction)).results
  }

  /** Every change of a path from now on, or from an older one, in order. `missed` tells of a gap that could not be closed: look again. */
  watch(path: string, options: TreeWatchOptions = {}): AsyncGenerator<WatchEvent, void, undefined> {
    checkTreeWatch('tree.watch', options)
    checkPath(path)
    return this.watching(path, options)
  }

  /** Ends the session: ephemeral entries of this process go at once. */
  async close(): Promise<void> {
    await this.port.close()
    this.closed()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private async *watching(path: string, options: TreeWatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    const { recursive = false, values = false, from } = options
    const feed = new Feed<WatchEvent>(options.signal)
    const listener = (event: WatchEvent) => feed.push(event)
    await using _watch = await this.watches.add({ path, subtree: recursive, values, from, listener })
    options.started?.()
    yield* feed.items()
  }

  private async listen(
    path: string,
    listener: (event: WatchEvent) => void,
    subtree: boolean,
  ): Promise<AsyncDisposable> {
    checkPath(path)
    return this.watches.add({ path, subtree, listener })
  }

  private async submit<K extends TreeResult['kind']>(
    operation: TreeOperation,
    options: WaitOptions,
  ): Promise<TreeResult & { kind: K }> {
    const path = 'path' in operation ? operation.path : '/'
    checkPath(path)
    const answer = decode(resultCodec, await this.port.submit(inBytes(operation, path), this.with(options)))
    if (!answer.ok) throw new TreeError('malformed', path)
    if (answer.value.kind === 'error') throw refusalOf(answer.value, operation)
    return answer.value as TreeResult & { kind: K }
  }

  private with<Options extends WaitOptions>(options: Options): Options {
    return options.timeout === undefined ? { ...options, ...this.waiting } : options
  }
}

function refusalOf({ code, path, at }: TreeResult & { kind: 'error' }, operation: TreeOperation): TreeError {
  const { kind } = operation
  const isAboutLease = kind === 'renew' || kind === 'revoke'
  return isAboutLease ? new TreeError(code, path, at, `lease ${operation.lease}`) : new TreeError(code, path, at)
}

type Listen = (path: string, listener: (event: WatchEvent) => void, subtree: boolean) => Promise<AsyncDisposable>

function forRecipes(tree: SharedTree, listen: Listen, port: ObjectPort): Tree {
  return {
    get signal() {
      return tree.signal
    },
    renew: () => port.renew?.(),
    lives: () => port.lives?.() ?? !port.signal.aborted,
    create: (path, value, options) => tree.create(path, value, options),
    set: (path, value, version) => tree.set(path, value, version === undefined ? {} : { version }),
    delete: (path, version) => tree.delete(path, version === undefined ? {} : { version }),
    get: path => tree.get(path),
    exists: path => tree.exists(path),
    list: path => tree.list(path),
    txn: (conditions, writes) => tree.txn({ if: conditions, do: writes.map(plainWrite) }),
    watch: (path, listener, options) => listen(path, listener, options?.subtree ?? false),
  }
}

/** Recipes speak the words of the wire. */
function plainWrite(write: TreeWrite): TransactionWrite {
  if (write.kind !== 'createLeased' && write.kind !== 'attach') return write
  const { lease, ttl } = write
  const binding = { ...(lease !== undefined && { lease }), ...(ttl !== undefined && { ttl }) }
  if (write.kind === 'attach') return { kind: 'attach', path: write.path, ...binding }
  return { kind: 'create', path: write.path, value: write.value, sequential: write.sequential, ...binding }
}

/** What the words on the wire have no room for is the caller's: a value or a transaction beyond the limits. */
function inBytes(operation: TreeOperation, path: string): Uint8Array {
  try {
    return encode(operationCodec, operation)
  } catch (error) {
    if (error instanceof RangeError) throw new TreeError('too-large', path)
    throw error
  }
}
