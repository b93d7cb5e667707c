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
  textOf,
  whole,
} from '../../core/index.ts'
import { SESSION_TTL_MAX } from '../../ordering/index.ts'
import {
  entryKey,
  isPath,
  operationCodec,
  PAGE_MAX,
  readEntry,
  readValue,
  resultCodec,
  type Stat,
  statOf,
  type TreeOperation,
  type TreeResult,
  type TreeWriteResult,
  valueKey,
} from '../../ordering/tree/index.ts'
import { Feed } from '../feed.ts'
import { type CreateOptions, hasCode, type Tree, TreeError, type WatchEvent } from '../recipes/tree.ts'
import { bytesOf } from '../values.ts'
import { checkWaiting, type WaitOptions, waitRules } from '../waiting.ts'
import type { ObjectPort, ReadOptions } from './object-session.ts'
import { SESSION_TTL_MIN_MS } from './orders.ts'
import {
  checkCreate,
  checkRead,
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
  signal: waitRules.signal,
  started: called('to call when nothing can be missed'),
})

export const TREE_NAME = 'tree'
export const TREE_TTL_DEFAULT_MS = 10_000
/** A list that was started over this many times changes faster than it can be read. */
const RESTARTS_MAX = 100
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
    options: CreateOptions & WaitOptions = {},
  ): Promise<{ path: string; stat: Stat }> {
    checkCreate('tree.create', options)
    const { ephemeral = false, sequential = false } = options
    const operation = { kind: 'create', path, value: bytesOf(value), ephemeral, sequential } as const
    const made = await this.submit<'created'>(operation, options)
    return { path: made.path, stat: made.stat }
  }

  /** `version`: only where the value was set exactly that many times; rejects with a `TreeError` otherwise. */
  async set(path: string, value: string | Uint8Array, options: VersionOptions = {}): Promise<Stat> {
    checkVersioned('tree.set', options)
    const operation = { kind: 'set', path, value: bytesOf(value), version: options.version } as const
    return (await this.submit<'changed'>(operation, options)).stat
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

  /** The names of the children, in order of creation: of one version where they fit into one page. */
  async list(path: string, options: WaitOptions = {}): Promise<readonly string[]> {
    checkWaiting('tree.list', options)
    for (let restart = 0; ; restart++) {
      try {
        return await this.pages(path, options)
      } catch (error) {
        // The last child of a page was deleted: where the next page begins is lost.
        if (!hasCode(error, 'no-entry') || (error as TreeError).path === path || restart >= RESTARTS_MAX) throw error
      }
    }
  }

  /** Several writes, all or none, where all conditions hold; rejects with a `TreeError` that names what failed. */
  async txn(transaction: TransactionOptions): Promise<readonly TreeWriteResult[]> {
    checkTransaction('tree.txn', transaction)
    const { conditions, writes } = readTransaction(transaction.if ?? [], transaction.do)
    for (const part of [conditions, writes]) for (const [at, { path }] of part.entries()) checkPath(path, at)
    return (await this.submit<'done'>({ kind: 'txn', conditions, writes }, transaction)).results
  }

  /** Every change of a path from now on, in order. `missed` tells of a gap that could not be closed: look again. */
  async *watch(path: string, options: TreeWatchOptions = {}): AsyncGenerator<WatchEvent, void, undefined> {
    checkTreeWatch('tree.watch', options)
    const feed = new Feed<WatchEvent>(options.signal)
    await using _watch = await this.listen(path, event => feed.push(event), options.recursive ?? false)
    options.started?.()
    yield* feed.items()
  }

  /** Ends the session: ephemeral entries of this process go at once. */
  async close(): Promise<void> {
    await this.port.close()
    this.closed()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private async listen(
    path: string,
    listener: (event: WatchEvent) => void,
    subtree: boolean,
  ): Promise<AsyncDisposable> {
    checkPath(path)
    return this.watches.add({ path, subtree, listener })
  }

  private async pages(path: string, options: WaitOptions): Promise<string[]> {
    const names: string[] = []
    for (let more = true; more; ) {
      const page = await this.submit<'names'>({ kind: 'list', path, after: names.at(-1), limit: PAGE_MAX }, options)
      names.push(...page.names)
      more = page.more
    }
    return names
  }

  private async submit<K extends TreeResult['kind']>(
    operation: TreeOperation,
    options: WaitOptions,
  ): Promise<TreeResult & { kind: K }> {
    const path = operation.kind === 'txn' ? '/' : operation.path
    checkPath(path)
    const answer = decode(resultCodec, await this.port.submit(inBytes(operation, path), this.with(options)))
    if (!answer.ok) throw new TreeError('malformed', path)
    if (answer.value.kind === 'error') throw new TreeError(answer.value.code, answer.value.path, answer.value.at)
    return answer.value as TreeResult & { kind: K }
  }

  private with<Options extends WaitOptions>(options: Options): Options {
    return options.timeout === undefined ? { ...options, ...this.waiting } : options
  }
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
    txn: (conditions, writes) => tree.txn({ if: conditions, do: writes }),
    watch: (path, listener, options) => listen(path, listener, options?.subtree ?? false),
  }
}

function checkPath(path: string, at?: number): void {
  if (typeof path !== 'string' || !isPath(path)) throw new TreeError('bad-path', String(path), at)
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
