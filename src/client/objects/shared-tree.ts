// The group's tree as its user sees it: entries with versions, in one order for everybody (LECTURE, "ZooKeeper").

import type { Millis } from '../../core/index.ts'
import {
  type Stat,
  type TreeCondition,
  type TreeWrite,
  type TreeWriteResult,
  treeApplier,
} from '../../ordering/tree/index.ts'
import { Feed } from '../feed.ts'
import type { CreateOptions, Tree, WatchEvent } from '../recipes/tree.ts'
import { ObjectTree } from '../tree.ts'
import { objectPort } from './object-port.ts'
import type { Orders, WaitOptions } from './orders.ts'
import { Session } from './session.ts'

export interface TreeOptions {
  /** Another tree than the group's usual one: an object of this name. */
  readonly name?: string
  /** For how long ephemeral entries outlive this process. Default 10 s. */
  readonly ttl?: Millis
  /** How long to wait for an answer where a call does not say. Default: for ever. */
  readonly timeout?: Millis
}

export interface TreeEntry {
  readonly value: Uint8Array
  readonly stat: Stat
  /** The value as text. */
  text(): string
}

export interface TreeReadOptions extends WaitOptions {
  /** What one server has: quicker, and perhaps old, or a lie where servers may lie. */
  readonly stale?: boolean
}

export interface TransactionOptions extends WaitOptions {
  /** All of them must hold. */
  readonly if?: readonly TreeCondition[]
  /** All of them happen, or none. */
  readonly do: readonly TreeWrite[]
}

export interface TreeWatchOptions {
  /** Also what is below the path. */
  readonly recursive?: boolean
  readonly signal?: AbortSignal
  /** Called when nothing can be missed any more. */
  started?(): void
}

export const TREE_NAME = 'tree'
const TTL_DEFAULT_MS = 10_000
const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()

/** A tree of versioned entries, as in ZooKeeper: every change has a version, and watches miss none. */
export class SharedTree {
  readonly name: string
  /** For recipes: the same tree in their words. */
  readonly plain: Tree
  private readonly orders: Orders
  private readonly session: Session
  private readonly closed: () => void
  private readonly waiting: WaitOptions

  /** @internal Made by `group.tree`. */
  constructor(orders: Orders, name: string, options: TreeOptions, closed: () => void) {
    this.orders = orders
    this.name = name
    this.closed = closed
    this.session = new Session(orders, name, options.ttl ?? TTL_DEFAULT_MS)
    this.waiting = options.timeout === undefined ? {} : { timeout: options.timeout }
    orders.appliers.set(name, treeApplier)
    this.plain = new ObjectTree(objectPort(orders, name, this.session, this.waiting))
  }

  /** Fires when ephemeral entries of this process may be gone. */
  get signal(): AbortSignal {
    return this.session.signal
  }

  create(path: string, value: string | Uint8Array = '', options: CreateOptions & WaitOptions = {}) {
    return this.with(options).create(path, bytesOf(value), options)
  }

  /** `version`: only where the value was set exactly so often; rejects with a `TreeError` otherwise. */
  set(
    path: string,
    value: string | Uint8Array,
    options: WaitOptions & { readonly version?: number } = {},
  ): Promise<Stat> {
    return this.with(options).set(path, bytesOf(value), options.version)
  }

  delete(path: string, options: WaitOptions & { readonly version?: number } = {}): Promise<void> {
    return this.with(options).delete(path, options.version)
  }

  /** Linearizable, unless `stale`. Undefined where there is no such entry. */
  async get(path: string, options: TreeReadOptions = {}): Promise<TreeEntry | undefined> {
    const found = await this.with(options).get(path)
    return found && { ...found, text: () => DECODER.decode(found.value) }
  }

  exists(path: string, options: TreeReadOptions = {}): Promise<Stat | undefined> {
    return this.with(options).exists(path)
  }

  /** The names of the children, in order of creation. */
  list(path: string, options: WaitOptions = {}): Promise<readonly string[]> {
    return this.with(options).list(path)
  }

  txn(transaction: TransactionOptions): Promise<readonly TreeWriteResult[]> {
    return this.with(transaction).txn(transaction.if ?? [], transaction.do)
  }

  /** Every change of a path from now on, in order. `missed` tells of a gap that could not be closed: look again. */
  async *watch(path: string, options: TreeWatchOptions = {}): AsyncGenerator<WatchEvent, void, undefined> {
    const feed = new Feed<WatchEvent>(options.signal)
    await using _watch = await this.plain.watch(path, event => feed.push(event), {
      subtree: options.recursive ?? false,
    })
    options.started?.()
    yield* feed.items()
  }

  /** Ends the session: ephemeral entries of this process go at once. */
  async close(): Promise<void> {
    await this.session.end().catch(() => {
      // It runs out by itself.
    })
    this.orders.close(this.name)
    this.orders.appliers.delete(this.name)
    this.closed()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private with({ timeout, signal, stale = false }: TreeReadOptions): Tree {
    if (timeout === undefined && signal === undefined && !stale) return this.plain
    const more = { stale, ...(timeout === undefined ? {} : { timeout }), ...(signal === undefined ? {} : { signal }) }
    return new ObjectTree(objectPort(this.orders, this.name, this.session, { ...this.waiting, ...more }))
  }
}

function bytesOf(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? ENCODER.encode(value) : value
}
