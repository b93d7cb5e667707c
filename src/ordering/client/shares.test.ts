// What one server says alone: how much of it a client keeps, for how long, and what work it is. b = 1, and s7 lies.

import { describe, expect, it } from 'vitest'
import { settings, TestGroup, utf8 } from '../../../test/support/ordering-group.ts'
import { brokenOrderingRules } from '../proof/planted.ts'
import type { OrderingSettings } from '../settings.ts'
import type { Operation, OrderingMessage } from '../wire.ts'
import { UNVOUCHED_MS } from './shares.ts'
import type { ClientState } from './state.ts'

const SEVEN = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']
const faults = { liars: 1, crashes: 1 }

function group(change: Partial<OrderingSettings> = {}): TestGroup {
  const made = new TestGroup(SEVEN, faults)
  made.join('c', { ...faults, ...change })
  for (const object of ['o', 'p']) made.do('c', { kind: 'open', id: 1, object, ttl: 1_000_000 })
  return made
}

const client = (made: TestGroup) => made.hosts.get('c')!.state as ClientState
const pushed = (operations: readonly Operation[], object = 'o'): OrderingMessage => {
  return { kind: 'pushed', object, operations }
}
const applied = (seq: number, body: Uint8Array): Operation & { kind: 'apply' } => {
  return { kind: 'apply', client: 'd', session: '9.0', seq, ack: 1, body }
}
const committed = (version: number, fill: number, bytes?: number, object = 'o'): OrderingMessage => {
  const change = bytes === undefined ? undefined : new Uint8Array(bytes)
  return { kind: 'committed', object, head: { version, digest: new Uint8Array(32).fill(fill) }, change }
}

describe('an operation that one server tells of in a thousand ways', () => {
  it('is one vote: the work grows with the number of words, not with its square', () => {
    const made = group()
    let looks = 0
    const words = Array.from({ length: 1_000 }, (_, i): Operation => {
      const body = utf8.encode(`lie ${i}`)
      return Object.defineProperty(applied(1, body), 'body', {
        get: () => {
          looks++
          return body
        },
      })
    })
    for (let at = 0; at < words.length; at += 100) made.hear('s7', 'c', pushed(words.slice(at, at + 100)))
    expect(looks).toBeLessThan(words.length * (SEVEN.length + 3))
    expect([...made.clientObject('c').pool.votes.values()].map(said => said.size)).toEqual([1])
  })

  it('is done as b + 1 say, and who said otherwise is named', () => {
    const made = group()
    const [right, wrong] = [applied(1, utf8.encode('right')), applied(1, utf8.encode('wrong'))]
    made.hear('s7', 'c', pushed([wrong]))
    made.hear('s7', 'c', pushed([wrong]))
    expect(made.clientObject('c').pool.operations.size).toBe(0)
    made.hear('s1', 'c', pushed([right]))
    made.hear('s2', 'c', pushed([right]))
    expect(made.clientObject('c').pool.votes.size).toBe(0)
    expect(made.heard('lied')).toMatchObject([{ server: 's7', what: 'an operation that nobody asked for' }])
    expect(client(made).shares.get('s7')).toMatchObject({ bytes: 0 })
  })

  it('is named at once where it is said to be our own, of a session that we never had', () => {
    const made = group()
    const { id } = made.clientObject('c').session
    const ours = (session: string) => ({ ...applied(1, utf8.encode('x')), client: 'c', session })
    // Of the session that we have, of one from before, and of another client: not proved.
    for (const session of [id, '0.0']) made.hear('s7', 'c', pushed([ours(session)]))
    made.hear('s7', 'c', pushed([applied(7, utf8.encode('x'))]))
    expect(made.heard('lied')).toEqual([])
    made.hear('s7', 'c', pushed([ours(`${Number.parseInt(id, 10) + 1}.0`)]))
    expect(made.heard('lied')).toMatchObject([{ server: 's7', what: 'an operation of ours that we never asked for' }])
    expect(made.clientObject('c').pool.votes.has(`${Number.parseInt(id, 10) + 1}.0 1`)).toBe(false)
  })

  it('is told to the other servers again after a minute, and to the user once: servers forget in a restart', () => {
    const made = group()
    const session = `${Number.parseInt(made.clientObject('c').session.id, 10) + 1}.0`
    const lie = { ...applied(1, utf8.encode('x')), client: 'c', session }
    const complaints = () => {
      made.carry()
      return made.carried.filter(({ to, body }) => to === 's1' && body.kind === 'complain').length
    }
    made.hear('s7', 'c', pushed([lie]))
    made.hear('s7', 'c', pushed([lie]))
    expect(complaints()).toBe(1)
    made.pass(59_999)
    made.hear('s7', 'c', pushed([lie]))
    expect(complaints()).toBe(1)
    made.pass(1)
    made.hear('s7', 'c', pushed([lie]))
    expect(complaints()).toBe(2)
    expect(made.heard('lied')).toHaveLength(1)
  })

  it('counts as two with a planted bug: a-vote-for-each-word', () => {
    const made = group({ rules: brokenOrderingRules('a-vote-for-each-word') })
    for (let i = 0; i < 2; i++) made.hear('s7', 'c', pushed([applied(1, utf8.encode('wrong'))]))
    expect(made.clientObject('c').pool.operations.size).toBe(1)
  })
})

describe('the share of a server', () => {
  const MIB = 2 ** 20
  const kept = (made: TestGroup, server = 's7') => client(made).shares.get(server)?.bytes ?? 0

  it('is filled to its bound over all objects and all kinds of words, and not one word beyond', () => {
    const made = group()
    for (let version = 100; version < 115; version++) made.hear('s7', 'c', committed(version, 7, MIB))
    expect(made.clientObject('c').heads.size).toBe(15)
    made.hear('s7', 'c', pushed([applied(1, new Uint8Array(MIB - 16 * 400))], 'p'))
    expect(kept(made)).toBe(settings.shareBytesMax)
    // One more: the oldest is forgotten, and only that.
    made.hear('s7', 'c', committed(115, 7))
    expect([...made.clientObject('c').heads.keys()][0]).toBe(101)
    expect(kept(made)).toBeLessThanOrEqual(settings.shareBytesMax)
  })

  it('is its own: whatever it says, the words of the others stay', () => {
    const made = group()
    made.hear('s1', 'c', committed(9, 1, 1_000))
    made.hear('s1', 'c', pushed([applied(1, utf8.encode('honest'))]))
    for (let version = 10; version < 100; version++) made.hear('s7', 'c', committed(version, 7, MIB))
    for (let seq = 0; seq < 40; seq++) made.hear('s7', 'c', pushed([applied(seq, new Uint8Array(MIB))]))
    expect(kept(made)).toBeLessThanOrEqual(settings.shareBytesMax)
    made.hear('s2', 'c', committed(9, 1))
    expect(made.clientObject('c').wanted).toMatchObject({ version: 9, vouchers: ['s1', 's2'] })
    made.hear('s2', 'c', pushed([applied(1, utf8.encode('honest'))]))
    expect([...made.clientObject('c').pool.operations.keys()]).toEqual(['9.0'])
  })

  it('ends with its time: what nobody else vouches for is there until then, and gone after', () => {
    const made = group()
    made.hear('s7', 'c', committed(100, 7, MIB))
    const since = made.now
    made.now = since + UNVOUCHED_MS
    made.hear('s1', 'c', pushed([applied(1, utf8.encode('a'))]))
    expect(made.clientObject('c').heads.size).toBe(1)
    made.now = since + UNVOUCHED_MS + 1
    made.hear('s1', 'c', pushed([applied(2, utf8.encode('b'))]))
    expect(made.clientObject('c').heads.size).toBe(0)
    expect(kept(made)).toBe(0)
  })

  it('holds the content of answers, which count without it too', () => {
    const made = group({ shareBytesMax: 2_000 })
    made.command('c', { kind: 'read', id: 5, object: 'o', keys: ['x'], stale: false })
    const { query } = [...client(made).readings.values()][0]!
    const entries = [{ key: 'x', value: new Uint8Array(10_000) }]
    const reply = { committed: { version: 1, digest: new Uint8Array(32) }, proposed: undefined, change: undefined }
    made.hear('s7', 'c', { kind: 'readings', object: 'o', query, ...reply, applied: 1, entries, silent: [] })
    expect(kept(made)).toBe(0)
    expect([...client(made).readings.values()][0]!.replies.get('s7')).toMatchObject({ applied: 1, entries: [] })
    made.carry()
    expect(made.heard('value')).toMatchObject([{ id: 5 }])
  })

  it('is let go of with the object', () => {
    const made = group()
    made.hear('s7', 'c', committed(100, 7, MIB))
    made.hear('s7', 'c', pushed([applied(1, new Uint8Array(MIB))]))
    made.do('c', { kind: 'close', object: 'o' })
    expect(kept(made)).toBe(0)
  })

  it('has no end with a planted bug: memory-without-bound', () => {
    const made = group({ rules: brokenOrderingRules('memory-without-bound') })
    const flood = () => {
      for (let version = 10; version < 30; version++) made.hear('s7', 'c', committed(version, 7, MIB))
    }
    expect(flood).toThrow(/unvouched bytes of s7/)
  })
})

describe('one word a server', () => {
  it('on the name of a session that opens, and on each answer', () => {
    const made = group()
    made.command('c', { kind: 'open', id: 9, object: 'q', ttl: 10_000 })
    const { nonce } = client(made).objects.get('q')!.session
    const answer = (session: string, object: string, of = nonce): OrderingMessage => {
      const responses = [{ seq: 1, version: 2, ok: true, body: utf8.encode(session) }]
      return { kind: 'answered', object, session, nonce: of, next: 1, responses }
    }
    for (let i = 0; i < 100; i++) made.hear('s7', 'c', answer(`${i}.0`, 'q'))
    expect(client(made).objects.get('q')!.session.named.size).toBe(1)
    made.command('c', { kind: 'submit', id: 10, object: 'o', body: utf8.encode('x') })
    const { session } = made.clientObject('c')
    for (let i = 0; i < 100; i++) {
      const responses = [{ seq: 1, version: i, ok: true, body: utf8.encode(`${i}`) }]
      const rest = { session: session.id, nonce: session.nonce, next: 1, responses }
      made.hear('s7', 'c', { kind: 'answered', object: 'o', ...rest })
    }
    expect(made.clientObject('c').responses.get(1)?.size).toBe(1)
  })
})
