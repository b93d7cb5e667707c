// One suite of cases for every store.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { closed, newHistory, prefixOf, reopened, saveOne, unexpected } from '../../../test/storage/history.ts'
import { type SaveKind, seededRandom } from '../../core/index.ts'
import { createLogStorage } from './log.ts'
import { createMemoryStorage } from './memory.ts'
import { LANE_BYTES_MAX, RECORD_BYTES_MAX, type Storage, type Store } from './storage.ts'

const folders: string[] = []
afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true }))))

async function folder(): Promise<string> {
  folders.push(await mkdtemp(join(tmpdir(), 'coterie-storage-')))
  return folders.at(-1)!
}

const stores: Record<string, () => Promise<Store>> = {
  memory: async () => createMemoryStorage(),
  log: async () => createLogStorage({ folder: await folder() }),
  'log that compacts all the time': async () => createLogStorage({ folder: await folder(), deadBytesMin: 64 }),
}

function save(storage: Storage, lane: string, text: string, kind: SaveKind = 'append'): Promise<void> {
  return new Promise(resolve => storage.save(lane, Buffer.from(text), kind, resolve))
}

async function content(store: Store): Promise<Record<string, string[]>> {
  const storage = await store.open(unexpected)
  const saved = await storage.read()
  await storage.close()
  return Object.fromEntries([...saved].map(([lane, records]) => [lane, records.map(r => Buffer.from(r).toString())]))
}

describe.each(Object.entries(stores))('%s', (_, create) => {
  it('is empty at first, and after a close', async () => {
    const store = await create()
    expect(await content(store)).toEqual({})
    expect(await content(store)).toEqual({})
  })

  it('gives back, in order, what was durable', async () => {
    const store = await create()
    const storage = await store.open(unexpected)
    for (const text of ['a', '', 'c']) await save(storage, 'lock', text)
    await storage.close()
    expect(await content(store)).toEqual({ lock: ['a', '', 'c'] })
  })

  it('calls durable later, once for each save, in order', async () => {
    const storage = await (await create()).open(unexpected)
    const called: number[] = []
    for (let i = 0; i < 100; i++)
      storage.save(`${i % 3}`, Buffer.from([i]), i % 7 === 0 ? 'replace' : 'append', () => called.push(i))
    expect(called).toEqual([])
    await storage.close()
    expect(called).toEqual(Array.from({ length: 100 }, (_, i) => i))
  })

  it('replaces all records of the lane and none of another', async () => {
    const store = await create()
    const storage = await store.open(unexpected)
    for (const lane of ['', 'lock', 'é'.repeat(LANE_BYTES_MAX >> 1)]) await save(storage, lane, 'old')
    await save(storage, 'lock', 'new', 'replace')
    await save(storage, 'lock', 'newer')
    await storage.close()
    expect(await content(store)).toEqual({
      '': ['old'],
      lock: ['new', 'newer'],
      ['é'.repeat(LANE_BYTES_MAX >> 1)]: ['old'],
    })
  })

  it('drops what stands before a whole account, and only that', async () => {
    const store = await create()
    const storage = await store.open(unexpected)
    await save(storage, 'other', 'untouched')
    await save(storage, 'a', 'old')
    await save(storage, 'a', 'given up', 'begin')
    await save(storage, 'a', 'half', 'begin')
    await save(storage, 'a', 'other half')
    storage.forget('a')
    storage.forget('nothing here')
    await save(storage, 'a', 'on top')
    await storage.close()
    expect(await content(store)).toEqual({ other: ['untouched'], a: ['half', 'other half', 'on top'] })
  })

  it('drops nothing for an account that is not whole, nor for one of an earlier opening', async () => {
    const store = await create()
    const first = await store.open(unexpected)
    await save(first, 'a', 'old')
    await save(first, 'a', 'half', 'begin')
    await first.close()
    const second = await store.open(unexpected)
    second.forget('a')
    await save(second, 'a', 'more')
    await second.close()
    expect(await content(store)).toEqual({ a: ['old', 'half', 'more'] })
  })

  it('drops nothing for an account that was begun before the last replacement', async () => {
    const store = await create()
    const storage = await store.open(unexpected)
    await save(storage, 'a', 'half', 'begin')
    await save(storage, 'a', 'all', 'replace')
    await save(storage, 'a', 'more')
    storage.forget('a')
    await storage.close()
    expect(await content(store)).toEqual({ a: ['all', 'more'] })
  })

  it('writes lazy records in their turn, and all of them at close', async () => {
    const store = await create()
    const storage = await store.open(unexpected)
    storage.save('a', Buffer.from('1'), 'append')
    await save(storage, 'a', '2')
    storage.save('a', Buffer.from('3'), 'begin')
    storage.forget('a')
    storage.save('a', Buffer.from('4'), 'append')
    await storage.close()
    expect(await content(store)).toEqual({ a: ['3', '4'] })
  })

  it('waits at close for saves that a callback adds', async () => {
    const store = await create()
    const storage = await store.open(unexpected)
    storage.save('a', Buffer.from('1'), 'append', () => storage.save('a', Buffer.from('2'), 'append', () => {}))
    await storage.close()
    expect(await content(store)).toEqual({ a: ['1', '2'] })
  })

  it('forgets no save, however few steps after another it comes', async () => {
    const storage = await (await create()).open(unexpected)
    for (let steps = 0; steps < 30; steps++) {
      await save(storage, 'a', 'first', 'replace')
      for (let step = 0; step < steps; step++) await Promise.resolve()
      await save(storage, 'a', 'second')
    }
    await storage.close()
  })

  it('writes at close what nobody waits for, also long after the last save and in answer to one', async () => {
    const store = await create()
    const first = await store.open(unexpected)
    await save(first, 'a', '1')
    for (let turns = 0; turns < 4; turns++) await new Promise(setImmediate)
    first.save('a', Buffer.from('2'), 'append')
    await first.close()
    const second = await store.open(unexpected)
    second.save('a', Buffer.from('3'), 'append', () => second.save('a', Buffer.from('4'), 'append'))
    await second.close()
    expect(await content(store)).toEqual({ a: ['1', '2', '3', '4'] })
  })

  it('takes the bytes over before it returns', async () => {
    const store = await create()
    const storage = await store.open(unexpected)
    const record = Buffer.from('before')
    storage.save('a', record, 'append', () => {})
    record.write('after!')
    await storage.close()
    expect(await content(store)).toEqual({ a: ['before'] })
  })

  it('refuses a record that is too large, and a save after close', async () => {
    const storage = await (await create()).open(unexpected)
    expect(() => storage.save('a', new Uint8Array(RECORD_BYTES_MAX + 1), 'append', () => {})).toThrow(
      /RECORD_BYTES_MAX/,
    )
    await storage.close()
    expect(() => storage.save('a', new Uint8Array(1), 'append', () => {})).toThrow(/closed/)
  })

  it('agrees with a dumb twin over many saves and restarts', async () => {
    const store = await create()
    const history = newHistory()
    const random = seededRandom(1)
    for (let restart = 0; restart < 8; restart++) {
      const storage = await store.open(unexpected)
      expect(prefixOf(history, await storage.read())).toBe(history.saves.length)
      reopened(history, history.saves.length)
      for (let i = 0; i < 60; i++) {
        saveOne(storage, history, random)
        if (random.below(5) === 0) await new Promise(setImmediate)
      }
      await storage.close()
      expect(closed(history)).toEqual([])
    }
  })
})

describe('memory', () => {
  it('drops, when it is opened again, what a crashed node had not yet been told was durable', async () => {
    const store = createMemoryStorage()
    const crashed = await store.open(unexpected)
    await save(crashed, 'a', 'kept')
    crashed.save('a', Buffer.from('lost'), 'append', () => expect.unreachable())
    const opening = store.open(unexpected)
    await opening
    expect(await content(store)).toEqual({ a: ['kept'] })
  })
})
