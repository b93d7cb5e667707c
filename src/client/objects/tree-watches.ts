// One watch of an object, shared by all who watch a path of the tree that it holds. Each of them hears every change of
// its path once, in order.

import {
  changesIn,
  changesSince,
  eventsFor,
  lastChange,
  readEntry,
  readValue,
  type TableReader,
  type TableWrite,
  type TreeChange,
  type TreeEvent,
} from '../../ordering/tree/index.ts'
import { TreeError, type WatchEvent } from '../recipes/tree.ts'
import type { WaitOptions } from '../waiting.ts'
import type { ObjectPort, WholeTable } from './object-session.ts'

export interface PathWatch {
  readonly path: string
  readonly subtree: boolean
  /** With what was there before and after. */
  readonly values?: boolean
  /** The first change to tell of. Default: the next one. */
  readonly from?: number | undefined
  listener(event: WatchEvent): void
}

/** What was there before and after the version in which a change stands. */
interface Around {
  before(path: string): Uint8Array | undefined
  after(path: string): Uint8Array | undefined
}

export class TreeWatches {
  private readonly port: ObjectPort
  private readonly waiting: WaitOptions
  /** With the number of the last change that each has been told. */
  private readonly watches = new Map<PathWatch, number>()
  /** Of those who are about to be added: the watch of the object goes on for them. */
  private adding = 0
  /** The watch of the object, while somebody watches. */
  private watching: Promise<() => void> | undefined
  /** The number of the last change that was heard. */
  private told = 0
  /** The table as it was when the last version was heard, while somebody wants values. */
  private mirror: { version: number; readonly table: Map<string, Uint8Array> } | undefined

  /** `waiting`: how long the watch of the object may take to begin. */
  constructor(port: ObjectPort, waiting: WaitOptions) {
    this.port = port
    this.waiting = waiting
  }

  async add(watch: PathWatch): Promise<AsyncDisposable> {
    this.adding++
    try {
      this.watching ??= this.begin()
      await this.watching
      // Without a question to the servers: what is heard next is the next change for it too.
      if (watch.from === undefined && !watch.values) this.watches.set(watch, this.told)
      else await this.port.copy((table, version) => this.enter(watch, table, version), this.waiting)
    } finally {
      this.adding--
      this.endIfAlone()
    }
    return { [Symbol.asyncDispose]: async () => this.remove(watch) }
  }

  private async begin(): Promise<() => void> {
    const early: (() => void)[] = []
    let ready = false
    // Until it is known which change was the last before, nothing can be told.
    const later = (tell: () => void) => (ready ? tell() : early.push(tell))
    const watcher = {
      changed: (writes: readonly TableWrite[], version: number) => later(() => this.changed(writes, version)),
      skipped: (table: WholeTable, version: number) => ready && this.skipped(table, version),
    }
    const stop = await this.port.watch(watcher, this.waiting)
    try {
      await this.port.copy(table => {
        this.told = lastChange(table)
        ready = true
      }, this.waiting)
      for (const tell of early) tell()
      return stop
    } catch (error) {
      stop()
      this.watching = undefined
      throw error
    }
  }

  /** While the table is looked at, so that nothing comes in between. */
  private enter(watch: PathWatch, table: WholeTable, version: number): void {
    const last = lastChange(table)
    const since = watch.from === undefined ? last : Math.min(watch.from - 1, last)
    const past = changesSince(table, since)
    if (past === undefined) throw new TreeError('forgotten', watch.path)
    if (watch.values && (this.mirror === undefined || this.mirror.version < version)) {
      this.mirror = { version, table: new Map(table) }
    }
    this.watches.set(watch, since)
    const now: Around = { before: () => undefined, after: path => valueAt(table, path) }
    for (const change of past) this.tellOne(watch, change, now)
    // Where the watch of the object is behind, what it will tell is told already.
    this.watches.set(watch, last)
  }

  private remove(watch: PathWatch): void {
    this.watches.delete(watch)
    if (![...this.watches.keys()].some(({ values }) => values)) this.mirror = undefined
    this.endIfAlone()
  }

  private endIfAlone(): void {
    if (this.watches.size > 0 || this.adding > 0) return
    this.watching?.then(stop => stop()).catch(() => {})
    this.watching = undefined
  }

  private changed(writes: readonly TableWrite[], version: number): void {
    const changes = changesIn(writes)
    const { mirror } = this
    if (mirror === undefined || mirror.version >= version) return this.tell(changes, NOT_KNOWN)
    const before = new Map(changes.map(({ path }) => [path, valueAt(mirror.table, path)]))
    for (const { key, value } of writes) {
      if (value === undefined) mirror.table.delete(key)
      else mirror.table.set(key, value)
    }
    mirror.version = version
    this.tell(changes, { before: path => before.get(path), after: path => valueAt(mirror.table, path) })
  }

  private skipped(table: WholeTable, version: number): void {
    const missed = changesSince(table, this.told)
    const old = this.mirror?.table
    if (old !== undefined) this.mirror = { version, table: new Map(table) }
    const around = {
      before: (path: string) => old && valueAt(old, path),
      after: (path: string) => valueAt(table, path),
    }
    if (missed !== undefined) return this.tell(missed, around)
    this.told = lastChange(table)
    for (const watch of [...this.watches.keys()]) {
      this.watches.set(watch, this.told)
      watch.listener({ kind: 'missed', path: watch.path, change: this.told })
    }
  }

  private tell(changes: readonly TreeChange[], around: Around): void {
    for (const change of changes) {
      if (change.change <= this.told) continue
      this.told = change.change
      for (const watch of [...this.watches.keys()]) this.tellOne(watch, change, around)
    }
  }

  private tellOne(watch: PathWatch, change: TreeChange, around: Around): void {
    const told = this.watches.get(watch)
    if (told === undefined || change.change <= told) return
    this.watches.set(watch, change.change)
    for (const event of eventsFor(change, watch.path, watch.subtree)) {
      watch.listener(watch.values ? withValues(event, around) : event)
    }
  }
}

const NOT_KNOWN: Around = { before: () => undefined, after: () => undefined }

function withValues(event: TreeEvent, { before, after }: Around): WatchEvent {
  if (event.kind === 'children') return event
  const was = event.kind === 'created' ? undefined : before(event.path)
  const is = event.kind === 'deleted' ? undefined : after(event.path)
  return { ...event, ...(was && { before: was }), ...(is && { value: is }) }
}

/** A copy: what a user does with it must not reach the replica. */
function valueAt(table: TableReader, path: string): Uint8Array | undefined {
  const entry = readEntry(table, path)
  return entry === undefined ? undefined : readValue(table, path, entry).slice()
}
