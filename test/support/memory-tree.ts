// An object without servers, and trees on it: operations apply at once to one table, watchers are told in order,
// sessions end on demand. Every call takes a few turns of the event loop drawn from a seed, so that clients interleave
// in many ways.

import { setMaxListeners } from 'node:events'
import type { ObjectPort, ObjectWatcher } from '../../src/client/objects/object-session.ts'
import { SharedTree } from '../../src/client/objects/shared-tree.ts'
import type { Tree } from '../../src/client/recipes/tree.ts'
import { type Random, seededRandom, Unavailable } from '../../src/core/index.ts'
import { type TableWrite, treeApplier } from '../../src/ordering/tree/index.ts'

type View = Parameters<typeof treeApplier.apply>[0]

interface Told extends ObjectWatcher {
  readonly session: string
  /** What was pushed arrives late, and in order. */
  last: Promise<unknown>
}

interface CountingTree extends Tree {
  readonly session: string
}

/** A tree that counts what is watched and how many are woken: a herd would show here. */
function countingTree(world: MemoryTree, session: string, port: ObjectPort): CountingTree {
  const tree = new SharedTree(port, {}, () => {}).plain
  return {
    ...tree,
    signal: port.signal,
    session,
    async watch(path, listener, options) {
      const watched = { path, session }
      const watch = await tree.watch(
        path,
        event => {
          world.woken.set(path, (world.woken.get(path) ?? 0) + 1)
          listener(event)
        },
        options,
      )
      world.watchers.add(watched)
      return {
        [Symbol.asyncDispose]: async () => {
          world.watchers.delete(watched)
          await watch[Symbol.asyncDispose]()
        },
      }
    },
  }
}

export class MemoryTree {
  readonly table = new Map<string, Uint8Array>()
  /** How often something was written. */
  version = 0
  readonly watchers = new Set<{ readonly path: string; readonly session: string }>()
  readonly woken = new Map<string, number>()
  /** Leases, with the number of their renewals. */
  readonly leases = new Map<string, number>()
  private readonly leaseTable = {
    grant: () => {
      const lease = `lease-${this.leases.size + 1}`
      this.leases.set(lease, 0)
      return lease
    },
    has: (lease: string) => this.leases.has(lease),
    renew: (lease: string) => {
      if (this.leases.has(lease)) this.leases.set(lease, this.leases.get(lease)! + 1)
      return this.leases.has(lease)
    },
    drop: (lease: string) => void this.leases.delete(lease),
  }
  private readonly random: Random
  private readonly living = new Map<string, AbortController>()
  private readonly told = new Set<Told>()
  /** While true, versions are not told one by one: those who watch see the table when it is over. */
  private away = false
  private sessions = 0
  /** How many more turns until a push arrives. */
  pushTurns = 0

  constructor(seed = 1) {
    this.random = seededRandom(seed)
  }

  /** A client with a session of its own. */
  client(): CountingTree {
    const { session, port } = this.open()
    return countingTree(this, session, port)
  }

  /** The same as `group.tree` would give it. */
  shared(): SharedTree {
    return new SharedTree(this.open().port, {}, () => {})
  }

  private open(): { readonly session: string; readonly port: ObjectPort } {
    const session = `s${++this.sessions}`
    const life = new AbortController()
    setMaxListeners(0, life.signal)
    this.living.set(session, life)
    const port: ObjectPort = {
      name: 'tree',
      signal: life.signal,
      close: async () => {},
      submit: body =>
        this.visit(session, () =>
          this.write(view => treeApplier.apply(view, body, { session, leases: this.leaseTable })),
        ),
      read: keys => this.visit(session, () => new Map(keys.flatMap(key => this.entry(key)))),
      copy: look => this.visit(session, () => look(this.table, this.version)),
      watch: watcher =>
        this.visit(session, () => {
          const told: Told = { ...watcher, session, last: Promise.resolve() }
          this.told.add(told)
          return () => void this.told.delete(told)
        }),
    }
    return { session, port }
  }

  /** The servers end the session; the client learns it at the same time. */
  end(session: string): void {
    const life = this.living.get(session)
    this.living.delete(session)
    for (const set of [this.told, this.watchers]) {
      for (const one of set) if (one.session === session) set.delete(one as never)
    }
    this.write(view => treeApplier.ended(view, session))
    life?.abort()
  }

  /** A lease was not renewed in its time. */
  runOut(lease: string): void {
    this.leases.delete(lease)
    this.write(view => treeApplier.ended(view, lease))
  }

  /** Names of what stands below a path, also deeper. */
  below(path: string): string[] {
    return [...this.table.keys()].filter(key => key.startsWith(`e${path}/`)).map(key => key.slice(1))
  }

  watching(path: string): number {
    return [...this.watchers].filter(watcher => watcher.path === path).length
  }

  /** Those who watch are cut off while `work` is done, and then shown the table. */
  async whileAway(work: () => Promise<unknown>): Promise<void> {
    this.away = true
    await work()
    this.away = false
    for (const told of this.told) this.push(told, () => told.skipped(this.table, this.version))
    await this.settle()
  }

  /** Lets everything run that can. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 600; turn++) await Promise.resolve()
    await new Promise(resolve => setImmediate(resolve))
    for (let turn = 0; turn < 600; turn++) await Promise.resolve()
  }

  private entry(key: string): [string, Uint8Array][] {
    const value = this.table.get(key)
    return value === undefined ? [] : [[key, value]]
  }

  private async visit<T>(session: string, work: () => T): Promise<T> {
    await this.travel()
    if (!this.living.has(session)) throw new Unavailable('the session has ended')
    const result = work()
    await this.travel()
    return result
  }

  private write<T>(work: (view: View) => T): T {
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
    if (writes.length > 0) this.version++
    const { version } = this
    if (this.away || writes.length === 0) return result
    for (const told of this.told) this.push(told, () => told.changed(writes, version))
    return result
  }

  /** One that ended meanwhile hears no more. */
  private push(told: Told, tell: () => void): void {
    told.last = told.last.then(() => this.travel(this.pushTurns)).then(() => this.told.has(told) && tell())
  }

  private async travel(more = 0): Promise<void> {
    for (let turn = this.random.below(6) + more; turn >= 0; turn--) await Promise.resolve()
  }
}
