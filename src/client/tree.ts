// A tree over an object whose operations are ordered: words in, words out, and one watch of the object for all who
// watch a path of it.

import { setMaxListeners } from 'node:events'
import { decode, encode } from '../core/index.ts'
import {
  changesIn,
  changesSince,
  entryKey,
  eventsFor,
  isPath,
  lastChange,
  lastChangeKey,
  operationCodec,
  PAGE_MAX,
  readEntry,
  readValue,
  resultCodec,
  type Stat,
  statOf,
  type TableReader,
  type TableWrite,
  type TreeChange,
  type TreeCondition,
  type TreeOperation,
  type TreeResult,
  type TreeWrite,
  type TreeWriteResult,
  valueKey,
} from '../ordering/tree/index.ts'
import { type CreateOptions, hasCode, type Tree, TreeError, type WatchEvent } from './recipes/tree.ts'

/** What a tree needs of the object below it. */
export interface ObjectPort {
  /** Fires when the session is no longer certain to live. */
  readonly signal: AbortSignal
  /** Orders an operation and gives the applier's answer. */
  submit(body: Uint8Array): Promise<Uint8Array>
  /** The values of keys, all of one version, no older than any operation that was answered before. */
  read(keys: readonly string[]): Promise<TableReader>
  /** Once the promise is kept, every later version is told in order; it answers what ends the watch. */
  watch(watcher: ObjectWatcher): Promise<() => void>
}

export interface ObjectWatcher {
  changed(writes: readonly TableWrite[]): void
  /** Versions could not be told one by one: the table as it is now. */
  skipped(table: TableReader): void
}

interface PathWatch {
  readonly path: string
  readonly subtree: boolean
  listener(event: WatchEvent): void
}

/** A list of more pages than this changes faster than it can be read. */
const RESTARTS_MAX = 100

export class ObjectTree implements Tree {
  private readonly port: ObjectPort
  private readonly watches = new Set<PathWatch>()
  /** The watch of the object, while somebody watches. */
  private watching: Promise<() => void> | undefined
  /** The number of the last change that was told. */
  private told = 0

  constructor(port: ObjectPort) {
    this.port = port
    // Everything that is held or waited for listens, and holding more than ten things is no leak.
    setMaxListeners(0, port.signal)
  }

  get signal(): AbortSignal {
    return this.port.signal
  }

  async create(path: string, value = new Uint8Array(), options: CreateOptions = {}) {
    const { ephemeral = false, sequential = false } = options
    const made = await this.submit<'created'>({ kind: 'create', path, value, ephemeral, sequential })
    return { path: made.path, stat: made.stat }
  }

  async set(path: string, value: Uint8Array, version?: number): Promise<Stat> {
    return (await this.submit<'changed'>({ kind: 'set', path, value, version })).stat
  }

  async delete(path: string, version?: number): Promise<void> {
    await this.submit<'deleted'>({ kind: 'delete', path, version })
  }

  async txn(conditions: readonly TreeCondition[], writes: readonly TreeWrite[]): Promise<readonly TreeWriteResult[]> {
    for (const part of [conditions, writes]) {
      for (const [at, { path }] of part.entries()) if (!isPath(path)) throw new TreeError('bad-path', path, at)
    }
    return (await this.submit<'done'>({ kind: 'txn', conditions, writes })).results
  }

  async get(path: string): Promise<{ value: Uint8Array; stat: Stat } | undefined> {
    if (!isPath(path)) throw new TreeError('bad-path', path)
    const table = await this.port.read([entryKey(path), valueKey(path)])
    const entry = readEntry(table, path)
    return entry && { value: readValue(table, path, entry), stat: statOf(entry) }
  }

  async exists(path: string): Promise<Stat | undefined> {
    if (!isPath(path)) throw new TreeError('bad-path', path)
    const entry = readEntry(await this.port.read([entryKey(path)]), path)
    return entry && statOf(entry)
  }

  /** Of one version where it fits into one page; else each name was there while it was read. */
  async list(path: string): Promise<readonly string[]> {
    for (let restart = 0; ; restart++) {
      try {
        return await this.pages(path)
      } catch (error) {
        // The child at which a page ended went: its place is lost.
        if (!hasCode(error, 'no-entry') || (error as TreeError).path === path || restart >= RESTARTS_MAX) throw error
      }
    }
  }

  async watch(path: string, listener: (event: WatchEvent) => void, options: { subtree?: boolean } = {}) {
    if (!isPath(path)) throw new TreeError('bad-path', path)
    const watch: PathWatch = { path, subtree: options.subtree ?? false, listener }
    this.watches.add(watch)
    try {
      this.watching ??= this.begin()
      await this.watching
    } catch (error) {
      this.unwatch(watch)
      throw error
    }
    return { [Symbol.asyncDispose]: async () => this.unwatch(watch) }
  }

  private async pages(path: string): Promise<string[]> {
    const names: string[] = []
    for (let more = true; more; ) {
      const page = await this.submit<'names'>({ kind: 'list', path, after: names.at(-1), limit: PAGE_MAX })
      names.push(...page.names)
      more = page.more
    }
    return names
  }

  private async begin(): Promise<() => void> {
    const early: (() => void)[] = []
    let ready = false
    // Until it is known which change was the last before, nothing can be told.
    const later = (tell: () => void) => (ready ? tell() : early.push(tell))
    const stop = await this.port.watch({
      changed: writes => later(() => this.tell(changesIn(writes))),
      skipped: table => later(() => this.skipped(table)),
    })
    try {
      const last = lastChange(await this.port.read([lastChangeKey]))
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

  private unwatch(watch: PathWatch): void {
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

  private async submit<K extends TreeResult['kind']>(operation: TreeOperation): Promise<TreeResult & { kind: K }> {
    const path = operation.kind === 'txn' ? '/' : operation.path
    if (!isPath(path)) throw new TreeError('bad-path', path)
    const answer = decode(resultCodec, await this.port.submit(inBytes(operation, path)))
    if (!answer.ok) throw new TreeError('malformed', path)
    if (answer.value.kind === 'error') throw new TreeError(answer.value.code, answer.value.path, answer.value.at)
    return answer.value as TreeResult & { kind: K }
  }
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
