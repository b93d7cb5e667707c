// One object as one client uses it: its session, and what is asked of it. The session is opened by the first operation
// that needs it, and opened anew after it was lost. What is bound to a session (an ephemeral entry) ends with `signal`.

import { because, type Millis, NotAnswered, Unavailable } from '../../core/index.ts'
import type { Applier } from '../../ordering/index.ts'
import type { TableReader, TableWrite } from '../../ordering/tree/index.ts'
import { allowManyListeners } from '../../runtime/platform.ts'
import { type WaitOptions, within } from '../waiting.ts'
import type { LiveTable, Orders } from './orders.ts'

/** What a tree needs of the object below it. */
export interface ObjectPort {
  readonly name: string
  /** Fires when the session is no longer certain to live. */
  readonly signal: AbortSignal
  /** By the local clock: whether the session certainly lives. Without it, `signal` is all there is. */
  lives?(): boolean
  /** Opens a session where the last one was lost; `signal` is that of the new one at once. */
  renew?(): void
  /** Orders an operation and gives the applier's answer. */
  submit(body: Uint8Array, options: WaitOptions): Promise<Uint8Array>
  /** The values of keys, all of one version, no older than any operation that was answered before, unless `stale`. */
  read(keys: readonly string[], options: ReadOptions): Promise<TableReader>
  /** `look` sees the whole table, of one version, no older than any operation that was answered before. */
  copy<T>(look: (table: WholeTable, version: number) => T, options: WaitOptions): Promise<T>
  /** Once the promise is kept, every later version is told in order; it answers what ends the watch. */
  watch(watcher: ObjectWatcher, options: WaitOptions): Promise<() => void>
  /** Ends the session. */
  close(): Promise<void>
}

export interface ObjectWatcher {
  changed(writes: readonly TableWrite[], version: number): void
  /** Versions could not be told one by one: the table as it is now. */
  skipped(table: WholeTable, version: number): void
}

/** All of it, to be looked at and not kept. */
export type WholeTable = TableReader & Iterable<[string, Uint8Array]>

/** How a read is done. */
export interface ReadOptions extends WaitOptions {
  /** What one server has: quicker, and perhaps old, or a lie where servers may lie. */
  readonly stale?: boolean
}

/** A clean end is a courtesy: a session that is not ended runs out. */
const END_MAX_MS = 2_000

export class ObjectSession implements ObjectPort {
  readonly name: string
  private readonly orders: Orders
  private readonly ttl: Millis
  private opening: Promise<string> | undefined
  private controller = newController()

  constructor(orders: Orders, name: string, ttl: Millis, applier: Applier) {
    this.orders = orders
    this.name = name
    this.ttl = ttl
    orders.appliers.set(name, applier)
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  async submit(body: Uint8Array, options: WaitOptions): Promise<Uint8Array> {
    await this.ready(options)
    return (await this.orders.submit(this.name, body, options)).body
  }

  async read(keys: readonly string[], options: ReadOptions): Promise<TableReader> {
    const { entries } = await this.orders.read(this.name, keys, options.stale ?? false, options)
    return new Map(entries.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as const])))
  }

  copy<T>(look: (table: LiveTable, version: number) => T, options: WaitOptions): Promise<T> {
    return this.orders.copy(this.name, look, options)
  }

  watch(watcher: ObjectWatcher, options: WaitOptions): Promise<() => void> {
    let stop = () => {}
    const watching = new Promise<() => void>((resolve, reject) => {
      stop = this.orders.watch(this.name, undefined, {
        watching: () => resolve(() => stop()),
        changed: (version, writes) => watcher.changed(writes, version),
        skipped: (version, table) => watcher.skipped(table, version),
        failed: reject,
      })
    })
    return within(watching, options, (_why, cause) => {
      stop()
      return this.cancelled(cause)
    })
  }

  lives(): boolean {
    return !this.signal.aborted && this.orders.lives(this.name)
  }

  renew(): void {
    // Where it cannot be opened, the operation that needs it says so.
    this.ready().catch(() => {})
  }

  /** The session's id. */
  ready(options: WaitOptions = {}): Promise<string> {
    if (this.opening === undefined) {
      // Everybody waits for one opening: it is not the first caller's to cancel.
      this.controller = newController()
      this.opening = this.orders.open(this.name, this.ttl, () => this.lost())
      this.opening.catch(() => {
        this.opening = undefined
      })
    }
    return within(this.opening, options, (_why, cause) => this.cancelled(cause))
  }

  async close(): Promise<void> {
    await this.end().catch(error => {
      // It runs out by itself.
      if (!(error instanceof NotAnswered || error instanceof Unavailable)) throw error
    })
    this.orders.close(this.name)
    this.orders.appliers.delete(this.name)
  }

  private async end(): Promise<void> {
    const { opening } = this
    if (opening === undefined) return
    this.opening = undefined
    await opening.catch(() => {})
    await this.orders.end(this.name, { timeout: END_MAX_MS })
  }

  private lost(): void {
    this.opening = undefined
    this.controller.abort(new NotAnswered(this.name, 'no session', 'may have happened'))
  }

  private cancelled(cause: unknown): NotAnswered {
    return because(new NotAnswered(this.name, 'cancelled', 'did not happen'), cause)
  }
}

/** Everything that is held or waited for listens, and holding more than ten things is no leak. */
function newController(): AbortController {
  const controller = new AbortController()
  allowManyListeners(controller.signal)
  return controller
}
