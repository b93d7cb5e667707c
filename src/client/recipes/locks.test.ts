// Locks and the semaphore on a tree without servers, over many interleavings. LECTURE "ZooKeeper locking protocol":
// create, watch, delete; and what it leaves out: the herd, the order, dead holders, callers that give up.

import { describe, expect, it } from 'vitest'
import { MemoryTree } from '../../../test/support/memory-tree.ts'
import { expectClean, Room, seeds, sweep } from '../../../test/support/recipes.ts'
import { DoubleBarrier, type Hold, HoldLost, ReadWriteLock, Semaphore, TreeLock, WaitEnded } from './index.ts'

describe('the tree lock', () => {
  it.each(seeds)('one at a time, in the order of coming, with tokens that grow (seed %i)', async seed => {
    const tree = new MemoryTree(seed)
    const room = new Room()
    const user = async () => {
      const lock = new TreeLock(tree.client(), '/locks/a')
      for (let round = 0; round < 3; round++) await room.visit(await lock.acquire())
    }
    await Promise.all(Array.from({ length: 6 }, user))
    expect(room.most).toBe(1)
    expect(room.tokens.length).toBe(18)
    expect(room.tokens).toEqual([...room.tokens].sort((a, b) => Number(a - b)))
    await tree.settle()
    expectClean(tree, '/locks')
  })

  it('wakes one: nobody watches the line, and each entry is watched by its owner and by one behind it', async () => {
    const tree = new MemoryTree()
    const order: number[] = []
    const first = await new TreeLock(tree.client(), '/l').acquire()
    const waiting = Array.from({ length: 20 }, async (_, at) => {
      for (let turn = 0; turn < at * 100; turn++) await Promise.resolve()
      const hold = await new TreeLock(tree.client(), '/l').acquire()
      order.push(at)
      await hold.release()
    })
    for (let wait = 0; wait < 20; wait++) await tree.settle()
    expect(tree.below('/l').length).toBe(21)
    expect(tree.watching('/l')).toBe(0)
    // One for the holder's own entry, one for each that waits.
    expect(tree.watchers.size).toBe(21)
    await first.release()
    await Promise.all(waiting)
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(Math.max(...tree.woken.values())).toBe(1)
  })

  it('goes to the next when its holder’s session ends, and tells the holder', async () => {
    const tree = new MemoryTree()
    const client = tree.client()
    const first = await new TreeLock(client, '/l').acquire()
    const second = new TreeLock(tree.client(), '/l').acquire()
    await tree.settle()
    tree.end(client.session)
    expect(first.signal.aborted).toBe(true)
    expect(first.signal.reason).toBeInstanceOf(HoldLost)
    expect(first.held()).toBe(false)
    expect((await second).token).toBeGreaterThan(first.token)
    await first.release()
  })

  it('is not held once the session may be over by the clock, though no timer has run yet', async () => {
    const tree = new MemoryTree()
    let alive = true
    const hold = await new TreeLock({ ...tree.client(), lives: () => alive }, '/l').acquire()
    expect(hold.held()).toBe(true)
    alive = false
    expect(hold.signal.aborted).toBe(false)
    expect(hold.held()).toBe(false)
    alive = true
    await hold.release()
  })

  it('does not go to those behind a waiter that dies', async () => {
    const tree = new MemoryTree()
    const first = await new TreeLock(tree.client(), '/l').acquire()
    const dying = tree.client()
    const second = new TreeLock(dying, '/l').acquire()
    const ended = expect(second).rejects.toMatchObject({ reason: 'session lost' })
    await tree.settle()
    let third: Hold | undefined
    const waiting = new TreeLock(tree.client(), '/l').acquire().then(hold => {
      third = hold
    })
    await tree.settle()
    tree.end(dying.session)
    await ended
    await tree.settle()
    expect(third).toBeUndefined()
    await first.release()
    await waiting
    expect(third?.held()).toBe(true)
  })

  it('tells its holder when somebody deletes the entry, and not when it is released', async () => {
    const tree = new MemoryTree()
    const hold = await new TreeLock(tree.client(), '/l').acquire()
    await tree.client().delete(hold.path)
    await tree.settle()
    expect(hold.signal.reason).toBeInstanceOf(HoldLost)
    let after: Hold
    {
      await using next = await new TreeLock(tree.client(), '/l').acquire()
      after = next
      expect(next.held()).toBe(true)
    }
    expect(after.held()).toBe(false)
    expect(after.signal.aborted).toBe(false)
    await after.release()
    await tree.settle()
    expectClean(tree, '/l')
  })

  it('gives up in time, and leaves nothing behind', async () => {
    const tree = new MemoryTree()
    const first = await new TreeLock(tree.client(), '/l').acquire()
    const late = await new TreeLock(tree.client(), '/l').acquire({ timeout: 1 }).catch((error: unknown) => error)
    expect(late).toBeInstanceOf(WaitEnded)
    expect(late).toMatchObject({ reason: 'timeout', outcome: 'did not happen' })
    await expect(new TreeLock(tree.client(), '/l').acquire({ timeout: -1 })).rejects.toThrow('0 or more')
    await first.release()
    await tree.settle()
    expectClean(tree, '/l')
  })
})

describe('callers that are cut off at any moment leave nothing behind', () => {
  const both = (count: { got: number; cut: number }) => {
    expect(count.got).toBeGreaterThan(5)
    expect(count.cut).toBeGreaterThan(5)
  }
  it('of a lock that is free', async () =>
    both(await sweep('/l', (client, signal) => new TreeLock(client, '/l').acquire({ signal }))))
  it('of a lock that comes free', async () =>
    both(
      await sweep(
        '/l',
        (client, signal) => new TreeLock(client, '/l').acquire({ signal }),
        tree => new TreeLock(tree.client(), '/l').acquire(),
      ),
    ))
  it('of a semaphore', async () =>
    both(await sweep('/s', (client, signal) => new Semaphore(client, '/s', 1).acquire({ signal }))))
  it('of a double barrier', async () =>
    both(await sweep('/d', (client, signal) => new DoubleBarrier(client, '/d', 1).enter({ signal }))))
})

describe('the read-write lock', () => {
  it.each(seeds)('readers together, writers alone (seed %i)', async seed => {
    const tree = new MemoryTree(seed)
    const state = { readers: 0, writers: 0, mostReaders: 0, wrong: 0 }
    const reader = async () => {
      const hold = await new ReadWriteLock(tree.client(), '/rw').read()
      state.readers++
      state.mostReaders = Math.max(state.mostReaders, state.readers)
      if (state.writers > 0) state.wrong++
      for (let turn = 0; turn < 200; turn++) await Promise.resolve()
      state.readers--
      await hold.release()
    }
    const writer = async () => {
      const hold = await new ReadWriteLock(tree.client(), '/rw').write()
      state.writers++
      if (state.writers > 1 || state.readers > 0) state.wrong++
      for (let turn = 0; turn < 50; turn++) await Promise.resolve()
      state.writers--
      await hold.release()
    }
    await Promise.all([reader(), reader(), writer(), reader(), writer(), reader(), reader()])
    expect(state.wrong).toBe(0)
    expect(state.mostReaders).toBeGreaterThan(1)
  })
  it('later readers do not pass a waiting writer, and do not wake each other', async () => {
    const tree = new MemoryTree()
    const lock = () => new ReadWriteLock(tree.client(), '/rw')
    const first = await lock().read()
    const order: string[] = []
    const note = async (name: string, acquiring: Promise<Hold>) => {
      const hold = await acquiring
      order.push(name)
      return hold
    }
    const writer = note('writer', lock().write())
    await tree.settle()
    const readers = [1, 2, 3].map(() => note('reader', lock().read()))
    await tree.settle()
    expect(order).toEqual([])
    await first.release()
    const writing = await writer
    await tree.settle()
    expect(order).toEqual(['writer'])
    await writing.release()
    const reading = await Promise.all(readers)
    expect(order.length).toBe(4)
    tree.woken.clear()
    for (const hold of reading) await hold.release()
    expect([...tree.woken.values()]).toEqual([])
  })
})

describe('the semaphore', () => {
  it.each(seeds)('never more than its permits, and all of them (seed %i)', async seed => {
    const tree = new MemoryTree(seed)
    const room = new Room()
    const user = async () => {
      const semaphore = new Semaphore(tree.client(), '/s', 3)
      for (let round = 0; round < 2; round++) {
        const hold = await semaphore.acquire()
        for (let turn = 0; turn < 100; turn++) await Promise.resolve()
        await room.visit(hold)
      }
    }
    const holding = async () => {
      const hold = await new Semaphore(tree.client(), '/s', 3).acquire()
      await tree.settle()
      await room.visit(hold)
    }
    await Promise.all([...Array.from({ length: 5 }, user), holding(), holding()])
    expect(room.most).toBeLessThanOrEqual(3)
    expect(room.tokens.length).toBe(12)
    await tree.settle()
    expectClean(tree, '/s')
  })
  it('fills up, lets one more in for each that goes or dies, and only the first in line looks', async () => {
    const tree = new MemoryTree()
    const dying = tree.client()
    const held = [await new Semaphore(dying, '/s', 2).acquire(), await new Semaphore(tree.client(), '/s', 2).acquire()]
    let got = 0
    for (let at = 0; at < 5; at++) {
      void new Semaphore(tree.client(), '/s', 2).acquire().then(() => got++)
      await tree.settle()
    }
    expect(got).toBe(0)
    expect(tree.watching('/s/holders')).toBe(1)
    await held[1]!.release()
    await tree.settle()
    expect(got).toBe(1)
    tree.end(dying.session)
    await tree.settle()
    expect(got).toBe(2)
    expect(held[0]!.signal.aborted).toBe(true)
  })
  it('refuses to mean two numbers', async () => {
    const tree = new MemoryTree()
    await using _hold = await new Semaphore(tree.client(), '/s', 2).acquire()
    await expect(new Semaphore(tree.client(), '/s', 3).acquire()).rejects.toThrow('2 permits, not 3')
    expect(() => new Semaphore(tree.client(), '/s', 0)).toThrow('from 1')
  })
})
