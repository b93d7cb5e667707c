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
    ['keeps a function', state => ({ ...state, f: () => 1 }), /^state\.f is a function, and JSON has no word for that/],
    ['keeps a bigint', state => ({ ...state, n: 1n }), /^state\.n is a bigint/],
    [
      'keeps a Date',
      state => ({ ...state, items: [0, 1, 2, { when: new Date(0) }] }),
      /^state\.items\[3\]\.when is a Date/,
    ],
    ['keeps a Map', state => ({ ...state, 'a b': new Map() }), /^state\["a b"\] is a Map/],
    ['keeps NaN', state => ({ ...state, n: [Number.NaN] }), /^state\.n\[0\] is NaN/],
    ['keeps Infinity', state => ({ ...state, n: Number.POSITIVE_INFINITY }), /^state\.n is Infinity/],
    ['keeps undefined', state => ({ ...state, n: undefined }), /^state\.n is undefined/],
    ['is NaN', () => Number.NaN as unknown as State, /^state is NaN/],
    ['is a Map', () => new Map() as unknown as State, /^state is a Map/],
    ['returns nothing', () => undefined as unknown as State, /^state is undefined/],
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

  it('keeps a state of null, as any other', async () => {
    const object = shared({ empty: () => null as unknown as State, list: () => [] as unknown as State })
    await object.submit('empty')
    expect((await object.read()).state).toBeNull()
    await object.submit('list')
    await object.submit('empty')
    for await (const { state } of object.watch()) {
      expect(state).toBeNull()
      break
    }
  })

  it('refuses a definition that is none, and a first state that JSON cannot hold', () => {
    const define = (definition: unknown) => () => group.object('defined', definition as never)
    expect(define(undefined)).toThrow("object 'defined' takes its options as an object, not undefined")
    expect(define({ initial: () => 0 })).toThrow(
      "object 'defined' needs apply: a function that returns { state, result }",
    )
    expect(define({ initial: 0, apply: () => {} })).toThrow('initial is 0; it must be a function')
    expect(define({ initial: () => 0, aply: () => {} })).toThrow('has no option "aply". Did you mean apply?')
    expect(define({ initial: () => ({ at: new Date() }), apply: () => {} })).toThrow('initial().at is a Date')
    expect(define({ initial: () => {}, apply: () => {} })).toThrow('initial() is undefined')
    expect(define({ initial: () => 0, apply: () => {}, ttl: 1.5 })).toThrow('ttl is 1.5; it must be a whole number')
  })

  it('refuses a result that JSON cannot hold', async () => {
    const apply = (state: number) => ({ state: state + 1, result: { at: [new Date()] } })
    const object = group.object('resultless', { initial: () => 0, apply })
    await expect(object.submit(1)).rejects.toThrow('result.at[0] is a Date')
    expect((await object.read()).state).toBe(0)
  })

  it('refuses an operation with the path to what JSON cannot hold', async () => {
    const circle: Record<string, unknown> = { deep: {} }
    circle.deep = { again: circle }
    for (const [operation, why] of [
      [{ when: new Date() }, 'operation.when is a Date'],
      [[1, [Number.NaN]], 'operation[1][0] is NaN'],
      [circle, 'operation.deep.again contains itself'],
      [{ a: undefined }, 'operation.a is undefined'],
      [Symbol('s'), 'operation is a symbol'],
    ] as const) {
      await expect(shared().submit(operation)).rejects.toThrow(why)
    }
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

describe('an object that an operator deletes', () => {
  it('is gone for those who used it; whoever uses the name again begins with nothing', async () => {
    const object = shared()
    await object.submit({ b: 2 })
    const name = `object-${names}`
    await expect(group.deleteObject(name)).rejects.toThrow('is open in this process')
    await object.close()
    const { deleted, absent } = await group.deleteObject(name)
    expect(deleted.length + absent.length).toBe((await group.status()).servers.length)
    expect(deleted.length).toBeGreaterThan(0)
    const known = (await group.status()).objects.flatMap(({ objects }) => objects.map(one => one.object))
    expect(known).not.toContain(name)
    const again = group.object<State, unknown, unknown>(name, {
      initial: () => ({ fresh: true }),
      apply: (state, operation) => ({ state: { ...state, ...(operation as State) }, result: null }),
    })
    expect((await again.read()).state).toEqual({ fresh: true })
    await again.submit({ c: 3 })
    expect((await again.read()).state).toEqual({ fresh: true, c: 3 })
  })
  it('ends what others hold there', async () => {
    const tree = group.tree({ name: 'held' })
    await tree.create('/mine', 'x', { ephemeral: true })
    await tree.close()
    await group.deleteObject('held')
    expect(await group.tree({ name: 'held' }).get('/mine')).toBeUndefined()
  })
})
