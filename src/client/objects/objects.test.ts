// Objects and the tree as their users see them, on a whole group in this process (BACKOFF §6: submit; LECTURE).

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NotAnswered, OperationFailed, SettingsError, Unavailable } from '../../core/index.ts'
import { embedded } from '../embedded.ts'
import type { Group } from '../group.ts'
import type { SharedObject, Version } from './shared-object.ts'

type State = Record<string, unknown>
type Change = (state: State) => State

let group: Group
let names = 0

beforeAll(async () => {
  group = await embedded()
})
afterAll(() => group.close())

const refuse: Change = () => {
  throw new Error('not enough')
}

/** An object whose operations name a change that the test made. */
function shared(changes: Record<string, Change> = {}): SharedObject<State, unknown, unknown> {
  return group.object<State, unknown, unknown>(`object-${++names}`, {
    initial: () => ({ a: 1 }),
    apply(state, operation) {
      if (typeof operation === 'string') return { state: changes[operation]!(state), result: operation }
      return { state: { ...state, ...(operation as State) }, result: Object.keys(operation as State) }
    },
  })
}

async function take<T>(versions: AsyncIterable<Version<T>>, enough: (state: T) => boolean): Promise<Version<T>[]> {
  const seen: Version<T>[] = []
  for await (const version of versions) {
    seen.push(version)
    if (enough(version.state)) break
  }
  return seen
}

describe('an object', () => {
  it('gives each operation its result, and everybody the state', async () => {
    const object = shared()
    expect((await object.read()).state).toEqual({ a: 1 })
    expect(await object.submit({ b: [2] })).toEqual(['b'])
    expect((await object.read()).state).toEqual({ a: 1, b: [2] })
  })

  it('keeps states of any shape, and lets go of properties, also of those that every object seems to have', async () => {
    const object = shared({
      odd: () => ({ constructor: 1, __proto__x: 2, toString: 'text' }),
      fewer: () => ({ __proto__x: 2 }),
      list: () => [1, 2] as unknown as State,
      again: state => ({ was: state }),
    })
    await object.submit('odd')
    expect((await object.read()).state).toEqual({ constructor: 1, __proto__x: 2, toString: 'text' })
    await object.submit('fewer')
    expect((await object.read()).state).toEqual({ __proto__x: 2 })
    await object.submit('list')
    expect((await object.read()).state).toEqual([1, 2])
    await object.submit('again')
    expect((await object.read()).state).toEqual({ was: [1, 2] })
  })

  it.each<[string, Change, RegExp]>([
    ['writes into the state', state => Object.assign(state, { a: 2 }), /read only/],
    ['keeps a function', state => ({ ...state, f: () => 1 }), /JSON has no word for/],
    ['keeps a bigint', state => ({ ...state, n: 1n }), /BigInt/],
    ['returns nothing', () => undefined as unknown as State, /no state/],
    ['has a key that is too long', state => ({ ...state, ['k'.repeat(2_000)]: 1 }), /too long/],
    ['has a value that is too large', state => ({ ...state, v: 'x'.repeat(9_000_000) }), /more than 8388608 bytes/],
    ['throws', refuse, /not enough/],
  ])('refuses an apply that %s, and goes on', async (_, change, why) => {
    const object = shared({ change })
    const failure = await object.submit('change').catch(error => error)
    expect(failure).toBeInstanceOf(OperationFailed)
    expect(failure).toMatchObject({ message: expect.stringMatching(why), outcome: 'did not happen' })
    expect(await object.submit({ b: 2 })).toEqual(['b'])
    expect((await object.read()).state).toEqual({ a: 1, b: 2 })
  })

  it.each([undefined, () => 1, 1n])('refuses the operation %s, which JSON cannot say', async operation => {
    await expect(shared().submit(operation)).rejects.toBeInstanceOf(OperationFailed)
  })

  it('refuses an operation beyond what can be sent, for certain', async () => {
    const failure = shared().submit({ a: 'x'.repeat(9_000_000) })
    await expect(failure).rejects.toMatchObject({ reason: 'invalid', outcome: 'did not happen' })
  })

  it('takes changes up to what a version holds', async () => {
    const large = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`p${at}`, 'x'.repeat(1_000_000)]))
    const object = shared({ large: () => large })
    await object.submit('large')
    expect(Object.keys((await object.read()).state)).toHaveLength(10)
  })

  it('is one for a name and a process, until it is closed', async () => {
    const object = shared()
    expect(() => group.object(object.name, { initial: () => 0, apply: state => ({ state, result: 0 }) })).toThrow(
      SettingsError,
    )
    expect(() => group.tree({ name: object.name })).toThrow(/it is no tree/)
    await object.submit({ kept: true })
    await object.close()
    await using again = group.object<State>(object.name, {
      initial: () => ({}),
      apply: state => ({ state, result: 0 }),
    })
    expect((await again.read()).state).toEqual({ a: 1, kept: true })
  })

  it.each(['', 'x'.repeat(201), '\ud800'])('cannot be called %j', name => {
    expect(() => group.object(name, { initial: () => 0, apply: state => ({ state, result: 0 }) })).toThrow(
      SettingsError,
    )
  })

  it('does not start what was cancelled before', async () => {
    const cancelled = shared().submit({ b: 1 }, { signal: AbortSignal.abort() })
    await expect(cancelled).rejects.toMatchObject({ reason: 'cancelled', outcome: 'did not happen' })
    await expect(shared().submit({}, { timeout: -1 })).rejects.toBeInstanceOf(SettingsError)
    expect(await shared().submit({}, { timeout: Number.POSITIVE_INFINITY })).toEqual([])
  })
})

describe('watchers of an object', () => {
  it('see every version, in order, each of them', async () => {
    const object = shared()
    await object.submit({ n: 0 })
    const enough = (state: State) => state.n === 20
    const watches = [take(object.watch(), enough), take(object.watch(), enough)]
    await object.read()
    for (let n = 1; n <= 20; n++) await object.submit({ n })
    for (const seen of await Promise.all(watches)) {
      const versions = seen.map(({ version }) => version)
      expect(versions).toEqual(versions.map((_, at) => versions[0]! + at))
      const counted = seen.map(({ state }) => state.n as number)
      expect(counted).toEqual([...counted].sort((one, other) => one - other))
      expect(counted.at(-1)).toBe(20)
    }
  })

  it('stop when their signal fires', async () => {
    const object = shared()
    const stop = new AbortController()
    const seen = take(object.watch({ signal: stop.signal }), () => {
      stop.abort()
      return false
    })
    expect((await seen).map(({ state }) => state)).toEqual([{ a: 1 }])
  })
})

describe('a group too small for objects', () => {
  it('says what it would take', async () => {
    await using small = await embedded({ servers: 4, liars: 1 })
    expect(() => small.tree()).toThrow(/4 servers, and objects take 7/)
    expect(() => small.object('a', { initial: () => 0, apply: state => ({ state, result: 0 }) })).toThrow(SettingsError)
    expect(await small.status()).toMatchObject({ objects: [], accusations: [] })
  })
})

describe('a closed group', () => {
  it('answers no more', async () => {
    const closed = await embedded()
    const object = closed.object('a', { initial: () => 0, apply: (state: number) => ({ state, result: state }) })
    await object.submit(1)
    await closed.close()
    await expect(object.submit(1)).rejects.toSatisfy(
      error => error instanceof Unavailable || error instanceof NotAnswered,
    )
    expect(() => closed.tree()).toThrow(Unavailable)
  })
})

describe('the tree of a group', () => {
  it('writes several entries or none, where conditions hold', async () => {
    const tree = group.tree()
    await tree.create('/t', 'one')
    const value = new TextEncoder().encode('one')
    const set = { kind: 'set', path: '/t', value: new TextEncoder().encode('two'), version: undefined } as const
    await tree.txn({ if: [{ kind: 'value', path: '/t', value }], do: [set] })
    const refused = tree.txn({ if: [{ kind: 'value', path: '/t', value }], do: [set] })
    await expect(refused).rejects.toMatchObject({ code: 'condition', at: 0 })
    expect((await tree.get('/t'))?.text()).toBe('two')
    expect((await tree.get('/t', { stale: true }))?.text()).toBe('two')
    expect(await tree.exists('/nothing', { timeout: 5_000 })).toBeUndefined()
  })

  it('tells watchers of every change below, in order', async () => {
    const tree = group.tree()
    await tree.create('/w')
    const stop = new AbortController()
    const seen: string[] = []
    const watching = new Promise<void>(started => {
      void (async () => {
        for await (const { kind, path } of tree.watch('/w', { recursive: true, signal: stop.signal, started })) {
          seen.push(`${kind} ${path}`)
          if (kind === 'deleted') stop.abort()
        }
      })()
    })
    await watching
    await tree.create('/w/x')
    await tree.set('/w/x', '1')
    await tree.delete('/w/x')
    await expect
      .poll(() => seen.filter(line => !line.startsWith('children')))
      .toEqual(['created /w/x', 'changed /w/x', 'deleted /w/x'])
  })

  it('is read without a new version: lists, counts, gets, and the whole of it at once', async () => {
    const tree = group.tree({ name: 'quiet' })
    await tree.create('/q', 'top')
    for (const name of ['a', 'b', 'c']) await tree.create(`/q/${name}`, name)
    const version = async () => {
      const { objects } = await group.status()
      return Math.max(
        ...objects.flatMap(server => server.objects.map(one => (one.object === 'quiet' ? one.committed.version : 0))),
      )
    }
    const before = await version()
    expect(before).toBeGreaterThan(0)
    for (let at = 0; at < 20; at++) {
      expect(await tree.list('/q')).toEqual(['a', 'b', 'c'])
      expect(await tree.count('/', { recursive: true })).toBe(4)
      expect(await tree.exists('/q/a')).toBeDefined()
    }
    const all = await tree.list('/', { recursive: true, values: true })
    expect(all.map(({ path, text }) => `${path} ${text()}`)).toEqual(['/q top', '/q/a a', '/q/b b', '/q/c c'])
    expect(await version()).toBe(before)
  })

  it('lets entries go when their time is over, and keeps those of a lease that is renewed', async () => {
    const tree = group.tree({ name: 'leases', ttl: 1_000 })
    await tree.create('/short', 'lived', { ttl: 400 })
    await tree.create('/renewed', '', { ttl: 400 })
    await using lease = await tree.lease({ ttl: 400 })
    await tree.create('/kept', '', { lease })
    const before = Date.now()
    await expect.poll(() => tree.exists('/short'), { timeout: 10_000 }).toBeUndefined()
    expect(Date.now() - before).toBeGreaterThan(300)
    expect(await tree.exists('/kept')).toBeDefined()
    expect(lease.signal.aborted).toBe(false)
    await lease.revoke()
    expect(await tree.exists('/kept')).toBeUndefined()
  })

  it('bids farewell to ephemeral entries when their process closes it', async () => {
    const tree = group.tree({ name: 'short-lived' })
    await tree.create('/e', '', { ephemeral: true })
    await tree.close()
    expect(await group.tree({ name: 'short-lived' }).exists('/e')).toBeUndefined()
  })
})
