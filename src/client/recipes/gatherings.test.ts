// Barriers, queue, latch and counter on a tree without servers, over many interleavings.

import { describe, expect, it } from 'vitest'
import { MemoryTree } from '../../../test/support/memory-tree.ts'
import { abortAfter, bytes, expectClean, Journal, seeds } from '../../../test/support/recipes.ts'
import {
  type CounterCall,
  checkLinearizability,
  counter,
  type QueueCall,
  queue,
  type Value,
} from '../../simulator/index.ts'
import { Barrier, Counter, DoubleBarrier, Latch, TreeQueue } from './index.ts'

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

describe('old news', () => {
  it('of an entry of the same name ends no hold', async () => {
    let lost = 0
    for (const seed of seeds) {
      const tree = new MemoryTree(seed)
      tree.pushTurns = 60
      const client = tree.client()
      await using _watch = await client.watch('/', () => {})
      for (let round = 0; round < 5; round++) {
        await using raised = await new Barrier(client, '/b').raise()
        for (let turn = 0; turn < 100; turn++) await Promise.resolve()
        if (!raised.held()) lost++
      }
    }
    expect(lost).toBe(0)
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
  it('does not begin with one who has gone, whenever that was', async () => {
    let began = 0
    for (let turns = 0; turns < 360; turns += 3) {
      const tree = new MemoryTree(turns)
      const members = new Set<string>()
      const watcher = await tree.client().watch(
        '/d',
        event => {
          if (event.path === '/d/ready' && event.kind === 'created') began += members.size === 2 ? 1 : Number.NaN
          if (event.kind === 'created' && event.path.startsWith('/d/members/')) members.add(event.path)
          if (event.kind === 'deleted') members.delete(event.path)
        },
        { subtree: true },
      )
      const first = new AbortController()
      const one = new DoubleBarrier(tree.client(), '/d', 2).enter({ signal: first.signal }).catch(() => undefined)
      await new DoubleBarrier(tree.client(), '/d', 2).enter({ signal: abortAfter(turns) }).catch(() => undefined)
      await tree.settle()
      first.abort()
      await one
      await watcher[Symbol.asyncDispose]()
    }
    expect(began).toBeGreaterThan(5)
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
