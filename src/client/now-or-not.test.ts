// timeout: 0 means "now, or not"; a cancelled wait carries the signal's reason; times beyond 2^31 ms are waited out.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trust } from '../core/index.ts'
import { fileGuard } from '../guards/index.ts'
import { embedded } from './embedded.ts'
import { Group } from './group.ts'

let group: Group
beforeAll(async () => {
  group = await embedded()
})
afterAll(() => group.close())

const now = { timeout: 0 }
const LONG = 2 ** 31 + 5

describe('timeout: 0', () => {
  it('takes a free lock, and only a free one', async () => {
    const lease = await group.lock('free', now)
    expect(lease.held()).toBe(true)
    await expect(group.lock('free', now)).rejects.toMatchObject({ name: 'NotAcquired', reason: 'contended' })
    await lease.release()
    await (await group.lock('free', now)).release()
  })
  it('takes what a recipe has, and waits for nobody', async () => {
    const { recipes } = group
    await using permit = await recipes.semaphore('seats', 1).acquire(now)
    expect(permit.held()).toBe(true)
    await expect(recipes.semaphore('seats', 1).acquire(now)).rejects.toMatchObject({ reason: 'timeout' })
    const queue = recipes.queue('mail')
    await expect(queue.take(now)).rejects.toMatchObject({ name: 'WaitEnded', reason: 'timeout' })
    await queue.put('hello')
    expect(new TextDecoder().decode((await queue.take(now)).value)).toBe('hello')
    await using _read = await recipes.readWriteLock('book').read(now)
    await using _also = await recipes.readWriteLock('book').read(now)
    await expect(recipes.readWriteLock('book').write(now)).rejects.toMatchObject({ reason: 'timeout' })
    await expect(recipes.latch('start', 1).wait(now)).rejects.toMatchObject({ reason: 'timeout' })
    await recipes.latch('start', 1).countDown(now)
    await recipes.latch('start', 1).wait(now)
    await recipes.barrier('gate').pass(now)
  })
  it('asks the tree and objects, which answer at once', async () => {
    const tree = group.tree()
    await tree.create('/now', 'a', now)
    expect((await tree.get('/now', now))?.text()).toBe('a')
    expect(await tree.list('/', now)).toContain('now')
    const object = group.object('now', { initial: () => 1, apply: state => ({ state: state + 1, result: state }) })
    expect(await object.submit(null, now)).toBe(1)
    expect((await object.read(now)).state).toBe(2)
  })
  it('writes a guarded file that nobody else writes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coterie-now-'))
    const guard = fileGuard(join(folder, 'file'))
    await guard.write(1, 'by a term', now)
    expect(await guard.read()).toMatchObject({ token: 1n, data: Buffer.from('by a term') })
    await rm(folder, { recursive: true })
  })
})

describe('a wait that is cancelled', () => {
  const why = new Error('the user left')
  const cancelled = () => AbortSignal.abort(why)
  const later = () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(why), 20)
    return controller.signal
  }

  it("carries the signal's reason as its cause, whether it had fired before or fires later", async () => {
    await using _held = await group.lock('held')
    for (const signal of [cancelled(), later()]) {
      await expect(group.lock('held', { signal })).rejects.toMatchObject({ reason: 'cancelled', cause: why })
    }
    for (const signal of [cancelled(), later()]) {
      const waiting = group.recipes.queue('empty').take({ signal })
      await expect(waiting).rejects.toMatchObject({ name: 'WaitEnded', cause: why })
    }
    const signal = cancelled()
    await expect(group.tree().set('/x', '', { signal })).rejects.toMatchObject({ name: 'NotAnswered', cause: why })
    await expect(fileGuard('never').write(1n, '', { signal })).rejects.toMatchObject({ cause: why })
  })
})

describe('a long time', () => {
  it('is waited out, not over at once', async () => {
    const lease = await group.lock('long')
    const waiting = group.lock('long', { timeout: LONG })
    const taking = group.recipes.queue('long').take({ timeout: LONG })
    await new Promise(resolve => setTimeout(resolve, 50))
    await lease.release()
    await group.recipes.queue('long').put('late')
    await (await waiting).release()
    await taking
  })
})

describe('text and bytes', () => {
  it('are kept the same way by every call', async () => {
    const tree = group.tree()
    await tree.txn({ do: [{ kind: 'create', path: '/by-txn', value: 'text' }] })
    await tree.txn({
      if: [{ kind: 'value', path: '/by-txn', value: 'text' }],
      do: [{ kind: 'set', path: '/by-txn', value: 'other', version: 0 }],
    })
    expect((await tree.get('/by-txn'))?.text()).toBe('other')
    const queue = group.recipes.queue('texts')
    await queue.put('text')
    await queue.put(Uint8Array.of(1, 2))
    expect((await queue.take()).value).toEqual(new TextEncoder().encode('text'))
    expect((await queue.take()).value).toEqual(Uint8Array.of(1, 2))
  })
})

describe('a node that has ended', () => {
  it('says why to everybody who waits, and can be closed', async () => {
    const broken = await embedded()
    await using _held = await broken.lock('x')
    const queue = broken.recipes.queue('q')
    await queue.put('one')
    await queue.take()
    const waits = [broken.lock('x'), queue.take(), broken.status(), broken.tree().get('/')]
    await new Promise(resolve => setTimeout(resolve, 20))
    const heard = Promise.allSettled(waits)
    broken.ended(new Error('the disk is full'))
    for (const one of await heard) {
      if (one.status === 'fulfilled') continue
      expect(String(one.reason)).toMatch(/the disk is full|session is lost/)
    }
    expect((await heard)[0]).toMatchObject({ status: 'rejected' })
    expect((await heard)[1]).toMatchObject({ status: 'rejected' })
    await expect(broken.lock('y')).rejects.toThrow('this node ended: the disk is full')
    await broken.close()
  })
  it('lets go of its connections by itself, once: they would keep the process from its end', async () => {
    let closed = 0
    const close = async () => void closed++
    const shape = { trust: trust({ servers: 1, crashes: 0 }), ttlMax: 60_000, drift: 0.01, servers: ['s1'] }
    const group = new Group(shape, { command() {}, now: () => 0, wallMicros: () => 0, close })
    group.ended(new Error('the disk is full'))
    expect(closed).toBe(1)
    await group.close()
    expect(closed).toBe(1)
  })
})
