// The recipes on a tree without servers, over many interleavings. LECTURE "ZooKeeper locking protocol": create, watch,
// delete; and what it leaves out: the herd, the order, dead holders, callers that give up.

import { describe, expect, it } from 'vitest'
import { MemoryTree } from '../../../test/support/memory-tree.ts'
import type { CounterCall, QueueCall, Value } from '../../simulator/index.ts'
import { checkLinearizability, counter, type Operation, queue } from '../../simulator/index.ts'
import {
  Barrier,
  Counter,
  DoubleBarrier,
  type Hold,
  HoldLost,
  Latch,
  ReadWriteLock,
  Semaphore,
  type Tree,
  TreeLock,
  TreeQueue,
  WaitEnded,
} from './index.ts'

const seeds = Array.from({ length: 25 }, (_, at) => at + 1)
const bytes = (...items: number[]) => new Uint8Array(items)

/** An abort after so many turns of the event loop: it lands between any two steps of a recipe. */
function abortAfter(turns: number): AbortSignal {
  const controller = new AbortController()
  const wait = async () => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    controller.abort()
  }
  wait()
  return controller.signal
}

/** What a cut-off caller must leave behind: no entry, no watch. The directories stay. */
function expectClean(tree: MemoryTree, path: string): void {
  const left = tree.below(path).filter(entry => /-\d{10}$|ready$/.test(entry))
  expect(left).toEqual([])
  expect([...tree.watchers].map(watcher => watcher.path)).toEqual([])
}

/** Holders of something, told apart by the largest number at one time. */
class Room {
  inside = 0
  most = 0
  readonly tokens: bigint[] = []

  async visit(hold: Hold): Promise<void> {
    this.tokens.push(hold.token)
    this.inside++
    this.most = Math.max(this.most, this.inside)
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    this.inside--
    await hold.release()
  }
}

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

/** Cuts a caller off at every turn; what it got it lets go of. Returns how often it got something, and did not. */
async function sweep(
  path: string,
  start: (client: Tree, signal: AbortSignal) => Promise<AsyncDisposable>,
  before: (tree: MemoryTree) => Promise<AsyncDisposable | undefined> = async () => undefined,
): Promise<{ got: number; cut: number }> {
  const count = { got: 0, cut: 0 }
  for (let turns = 0; turns < 360; turns += 3) {
    const tree = new MemoryTree(turns)
    const blocker = await before(tree)
    const waiting = start(tree.client(), abortAfter(turns)).then(
      async hold => {
        count.got++
        await hold[Symbol.asyncDispose]()
      },
      error => {
        expect(error).toBeInstanceOf(WaitEnded)
        count.cut++
      },
    )
    if (blocker !== undefined) {
      for (let turn = 0; turn < 80; turn++) await Promise.resolve()
      await blocker[Symbol.asyncDispose]()
    }
    await waiting
    await tree.settle()
    expectClean(tree, path)
  }
  return count
}

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

describe('the barrier', () => {
  it('holds everybody while it stands, and goes with whoever put it up', async () => {
    const tree = new MemoryTree()
    const client = tree.client()
    await new Barrier(client, '/b/one').pass()
    const raised = await new Barrier(client, '/b/one').raise()
    await expect(new Barrier(tree.client(), '/b/one').raise()).rejects.toMatchObject({ code: 'exists' })
    let passed = 0
    const waiting = [1, 2, 3].map(() => new Barrier(tree.client(), '/b/one').pass().then(() => passed++))
    await tree.settle()
    expect(passed).toBe(0)
    await expect(new Barrier(tree.client(), '/b/one').pass({ timeout: 1 })).rejects.toThrow('not in time')
    tree.end(client.session)
    await Promise.all(waiting)
    expect(raised.signal.aborted).toBe(true)
    await tree.settle()
    expectClean(tree, '/b')
  })
})

describe('the double barrier', () => {
  it.each(seeds)('nobody begins before all came, nobody is through before all left, twice (seed %i)', async seed => {
    const tree = new MemoryTree(seed)
    const size = 4
    const rounds = [0, 1].map(() => ({ came: 0, done: 0, early: 0 }))
    const user = async () => {
      const client = tree.client()
      for (const round of rounds) {
        round.came++
        await using member = await new DoubleBarrier(client, '/d', size).enter()
        if (round.came < size) round.early++
        for (let turn = 0; turn < 20; turn++) await Promise.resolve()
        round.done++
        await member.leave()
        if (round.done < size) round.early++
      }
    }
    await Promise.all(Array.from({ length: size }, user))
    expect(rounds).toEqual([
      { came: size, done: size, early: 0 },
      { came: size, done: size, early: 0 },
    ])
    await tree.settle()
    expectClean(tree, '/d')
  })
  it.each([0, 1, 2])('who dies inside counts as through (number %i)', async dies => {
    const tree = new MemoryTree()
    const clients = [tree.client(), tree.client(), tree.client()]
    const members = await Promise.all(clients.map(client => new DoubleBarrier(client, '/d', 3).enter()))
    const leaving = members.filter((_, at) => at !== dies).map(member => member.leave())
    await tree.settle()
    tree.end(clients[dies]!.session)
    await Promise.all(leaving)
    expect(members[dies]!.signal.aborted).toBe(true)
    const again = [1, 2, 3].map(() => new DoubleBarrier(tree.client(), '/d', 3).enter())
    expect((await Promise.all(again)).length).toBe(3)
  })
  it('all may die inside, and the next round begins none the less', async () => {
    const tree = new MemoryTree()
    const clients = [tree.client(), tree.client()]
    await Promise.all(clients.map(client => new DoubleBarrier(client, '/d', 2).enter()))
    for (const client of clients) tree.end(client.session)
    let entered = 0
    const one = new DoubleBarrier(tree.client(), '/d', 2).enter().then(() => entered++)
    await tree.settle()
    expect(entered).toBe(0)
    await Promise.all([one, new DoubleBarrier(tree.client(), '/d', 2).enter()])
  })
})

/** A clock that counts looks at it: calls and returns get distinct times in the order in which they happen. */
class Journal<Call, Result> {
  readonly operations: Operation<Call, Result>[] = []
  private now = 0

  async record(client: string, call: Call, doing: Promise<Result>): Promise<void> {
    const calledAt = this.now++
    const result = await doing
    this.operations.push({ client, call, calledAt, outcome: { kind: 'returned', at: this.now++, result } })
  }
}

describe('the queue', () => {
  it.each(seeds)('is linearizable: in order, each item once (seed %i)', async seed => {
    const tree = new MemoryTree(seed)
    const journal = new Journal<QueueCall, Value>()
    const puts = async (who: number) => {
      const client = new TreeQueue(tree.client(), '/q')
      for (let at = 0; at < 4; at++) {
        const value = who * 10 + at
        await journal.record(
          `put${who}`,
          { kind: 'put', value },
          client.put(bytes(value)).then(() => null),
        )
      }
    }
    const takes = async (who: number) => {
      const client = new TreeQueue(tree.client(), '/q')
      for (let at = 0; at < 4; at++) {
        const taking = client.take().then(taken => taken.value[0]!)
        await journal.record(`take${who}`, { kind: 'take' }, taking)
      }
    }
    await Promise.all([puts(1), takes(1), takes(2), puts(2), puts(3), takes(3)])
    // A take waits where the model would answer null, so the model without null is what it must fit.
    const waiting = {
      ...queue,
      step: (state: readonly Value[], call: QueueCall) =>
        call.kind === 'take' && state.length === 0 ? [] : queue.step(state, call),
    }
    expect(checkLinearizability(waiting, journal.operations)).toMatchObject({ verdict: 'linearizable' })
    await tree.settle()
    expectClean(tree, '/q')
  })
  it('one put wakes one taker, the first that came', async () => {
    const tree = new MemoryTree()
    const got: string[] = []
    for (let at = 0; at < 8; at++) {
      void new TreeQueue(tree.client(), '/q').take().then(({ value }) => got.push(`${at}:${value[0]}`))
      await tree.settle()
    }
    tree.woken.clear()
    await new TreeQueue(tree.client(), '/q').put(bytes(7))
    await tree.settle()
    expect(got).toEqual(['0:7'])
    expect(tree.woken.get('/q/items')).toBeLessThanOrEqual(3)
    await new TreeQueue(tree.client(), '/q').put(bytes(8))
    await tree.settle()
    expect(got).toEqual(['0:7', '1:8'])
  })
  it('a taker that is cut off at any moment loses no item', async () => {
    let taken = 0
    for (let turns = 0; turns < 160; turns += 2) {
      const tree = new MemoryTree(turns)
      await new TreeQueue(tree.client(), '/q').put(bytes(1))
      const result = await new TreeQueue(tree.client(), '/q').take({ signal: abortAfter(turns) }).catch(() => undefined)
      await tree.settle()
      const left = await new TreeQueue(tree.client(), '/q').length()
      expect(left).toBe(result === undefined ? 1 : 0)
      expect([...tree.watchers]).toEqual([])
      expect(tree.below('/q/takers')).toEqual([])
      if (result !== undefined) taken++
    }
    expect(taken).toBeGreaterThan(5)
    expect(taken).toBeLessThan(75)
  })
  it('a taker that dies while it waits makes room for the next', async () => {
    const tree = new MemoryTree()
    const dying = tree.client()
    const dead = expect(new TreeQueue(dying, '/q').take()).rejects.toThrow('session')
    await tree.settle()
    const second = new TreeQueue(tree.client(), '/q').take()
    await tree.settle()
    tree.end(dying.session)
    await dead
    await new TreeQueue(tree.client(), '/q').put(bytes(5))
    expect((await second).value).toEqual(bytes(5))
  })
})

describe('the latch', () => {
  it.each(seeds.slice(0, 10))('opens at the last count, wakes once, and stays open (seed %i)', async seed => {
    const tree = new MemoryTree(seed)
    let open = 0
    const waiting = [1, 2, 3].map(() => new Latch(tree.client(), '/l', 4).wait().then(() => open++))
    await tree.settle()
    const down = () => new Latch(tree.client(), '/l', 4).countDown()
    const left = await Promise.all([down(), down(), down()])
    expect(left.sort()).toEqual([1, 2, 3])
    await tree.settle()
    expect(open).toBe(0)
    expect(tree.woken.get('/l/open') ?? 0).toBe(0)
    expect(await down()).toBe(0)
    await Promise.all(waiting)
    expect(tree.woken.get('/l/open')).toBe(3)
    expect(await down()).toBe(0)
    await new Latch(tree.client(), '/l', 4).wait()
  })
})

describe('the counter', () => {
  it.each(seeds.slice(0, 10))('is linearizable under contention (seed %i)', async seed => {
    const tree = new MemoryTree(seed)
    const journal = new Journal<CounterCall, number>()
    const user = async (_: unknown, who: number) => {
      const mine = new Counter(tree.client(), '/c/n')
      for (let at = 0; at < 4; at++) {
        const adding = mine.add(who + 1).then(({ sum }) => Number(sum))
        await journal.record(`c${who}`, { kind: 'add', by: who + 1 }, adding)
        await journal.record(`c${who}`, { kind: 'read' }, mine.value().then(Number))
      }
    }
    await Promise.all(Array.from({ length: 5 }, user))
    expect(checkLinearizability(counter, journal.operations)).toMatchObject({ verdict: 'linearizable' })
    expect(await new Counter(tree.client(), '/c/n').value()).toBe(60n)
  })
  it('goes down as well, and beyond what a number holds', async () => {
    const mine = new Counter(new MemoryTree().client(), '/n')
    expect((await mine.add(-3)).sum).toBe(-3n)
    expect((await mine.add(2n ** 70n)).sum).toBe(2n ** 70n - 3n)
  })
})
