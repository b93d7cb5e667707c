// The tree over an object: watches that miss nothing, lists in pages, values by key.

import { describe, expect, it, vi } from 'vitest'
import { MemoryTree } from '../../../test/support/memory-tree.ts'
import { Barrier } from '../recipes/index.ts'
import type { ObjectPort } from './object-session.ts'
import { SharedTree, type TreeWatchOptions } from './shared-tree.ts'
import { TreeLease } from './tree-lease.ts'

const bytes = (...items: number[]) => new Uint8Array(items)

async function heard(world: MemoryTree, path: string, subtree = false) {
  const events: string[] = []
  const watch = await world
    .client()
    .watch(path, event => events.push(`${event.change} ${event.kind} ${event.path}`), { subtree })
  return { events, watch }
}

describe('watches', () => {
  it('hear every change in order, and nothing after they end', async () => {
    const world = new MemoryTree()
    const tree = world.client()
    await tree.create('/a')
    const { events, watch } = await heard(world, '/a')
    await tree.set('/a', bytes(1))
    await tree.create('/a/b')
    await tree.set('/a/b', bytes(1))
    await tree.delete('/a/b')
    await tree.delete('/a')
    await world.settle()
    expect(events).toEqual(['2 changed /a', '3 children /a', '5 children /a', '6 deleted /a'])
    await watch[Symbol.asyncDispose]()
    await tree.create('/a')
    await world.settle()
    expect(events.length).toBe(4)
  })
  it('several of one client share one watch of the object, and each hears its own', async () => {
    const world = new MemoryTree()
    const tree = world.client()
    const seen: string[] = []
    const one = await tree.watch('/a', event => seen.push(`one ${event.kind}`))
    const two = await tree.watch('/', event => seen.push(`two ${event.kind} ${event.path}`), { subtree: true })
    await tree.create('/a')
    await world.settle()
    expect(seen).toEqual(['one created', 'two created /a', 'two children /'])
    await one[Symbol.asyncDispose]()
    await tree.delete('/a')
    await world.settle()
    expect(seen.length).toBe(5)
    await two[Symbol.asyncDispose]()
  })
  it('continue after they were cut off: from the ring, each change once', async () => {
    const world = new MemoryTree()
    const tree = world.client()
    const { events } = await heard(world, '/', true)
    await tree.create('/a')
    await world.whileAway(async () => {
      await tree.set('/a', bytes(1))
      await tree.set('/a', bytes(2))
      await tree.delete('/a')
    })
    await tree.create('/b')
    await world.settle()
    const told = events.filter(event => !event.includes('children'))
    expect(told).toEqual(['1 created /a', '2 changed /a', '3 changed /a', '4 deleted /a', '5 created /b'])
  })
  it('hear a change once, also where it is pushed twice', async () => {
    const world = new MemoryTree()
    await world.client().create('/a')
    const writes = [...world.table].map(([key, value]) => ({ key, value }))
    let push: (() => void) | undefined
    const port: ObjectPort = {
      name: 'tree',
      signal: new AbortController().signal,
      close: async () => {},
      submit: () => Promise.reject(new Error('not here')),
      read: async () => new Map(),
      copy: async look => look(new Map(), 0),
      watch: async watcher => {
        push = () => watcher.changed(writes, 1)
        return () => {}
      },
    }
    let told = 0
    await new SharedTree(port, {}, () => {}).plain.watch('/a', () => told++)
    push?.()
    push?.()
    expect(told).toBe(1)
  })
  it('say so where more was missed than is kept', async () => {
    const world = new MemoryTree()
    const tree = world.client()
    await tree.create('/a')
    const { events } = await heard(world, '/a')
    const writes = Array.from({ length: 256 }, () => ({
      kind: 'set' as const,
      path: '/a',
      value: bytes(),
      version: undefined,
    }))
    await world.whileAway(async () => {
      for (let at = 0; at < 65; at++) await tree.txn([], writes)
    })
    expect(events).toEqual([`${65 * 256 + 1} missed /a`])
    await tree.set('/a', bytes(1))
    await world.settle()
    expect(events.length).toBe(2)
  })
  it('a hold looks again after it missed something', async () => {
    const world = new MemoryTree()
    const operator = world.client()
    const kept = await new Barrier(world.client(), '/kept').raise()
    const gone = await new Barrier(world.client(), '/gone').raise()
    const many = ['/x', '/y'].map(path => ({
      kind: 'create' as const,
      path,
      value: bytes(),
      ephemeral: false,
      sequential: false,
    }))
    await operator.txn([], many)
    await world.whileAway(async () => {
      await operator.delete('/gone')
      const set = { kind: 'set' as const, path: '/x', value: bytes(), version: undefined }
      for (let at = 0; at < 65; at++)
        await operator.txn(
          [],
          Array.from({ length: 256 }, () => set),
        )
    })
    await world.settle()
    expect(kept.held()).toBe(true)
    expect(gone.held()).toBe(false)
    expect(gone.signal.aborted).toBe(true)
  })
})

/** What a watch of a tree hears, as lines, while `work` is done. */
async function linesOf(world: MemoryTree, options: TreeWatchOptions, work: () => Promise<unknown>): Promise<string[]> {
  const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? '-' : new TextDecoder().decode(bytes))
  const stop = new AbortController()
  const lines: string[] = []
  let over: Promise<void> | undefined
  await new Promise<void>((started, failed) => {
    over = (async () => {
      for await (const event of world
        .shared()
        .watch('/', { recursive: true, ...options, signal: stop.signal, started })) {
        if (event.kind === 'children') continue
        const values = 'value' in event || 'before' in event ? ` ${text(event.before)} → ${text(event.value)}` : ''
        lines.push(`${event.change} ${event.kind} ${event.path}${values}`)
      }
    })()
    over.catch(failed)
  })
  await work()
  await world.settle()
  stop.abort()
  await over
  return lines
}

describe('watches with values', () => {
  it('show what is there and what was', async () => {
    const world = new MemoryTree()
    const tree = world.shared()
    await tree.create('/a', 'one')
    const lines = await linesOf(world, { values: true }, async () => {
      await tree.set('/a', 'two')
      await tree.create('/b', 'x'.repeat(600))
      await tree.set('/b', 'short')
      await tree.delete('/a')
    })
    expect(lines).toEqual([
      '2 changed /a one → two',
      `3 created /b - → ${'x'.repeat(600)}`,
      `4 changed /b ${'x'.repeat(600)} → short`,
      '5 deleted /a two → -',
    ])
  })
  it('go on after they were cut off, and others that want none hear none', async () => {
    const world = new MemoryTree()
    const tree = world.shared()
    await tree.create('/a', 'one')
    const work = () =>
      world.whileAway(async () => {
        await tree.set('/a', 'two')
        await tree.set('/a', 'three')
      })
    const plain = linesOf(world, {}, async () => {})
    expect(await linesOf(world, { values: true }, work)).toEqual([
      '2 changed /a one → three',
      '3 changed /a one → three',
    ])
    await plain
    expect(await linesOf(world, {}, () => tree.set('/a', 'four'))).toEqual(['4 changed /a'])
  })
  it('give what nobody can spoil for the others', async () => {
    const world = new MemoryTree()
    const tree = world.shared()
    await tree.create('/a', 'one')
    for await (const event of tree.watch('/a', { values: true, started: () => void tree.set('/a', 'two') })) {
      if ('value' in event) event.value?.fill(0)
      break
    }
    expect((await tree.get('/a'))?.text()).toBe('two')
  })
})

describe('watches from an older change', () => {
  it('tell it again, each change once, and then what comes', async () => {
    const world = new MemoryTree()
    const tree = world.shared()
    await tree.create('/a', 'one')
    await tree.set('/a', 'two')
    await tree.set('/a', 'three')
    const go = () => tree.set('/a', 'four')
    expect(await linesOf(world, { from: 2 }, go)).toEqual(['2 changed /a', '3 changed /a', '4 changed /a'])
    const last = () => tree.set('/a', 'five')
    expect(await linesOf(world, { from: 4, values: true }, last)).toEqual([
      '4 changed /a - → four',
      '5 changed /a four → five',
    ])
    expect(await linesOf(world, { from: 99 }, () => tree.set('/a', 'six'))).toEqual(['6 changed /a'])
  })
  it('say so where it is no longer remembered', async () => {
    const world = new MemoryTree()
    const tree = world.shared()
    await tree.create('/a')
    const set = { kind: 'set' as const, path: '/a', value: bytes(), version: undefined }
    const many = Array.from({ length: 256 }, () => set)
    for (let at = 0; at < 65; at++) await tree.txn({ do: many })
    const watch = tree.watch('/a', { from: 1 }).next()
    await expect(watch).rejects.toMatchObject({ code: 'forgotten', outcome: 'did not happen' })
    await expect(tree.watch('/a', { from: 1 }).next()).rejects.toThrow('no longer remembered')
    expect(() => tree.watch('/a', { from: 0 })).toThrow('from is 0')
    expect(() => tree.watch('/a', { from: 1.5 })).toThrow('from is 1.5')
  })
})

describe('leases', () => {
  it('bind entries of several processes, which go with it', async () => {
    const world = new MemoryTree()
    const [one, two] = [world.shared(), world.shared()]
    await one.create('/kept', 'stays')
    const lease = await one.lease({ ttl: 60_000 })
    await one.create('/a', '', { lease })
    await two.create('/b', '', { lease: lease.id })
    const { path } = await two.create('/n-', '', { lease: lease.id, sequential: true })
    await two.set('/kept', 'bound', { lease: lease.id })
    expect((await two.get('/kept'))?.stat).toMatchObject({ owner: lease.id, version: 1 })
    expect(await two.list('/')).toEqual(['kept', 'a', 'b', path.slice(1)])
    await expect(one.create('/a/child', '')).rejects.toMatchObject({ code: 'ephemeral-parent' })
    await two.renewLease(lease.id)
    expect(world.leases.get(lease.id)).toBe(1)
    world.runOut(lease.id)
    expect(await one.list('/')).toEqual([])
    await expect(lease.renew()).rejects.toMatchObject({ code: 'no-lease' })
    expect(lease.signal.aborted).toBe(true)
    await expect(two.create('/c', '', { lease: lease.id })).rejects.toMatchObject({ code: 'no-lease' })
    await expect(two.set('/c', '', { lease: lease.id })).rejects.toMatchObject({ code: 'no-entry', at: 0 })
  })
  it('end by being revoked, and entries leave one for another, or for none', async () => {
    const world = new MemoryTree()
    const tree = world.shared()
    const first = await tree.lease({ ttl: 60_000, keep: false })
    const second = await tree.lease({ ttl: 60_000 })
    for (const name of ['/a', '/b', '/c']) await tree.create(name, '', { lease: first })
    await tree.set('/b', 'moved', { lease: second })
    await tree.txn({ do: [{ kind: 'attach', path: '/c' }] })
    await first.revoke()
    expect(first.signal.aborted).toBe(true)
    expect(await tree.list('/')).toEqual(['b', 'c'])
    await second[Symbol.asyncDispose]()
    await second[Symbol.asyncDispose]()
    expect(await tree.list('/')).toEqual(['c'])
    expect((await tree.get('/c'))?.stat.owner).toBeUndefined()
    expect(world.leases.size).toBe(0)
  })
  it('an entry has one of its own where it has a ttl, and a transaction that fails grants none', async () => {
    const world = new MemoryTree()
    const tree = world.shared()
    await tree.create('/a', '', { ttl: 1_000 })
    expect(world.leases.size).toBe(1)
    const attach = { kind: 'attach', path: '/a', ttl: 1_000 } as const
    const refused = tree.txn({ do: [attach, { kind: 'delete', path: '/none', version: undefined }] })
    await expect(refused).rejects.toMatchObject({ code: 'no-entry', at: 1 })
    expect(world.leases.size).toBe(1)
    await tree.create('/parent')
    await tree.create('/parent/child')
    await expect(tree.set('/parent', '', { ttl: 1_000 })).rejects.toMatchObject({ code: 'not-empty', at: 1 })
    await expect(tree.set('/', '', { ttl: 1_000 })).rejects.toMatchObject({ code: 'bad-path', at: 1 })
    expect(world.leases.size).toBe(1)
    world.runOut([...world.leases.keys()][0]!)
    expect(await tree.exists('/a')).toBeUndefined()
  })
  it.each([
    [{ ttl: 1_000, lease: 'x' }, 'give one of the two'],
    [{ ttl: 1_000, ephemeral: true }, 'give one of the two'],
    [{ ttl: 10 }, 'ttl is 10'],
    [{ ttl: 1e9 }, 'ttl is 1000000000'],
    [{ ttl: 1_000.5 }, 'ttl is 1000.5'],
  ])('refuse %j', async (options, why) => {
    await expect(new MemoryTree().shared().create('/a', '', options)).rejects.toThrow(why)
  })
  it('are believed in for their time and no longer', async () => {
    vi.useFakeTimers()
    try {
      const port = { renew: async () => {}, revoke: async () => {} }
      const now = () => Date.now()
      const asked = now()
      const lease = new TreeLease(port, 'one', { ttl: 300, keep: false }, now, asked)
      // By a clock that goes two in a hundred too fast, and by one too slow, it is over before it is at the servers.
      vi.advanceTimersByTime(280)
      expect(lease.signal.aborted).toBe(false)
      await lease.renew()
      vi.advanceTimersByTime(280)
      expect(lease.signal.aborted).toBe(false)
      vi.advanceTimersByTime(19)
      expect(lease.signal.aborted).toBe(true)
      const late = new TreeLease(port, 'two', { ttl: 300, keep: false }, now, now() - 200)
      vi.advanceTimersByTime(99)
      expect(late.signal.aborted).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
  it('are renewed by themselves while they are kept', async () => {
    const world = new MemoryTree()
    await using kept = await world.shared().lease({ ttl: 300 })
    await new Promise(resolve => setTimeout(resolve, 700))
    expect(kept.signal.aborted).toBe(false)
    expect(world.leases.get(kept.id)).toBeGreaterThan(2)
  })
})

describe('reads', () => {
  it('give a value of any size, by its keys', async () => {
    const tree = new MemoryTree().client()
    const large = new Uint8Array(3_000_000).fill(7)
    await tree.create('/big', large)
    expect((await tree.get('/big'))?.value.length).toBe(large.length)
    expect(await tree.get('/none')).toBeUndefined()
    expect((await tree.exists('/big'))?.version).toBe(0)
    expect(await tree.exists('/none')).toBeUndefined()
  })
  it('list more than one page holds', async () => {
    const tree = new MemoryTree().client()
    await tree.create('/d')
    for (let at = 0; at < 300; at++) await tree.create(`/d/${'x'.repeat(900)}${at}`)
    const names = await tree.list('/d')
    expect(names.length).toBe(300)
    expect(names.at(-1)).toMatch(/x299$/)
    await expect(tree.list('/none')).rejects.toMatchObject({ code: 'no-entry', path: '/none' })
  })
  it('write nothing: neither lists nor counts', async () => {
    const world = new MemoryTree()
    const tree = world.shared()
    for (const path of ['/d', '/d/a', '/d/b', '/d/b/c', '/d/z']) await tree.create(path, `at ${path}`)
    const { version } = world
    expect(await tree.list('/d')).toEqual(['a', 'b', 'z'])
    expect(await tree.list('/d', { recursive: true })).toEqual(['/d/a', '/d/b', '/d/b/c', '/d/z'])
    expect(await tree.list('/', { limit: 1 })).toEqual(['d'])
    const entries = await tree.list('/d', { values: true, limit: 2 })
    expect(entries.map(entry => [entry.path, entry.name, entry.text(), entry.stat.version])).toEqual([
      ['/d/a', 'a', 'at /d/a', 0],
      ['/d/b', 'b', 'at /d/b', 0],
    ])
    expect(await tree.count('/d')).toBe(3)
    expect(await tree.count('/d', { recursive: true })).toBe(4)
    await expect(tree.count('/none')).rejects.toMatchObject({ code: 'no-entry' })
    await expect(tree.count('/none', { recursive: true })).rejects.toMatchObject({ code: 'no-entry' })
    expect(world.version).toBe(version)
  })
  it('list page by page, and say so where the place of the page is gone', async () => {
    const tree = new MemoryTree().shared()
    for (const path of ['/d', '/d/a', '/d/b', '/d/b/c', '/d/b/d', '/d/z']) await tree.create(path)
    const all = await tree.list('/d', { recursive: true })
    const paged: string[] = []
    for (let page = await tree.list('/d', { recursive: true, limit: 1 }); page.length > 0; ) {
      paged.push(...page)
      page = await tree.list('/d', { recursive: true, limit: 1, after: page.at(-1)! })
    }
    expect(paged).toEqual(all)
    expect(await tree.list('/d', { after: 'a' })).toEqual(['b', 'z'])
    await expect(tree.list('/d', { after: 'none' })).rejects.toMatchObject({ code: 'no-entry', path: '/d/none' })
    await expect(tree.list('/d', { recursive: true, after: '/e' })).rejects.toThrow('after is /e')
    await expect(tree.list('/d', { limit: 0 })).rejects.toThrow('limit is 0')
    await expect(tree.list('/d', { limit: 1.5 })).rejects.toThrow('limit is 1.5')
  })
  it('and writes refuse what is no path before anything is sent', async () => {
    const tree = new MemoryTree().client()
    const long = `/${'x'.repeat(2_000)}`
    for (const doing of [
      tree.get(long),
      tree.exists('a'),
      tree.list('/a/'),
      tree.create(long),
      tree.watch('', () => {}),
      tree.txn([{ kind: 'exists', path: long }], []),
    ]) {
      await expect(doing).rejects.toMatchObject({ code: 'bad-path', outcome: 'did not happen' })
    }
  })
  it('and writes refuse what is too large, and say what is not', async () => {
    const tree = new MemoryTree().client()
    const most = new Uint8Array(4 * 2 ** 20)
    const write = { kind: 'delete', path: '/a', version: undefined } as const
    await tree.create('/a', most)
    for (const doing of [
      tree.set('/a', new Uint8Array(most.length + 1)),
      tree.txn(
        [],
        Array.from({ length: 257 }, () => write),
      ),
    ]) {
      await expect(doing).rejects.toMatchObject({ code: 'too-large', outcome: 'did not happen' })
    }
    await expect(tree.delete('/')).rejects.toThrow('/: the root is always there, and stays.')
  })
  it('a transaction names what failed', async () => {
    const tree = new MemoryTree().client()
    const refused = tree.txn(
      [
        { kind: 'absent', path: '/a' },
        { kind: 'exists', path: '/b' },
      ],
      [{ kind: 'delete', path: '/c', version: undefined }],
    )
    await expect(refused).rejects.toMatchObject({ code: 'condition', path: '/b', at: 1 })
    await expect(refused).rejects.toThrow('number 2 of the transaction')
  })
})
