// What stands between promises and the machine, driven by hand: the test is the node below.

import { describe, expect, it } from 'vitest'
import { NotAnswered, SettingsError, Unavailable } from '../../core/index.ts'
import type { OrderingCommand, OrderingEvent } from '../../ordering/index.ts'
import { ObjectSession } from './object-session.ts'
import { Orders } from './orders.ts'
import { SharedObject } from './shared-object.ts'

class Node {
  readonly commands: OrderingCommand[] = []
  readonly orders: Orders
  now = 0
  private ids = 0

  constructor() {
    this.orders = new Orders(
      command => this.commands.push(command),
      () => ++this.ids,
      undefined,
      new Map(),
      () => this.now,
    )
  }

  /** The last command of a kind. */
  last<K extends OrderingCommand['kind']>(kind: K): OrderingCommand & { kind: K } {
    return this.commands.findLast(command => command.kind === kind) as OrderingCommand & { kind: K }
  }

  says(event: OrderingEvent): void {
    this.orders.event(event)
  }
}

const bytes = (text: string) => new TextEncoder().encode(text)
const object = 'stock'
const applier = { apply: () => new Uint8Array() }

describe('a command under way', () => {
  it('is called off by its signal, and says what the machine knows of it', async () => {
    const node = new Node()
    const stop = new AbortController()
    const answer = node.orders.submit(object, bytes('{}'), { signal: stop.signal })
    // Calls of one moment go out together, when it is over.
    await new Promise(resolve => setImmediate(resolve))
    const { id } = node.last('submit')
    stop.abort()
    expect(node.last('cancel')).toEqual({ kind: 'cancel', id, object })
    node.says({ kind: 'failed', id, object, reason: 'cancelled', outcome: 'may have happened', answers: {} })
    await expect(answer).rejects.toMatchObject({ name: 'NotAnswered', outcome: 'may have happened' })
  })

  it('is called off when its time is over', async () => {
    const node = new Node()
    const answer = node.orders.read(object, ['a'], false, { timeout: 1 })
    await expect.poll(() => node.last('cancel')).toBeDefined()
    const { id } = node.last('read')
    node.says({ kind: 'failed', id, object, reason: 'cancelled', outcome: 'did not happen', answers: {} })
    await expect(answer).rejects.toBeInstanceOf(NotAnswered)
  })

  it('is not called off at once where it may take thirty days', async () => {
    const node = new Node()
    const stop = new AbortController()
    const options = { timeout: 30 * 24 * 3_600_000, signal: stop.signal }
    const answer = node.orders.submit(object, bytes('{}'), options).catch(error => error)
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(node.last('cancel')).toBeUndefined()
    stop.abort()
    node.orders.ended(new Unavailable('gone'))
    expect(await answer).toBeInstanceOf(Unavailable)
  })

  it('ends with its node', async () => {
    const node = new Node()
    const answer = node.orders.submit(object, bytes('{}'))
    node.orders.ended(new Unavailable('gone'))
    await expect(answer).rejects.toBeInstanceOf(Unavailable)
    await expect(node.orders.read(object, [], false)).rejects.toBeInstanceOf(Unavailable)
  })

  it.each([0, 299, 1.5, Number.NaN])('does not open a session of %d ms', ttl => {
    expect(() => new Node().orders.open(object, ttl, () => {})).toThrow(SettingsError)
  })

  it('keeps the lies it is told of, and no more than tell something new', () => {
    const node = new Node()
    for (let version = 0; version < 150; version++) {
      node.says({ kind: 'lied', object, server: 'server-1', version, what: 'forged' })
    }
    expect(node.orders.lies).toHaveLength(100)
  })
})

describe('a session', () => {
  it('is opened once for all who wait, and not given up because one of them does', async () => {
    const node = new Node()
    const session = new ObjectSession(node.orders, object, 1_000, applier)
    const patient = session.ready()
    const hasty = session.ready({ timeout: 0 })
    await expect(hasty).rejects.toMatchObject({ reason: 'cancelled', outcome: 'did not happen' })
    expect(node.commands).toHaveLength(1)
    node.says({ kind: 'opened', id: node.last('open').id, object, session: '1.0' })
    expect(await patient).toBe('1.0')
  })

  it('lives by the clock until the deadline that it was told of last, and not at it', async () => {
    const node = new Node()
    const session = new ObjectSession(node.orders, object, 1_000, applier)
    expect(session.lives()).toBe(false)
    const first = session.ready()
    node.says({ kind: 'opened', id: node.last('open').id, object, session: '1.0' })
    node.says({ kind: 'extended', object, session: '1.0', deadline: 990 })
    await first
    node.now = 989
    expect(session.lives()).toBe(true)
    node.now = 990
    expect(session.lives()).toBe(false)
    node.says({ kind: 'extended', object, session: '1.0', deadline: 2_000 })
    expect(session.lives()).toBe(true)
    node.says({ kind: 'lost', object, session: '1.0' })
    expect(session.lives()).toBe(false)
  })

  it('tells when it may be gone, and is opened anew', async () => {
    const node = new Node()
    const session = new ObjectSession(node.orders, object, 1_000, applier)
    const first = session.ready()
    node.says({ kind: 'opened', id: node.last('open').id, object, session: '1.0' })
    await first
    const { signal } = session
    node.says({ kind: 'lost', object, session: '1.0' })
    expect(signal.aborted).toBe(true)
    void session.ready()
    expect(node.commands.filter(({ kind }) => kind === 'open')).toHaveLength(2)
    expect(session.signal.aborted).toBe(false)
  })
})

describe('a watcher of an object', () => {
  const form = { key: 'form', value: bytes('value') }
  const table = (state: number) =>
    new Map([form, { key: 'value', value: bytes(`${state}`) }].map(e => [e.key, e.value]))

  it('is shown the table where versions were skipped, and none twice', async () => {
    const node = new Node()
    const definition = { initial: () => 0, apply: (state: number) => ({ state, result: 0 }) }
    const versions = new SharedObject(node.orders, object, definition, () => {}).watch()
    const first = versions.next()
    const { id } = node.last('watch')
    node.says({ kind: 'watching', id, object, version: 3 })
    // Comes before the copy, and is in it already.
    node.says({ kind: 'changed', id, object, version: 4, writes: [{ key: 'value', value: bytes('4') }] })
    node.says({ kind: 'copied', id: node.last('copy').id, object, version: 4, table: table(4) })
    expect((await first).value).toEqual({ version: 4, state: 4 })
    node.says({ kind: 'skipped', id, object, version: 90, table: table(90) })
    node.says({ kind: 'changed', id, object, version: 91, writes: [{ key: 'value', value: bytes('91') }] })
    expect((await versions.next()).value).toEqual({ version: 90, state: 90 })
    expect((await versions.next()).value).toEqual({ version: 91, state: 91 })
    await versions.return()
    expect(node.last('unwatch')).toEqual({ kind: 'unwatch', id, object })
  })

  it('hears that its watch has failed', async () => {
    const node = new Node()
    const definition = { initial: () => 0, apply: (state: number) => ({ state, result: 0 }) }
    const next = new SharedObject(node.orders, object, definition, () => {}).watch().next()
    const { id } = node.last('watch')
    node.says({ kind: 'failed', id, object, reason: 'crowded', outcome: 'did not happen', answers: {} })
    await expect(next).rejects.toMatchObject({ reason: 'crowded' })
  })
})
