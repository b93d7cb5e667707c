// A tree without servers: operations apply at once to one table, watchers are told in order, sessions end on demand.
// Every call takes a few turns of the event loop drawn from a seed, so that clients interleave in many ways.

import { type Tree, TreeError } from '../../src/client/recipes/index.ts'
import { type Random, seededRandom, Unavailable } from '../../src/core/index.ts'
import {
  applyTree,
  changesIn,
  endSession,
  eventsFor,
  type TableWrite,
  type TreeChange,
  type TreeEvent,
  type TreeOperation,
  type TreeResult,
} from '../../src/ordering/tree/index.ts'

interface Watcher {
  readonly path: string
  readonly subtree: boolean
  readonly session: string
  listener(event: TreeEvent): void
}

export class MemoryTree {
  readonly table = new Map<string, Uint8Array>()
  readonly watchers = new Set<Watcher>()
  readonly changes: TreeChange[] = []
  /** How many listeners heard of each path: a herd would show here. */
  readonly woken = new Map<string, number>()
  private readonly random: Random
  private readonly living = new Map<string, AbortController>()
  private sessions = 0

  constructor(seed = 1) {
    this.random = seededRandom(seed)
  }

  /** A client with a session of its own. */
  client(): Tree & { readonly session: string } {
    const session = `s${++this.sessions}`
    const life = new AbortController()
    this.living.set(session, life)
    const run = <K extends TreeResult['kind']>(operation: TreeOperation) => this.run<K>(session, operation)
    return {
      session,
      signal: life.signal,
      create: async (path, value = new Uint8Array(), { ephemeral = false, sequential = false } = {}) =>
        run<'created'>({ kind: 'create', path, value, ephemeral, sequential }),
      set: async (path, value, version) => (await run<'changed'>({ kind: 'set', path, value, version })).stat,
      delete: async (path, version) => {
        await run<'deleted'>({ kind: 'delete', path, version })
      },
      get: path => run<'found'>({ kind: 'get', path }).catch(nothing),
      exists: async path => (await run<'stat'>({ kind: 'exists', path })).stat,
      list: async path => (await run<'names'>({ kind: 'list', path, after: undefined, limit: 10_000 })).names,
      txn: async (conditions, writes) => (await run<'done'>({ kind: 'txn', conditions, writes })).results,
      watch: (path, listener, { subtree = false } = {}) => this.watch({ path, subtree, session, listener }),
    }
  }

  /** The servers end the session; the client learns it after. */
  end(session: string): void {
    const life = this.living.get(session)
    this.living.delete(session)
    for (const watcher of this.watchers) if (watcher.session === session) this.watchers.delete(watcher)
    this.write(view => endSession(view, session))
    life?.abort()
  }

  /** Names of what stands below a path, also deeper. */
  below(path: string): string[] {
    return [...this.table.keys()].filter(key => key.startsWith(`e${path}/`)).map(key => key.slice(1))
  }

  watching(path: string): number {
    return [...this.watchers].filter(watcher => watcher.path === path).length
  }

  /** Lets everything run that can. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 400; turn++) await Promise.resolve()
    await new Promise(resolve => setImmediate(resolve))
    for (let turn = 0; turn < 400; turn++) await Promise.resolve()
  }

  private async run<K extends TreeResult['kind']>(
    session: string,
    operation: TreeOperation,
  ): Promise<TreeResult & { kind: K }> {
    await this.travel()
    if (!this.living.has(session)) throw new Unavailable('the session has ended')
    const result = this.write(view => applyTree(view, operation, session))
    await this.travel()
    if (result.kind === 'error') throw new TreeError(result.code, result.path, result.at)
    return result as TreeResult & { kind: K }
  }

  private async watch(watcher: Watcher): Promise<AsyncDisposable> {
    await this.travel()
    if (!this.living.has(watcher.session)) throw new Unavailable('the session has ended')
    this.watchers.add(watcher)
    await this.travel()
    return {
      [Symbol.asyncDispose]: async () => {
        this.watchers.delete(watcher)
      },
    }
  }

  private write<T>(work: (view: Parameters<typeof applyTree>[0]) => T): T {
    const writes: TableWrite[] = []
    const result = work({
      get: key => this.table.get(key),
      set: (key, value) => {
        this.table.set(key, value)
        writes.push({ key, value })
      },
      remove: key => {
        this.table.delete(key)
        writes.push({ key, value: undefined })
      },
    })
    for (const change of changesIn(writes)) this.tell(change)
    return result
  }

  private tell(change: TreeChange): void {
    this.changes.push(change)
    for (const watcher of this.watchers) {
      for (const event of eventsFor(change, watcher.path, watcher.subtree)) {
        this.woken.set(watcher.path, (this.woken.get(watcher.path) ?? 0) + 1)
        queueMicrotask(() => this.watchers.has(watcher) && watcher.listener(event))
      }
    }
  }

  private async travel(): Promise<void> {
    for (let turn = this.random.below(6); turn >= 0; turn--) await Promise.resolve()
  }
}

function nothing(error: unknown): undefined {
  if (error instanceof TreeError && error.code === 'no-entry') return undefined
  throw error
}
