// The public API on an embedded group: what a user sees.

import { setTimeout as sleep } from 'node:timers/promises'
import { embedded, type Group, type LeaseLost, NotAcquired, SettingsError, Unavailable } from 'coterie'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let group: Group

beforeEach(async () => {
  group = await embedded({ liars: 1 })
})

afterEach(() => group.close())

describe('questions to the servers', () => {
  it('too many at once: those beyond the limit are told that nobody was asked', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 70 }, () => group.locks()))
    const refused = asked.filter(one => one.status === 'rejected')
    expect(refused).toHaveLength(6)
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(Unavailable)
      expect(reason.outcome).toBe('did not happen')
    }
    expect(await group.locks(), 'later ones are answered').toEqual([])
  })
})

describe('lock', () => {
  it('gives a lease with a token, held until it is released', async () => {
    const lease = await group.lock('invoices', { ttl: 5_000 })
    expect(lease.held()).toBe(true)
    expect(lease.remaining()).toBeGreaterThan(4_000)
    expect(lease.token).toBeTypeOf('bigint')
    await lease.release()
    expect(lease.held()).toBe(false)
    expect(lease.signal.aborted).toBe(false)
  })

  it('releases at the end of the block that holds it', async () => {
    {
      await using lease = await group.lock('block')
      expect(lease.held()).toBe(true)
    }
    expect(await group.tryLock('block')).toBeDefined()
  })

  it('serves those who wait in the order in which they came, with growing tokens', async () => {
    const order: number[] = []
    const tokens: bigint[] = []
    const first = await group.lock('line')
    const others = [1, 2, 3, 4].map(async place => {
      const lease = await group.lock('line')
      order.push(place)
      tokens.push(lease.token)
      await lease.release()
    })
    await first.release()
    await Promise.all(others)
    expect(order).toEqual([1, 2, 3, 4])
    expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : 1)))
  })

  it('waits for thirty days where that is its timeout', async () => {
    await using _first = await group.lock('patient')
    const stop = new AbortController()
    const waiting = group.lock('patient', { timeout: 30 * 24 * 3_600_000, signal: stop.signal })
    const gaveUp = waiting.catch(error => error)
    expect(await Promise.race([gaveUp, sleep(50, 'waits')])).toBe('waits')
    stop.abort()
    expect(await gaveUp).toMatchObject({ reason: 'cancelled' })
  })

  it('renews by itself beyond its ttl', async () => {
    const ttl = 1_000
    const lease = await group.lock('renewed', { ttl })
    const end = () => performance.now() + lease.remaining()
    const first = end()
    // Once its end is so far on, what was granted at first is over.
    await vi.waitFor(() => expect(end()).toBeGreaterThan(first + ttl), { timeout: 30_000, interval: 10 })
    expect(lease.held()).toBe(true)
  })

  it('without renewal, says that it is lost before the end, and why', async () => {
    const lease = await group.lock('lost', { ttl: 1_500, renew: false })
    const reason = await new Promise<LeaseLost>(resolve => {
      lease.signal.addEventListener('abort', () => resolve(lease.signal.reason))
    })
    expect(reason.name).toBe('LeaseLost')
    expect(reason.outcome).toBe('may have happened')
    expect(lease.held()).toBe(false)
    expect(lease.remaining()).toBeGreaterThan(0)
    await expect(lease.extend(1_000)).rejects.toThrow(/no longer held/)
  })

  it('can be extended', async () => {
    const lease = await group.lock('longer', { ttl: 500, renew: false })
    await lease.extend(30_000)
    expect(lease.remaining()).toBeGreaterThan(25_000)
  })

  it('is not acquired within the timeout, and says so with what each server answered', async () => {
    await using other = await embedded()
    void other
    const lease = await group.lock('busy')
    const error = await group.lock('busy', { timeout: 50 }).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(NotAcquired)
    expect(error).toMatchObject({ reason: 'contended', outcome: 'did not happen' })
    await lease.release()
    expect(await group.tryLock('busy')).toBeDefined()
  })

  it('gives up at once when the signal fires', async () => {
    const lease = await group.lock('cancel')
    const controller = new AbortController()
    const waiting = group.lock('cancel', { signal: controller.signal })
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'NotAcquired', reason: 'cancelled' })
    await expect(group.lock('x', { signal: AbortSignal.abort() })).rejects.toMatchObject({ reason: 'cancelled' })
    await lease.release()
    expect(await group.tryLock('cancel')).toBeDefined()
  })

  it('is shared where that is asked for, and ends with the last', async () => {
    const outer = await group.lock('again')
    const inner = await group.lock('again', { reentrant: true })
    expect(inner.token).toBe(outer.token)
    await outer.release()
    await outer.release()
    expect(outer.held()).toBe(false)
    expect(inner.held()).toBe(true)
    expect(await group.tryLock('again')).toBeUndefined()
    await inner.release()
    await inner.release()
    expect(await group.tryLock('again')).toBeDefined()
  })

  it.each([
    ['', {}, /name/],
    ['x'.repeat(201), {}, /name/],
    ['\ud800', {}, /name/],
    ['a', { ttl: 0 }, /ttl is 0/],
    ['a', { ttl: 1.5 }, /ttl is 1.5/],
    ['a', { ttl: 61_000 }, /ttlMax/],
    ['a', { timeout: -1 }, /timeout is -1/],
    ['a', { timeout: Number.NaN }, /timeout is NaN/],
  ])('refuses %j with %j', async (name, options, message) => {
    const error = await group.lock(name, options).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(SettingsError)
    expect((error as Error).message).toMatch(message)
  })
})

describe('tryLock', () => {
  it('answers undefined where somebody holds it', async () => {
    const lease = await group.tryLock('try')
    expect(lease?.held()).toBe(true)
    expect(await group.tryLock('try')).toBeUndefined()
  })
})

describe('locks and status', () => {
  it('show who holds what, and which servers are there', async () => {
    await group.lock('shown')
    expect(await group.locks()).toMatchObject([{ name: 'shown', held: true, votes: 7 }])
    const status = await group.status()
    expect(status.locksWork).toBe(true)
    expect(status.servers).toHaveLength(7)
  })
})

describe('close', () => {
  it('releases, and refuses further use', async () => {
    const lease = await group.lock('end')
    await group.close()
    expect(lease.held()).toBe(false)
    await expect(group.lock('end')).rejects.toBeInstanceOf(Unavailable)
    await group.close()
  })

  it('rejects who waits', async () => {
    await group.lock('wait')
    const waiting = group.lock('wait')
    const failed = expect(waiting).rejects.toMatchObject({ outcome: 'did not happen' })
    await group.close()
    await failed
  })

  // No answers would be read as "nothing is locked".
  it('rejects who asks', async () => {
    const asked = [group.locks(), group.status(), group.forceUnlock('nothing')]
    const failed = Promise.all(asked.map(one => expect(one).rejects.toThrow('this node ended: the disk failed')))
    group.ended(new Error('the disk failed'))
    await failed
  })
})

describe('embedded', () => {
  it('refuses settings that cannot work, with a sentence that says what would', async () => {
    await expect(embedded({ liars: 1, servers: 3 })).rejects.toThrow(/takes 4 servers/)
  })
})

describe('forceUnlock', () => {
  it('frees the lock; the old lease is lost in time, and the next token is larger', async () => {
    const lease = await group.lock('stuck', { ttl: 400 })
    expect(await group.forceUnlock('stuck')).toMatchObject({ token: lease.token, freed: 7 })
    await new Promise(resolve => lease.signal.addEventListener('abort', resolve))
    expect(lease.held()).toBe(false)
    const next = await group.lock('stuck')
    expect(next.token).toBeGreaterThan(lease.token)
  })

  it('of a free lock says so', async () => {
    expect(await group.forceUnlock('free')).toEqual({ name: 'free', holder: undefined, token: undefined, freed: 7 })
  })

  it('refuses a name that cannot be', async () => {
    await expect(group.forceUnlock('')).rejects.toThrow(SettingsError)
  })
})

describe('strategies of backing off', () => {
  it.each(['exponential', 'polynomial', 'decorrelated', 'none'] as const)(
    '%s gets the lock in the end',
    async strategy => {
      const first = await group.lock('busy')
      const next = group.tryLock('busy')
      expect(await next).toBeUndefined()
      const waiting = group.lock('busy', { fair: false, strategy })
      await first.release()
      expect((await waiting).token).toBeGreaterThan(first.token)
    },
  )

  it('refuses one that is not there, and one that would do nothing', async () => {
    const wrong = { fair: false, strategy: 'linear' as 'none' }
    await expect(group.lock('a', wrong)).rejects.toThrow(/strategy is "linear"; it must be one of exponential/)
    await expect(group.lock('a', { strategy: 'none' })).rejects.toThrow(/set fair: false/)
  })
})
