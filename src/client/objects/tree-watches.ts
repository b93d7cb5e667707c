// One watch of an object, shared by all who watch a path of the tree that it holds. Each of them hears every change of
// its path once, in order.

import {
  changesIn,
  changesSince,
  eventsFor,
  lastChange,
  lastChangeKey,
  type TableReader,
  type TreeChange,
} from '../../ordering/tree/index.ts'
import type { WatchEvent } from '../recipes/tree.ts'
import type { WaitOptions } from '../waiting.ts'
import type { ObjectPort } from './object-session.ts'

interface PathWatch {
  readonly path: string
  readonly subtree: boolean
  listener(event: WatchEvent): void
}

export class TreeWatches {
  private readonly port: ObjectPort
  private readonly waiting: WaitOptions
  private readonly watches = new Set<PathWatch>()
  /** The watch of the object, while somebody watches. */
  private watching: Promise<() => void> | undefined
  /** The number of the last change that was told. */
  private told = 0

  /** `waiting`: how long the watch of the object may take to begin. */
  constructor(port: ObjectPort, waiting: WaitOptions) {
    this.port = port
    this.waiting = waiting
  }

  async add(watch: PathWatch): Promise<AsyncDisposable> {
    this.watches.add(watch)
    try {
      this.watching ??= this.begin()
      await this.watching
    } catch (error) {
      this.remove(watch)
      throw error
    }
    return { [Symbol.asyncDispose]: async () => this.remove(watch) }
  }

  private async begin(): Promise<() => void> {
    const early: (() => void)[] = []
    let ready = false
    // Until it is known which change was the last before, nothing can be told.
    const later = (tell: () => void) => (ready ? tell() : early.push(tell))
    const watcher = {
      changed: (writes: Parameters<typeof changesIn>[0]) => later(() => this.tell(changesIn(writes))),
      skipped: (table: TableReader) => later(() => this.skipped(table)),
    }
    const stop = await this.port.watch(watcher, this.waiting)
    try {
      const last = lastChange(await this.port.read([lastChangeKey], this.waiting))
      ready = true
      this.told = 0
      for (const tell of early) tell()
      this.told = Math.max(this.told, last)
      return stop
    } catch (error) {
      stop()
      throw error
    }
  }

  private remove(watch: PathWatch): void {
    this.watches.delete(watch)
    if (this.watches.size > 0) return
    this.watching?.then(stop => stop()).catch(() => {})
    this.watching = undefined
  }

  private skipped(table: TableReader): void {
    const missed = changesSince(table, this.told)
    if (missed !== undefined) return this.tell(missed)
    this.told = lastChange(table)
    for (const watch of [...this.watches]) watch.listener({ kind: 'missed', path: watch.path, change: this.told })
  }

  private tell(changes: readonly TreeChange[]): void {
    for (const change of changes) {
      if (change.change <= this.told) continue
      this.told = change.change
      for (const watch of [...this.watches]) {
        for (const event of eventsFor(change, watch.path, watch.subtree)) watch.listener(event)
      }
    }
  }
}
