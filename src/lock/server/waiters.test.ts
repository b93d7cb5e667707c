// The server's list (BACKOFF §5, protocols/lock 4) beside a twin that sorts anew every time.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pingEvery } from '../ping.ts'
import {
  enqueue,
  firstGrant,
  IN_LINE_OF_CLIENT_MAX,
  type InLine,
  isBefore,
  remove,
  removeAll,
  someoneWaits,
  takeFirst,
  WAITERS_MAX,
  WAITERS_OF_CLIENT_MAX,
  type Waiter,
} from './waiters.ts'

const waiter = (client: string, ticket: number, token = 10, pingedAt = 0): Waiter => {
  return { client, ticket, attempt: 1, token, ttl: 1_000, ping: 1, pingedAt, low: false }
}

type Doing =
  | { kind: 'enqueue'; waiter: Waiter }
  | { kind: 'remove'; client: string }
  | { kind: 'take'; maximum: number; now: number }

const client = fc.constantFrom('ann', 'bob', 'cid', 'dan')
const anyWaiter = fc
  .record({ client, ticket: fc.nat(5), token: fc.nat(9), pingedAt: fc.nat(2_000) })
  .map(w => waiter(w.client, w.ticket, w.token, w.pingedAt))
const doing: fc.Arbitrary<Doing> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('enqueue' as const), waiter: anyWaiter }) },
  fc.record({ kind: fc.constant('remove' as const), client }),
  fc.record({ kind: fc.constant('take' as const), maximum: fc.nat(9), now: fc.nat(3_000) }),
)

/** One entry a client, in no order. */
class Twin {
  readonly waiters = new Map<string, Waiter>()

  sorted(): Waiter[] {
    return [...this.waiters.values()].sort((a, b) => a.ticket - b.ticket || (a.client < b.client ? -1 : 1))
  }

  take(maximum: number, now: number): { taken: string | undefined; told: string[] } {
    const told: string[] = []
    for (const each of this.sorted()) {
      if (now - each.pingedAt > 1_000) this.waiters.delete(each.client)
      else if (each.token > maximum) {
        this.waiters.delete(each.client)
        return { taken: each.client, told }
      } else if (!each.low) {
        this.waiters.set(each.client, { ...each, low: true })
        told.push(each.client)
      }
    }
    return { taken: undefined, told }
  }
}

describe('the list', () => {
  it('does what sorting anew every time would do', () => {
    fc.assert(
      fc.property(fc.array(doing, { maxLength: 40 }), story => {
        const list: Waiter[] = []
        const inLine: InLine = new Map()
        const twin = new Twin()
        for (const act of story) {
          if (act.kind === 'enqueue') {
            expect(enqueue(list, { ...act.waiter }, inLine)).toBe(true)
            twin.waiters.set(act.waiter.client, { ...act.waiter })
          } else if (act.kind === 'remove') {
            remove(list, act.client, inLine)
            twin.waiters.delete(act.client)
          } else {
            const told: string[] = []
            const taken = takeFirst(list, act.maximum, act.now, inLine, each => told.push(each.client))
            expect({ taken: taken?.client, told }).toEqual(twin.take(act.maximum, act.now))
          }
          expect(list).toEqual(twin.sorted())
          expect([...inLine.values()].reduce((sum, count) => sum + count, 0)).toBe(list.length)
        }
      }),
      { numRuns: 500 },
    )
  })
  it('order is total: of two different waiters exactly one is before the other', () => {
    fc.assert(
      fc.property(anyWaiter, anyWaiter, (a, b) => {
        const same = a.client === b.client && a.ticket === b.ticket
        expect(Number(isBefore(a, b)) + Number(isBefore(b, a))).toBe(same ? 0 : 1)
      }),
    )
  })
  it('has room for a thousand, and a client that stands in it may say so again', () => {
    const list: Waiter[] = []
    const inLine: InLine = new Map()
    for (let i = 0; i < 1_000; i++) expect(enqueue(list, waiter(`c${i}`, i), inLine)).toBe(true)
    expect(enqueue(list, waiter('late', 0), inLine)).toBe(false)
    expect(list.length).toBe(1_000)
    expect(enqueue(list, waiter('c7', 7, 99), inLine)).toBe(true)
    expect(list[7]).toMatchObject({ client: 'c7', token: 99 })
  })
  it('is empty for a sweep once everybody in it is silent', () => {
    const entry = { waiters: [waiter('ann', 1, 10, 500)] }
    expect(someoneWaits(entry, 1_500)).toBe(true)
    expect(someoneWaits(entry, 1_501)).toBe(false)
    expect(someoneWaits({ waiters: undefined }, 0)).toBe(false)
  })
})

describe('how long a first grant lasts, and how often a waiter pings', () => {
  it('a first grant is short, and never longer than what was asked', () => {
    expect([1, 1_000, 60_000].map(firstGrant)).toEqual([1, 1_000, 1_500])
  })
  it('several pings fit into a first grant, whatever the ttl', () => {
    for (const ttl of [4, 10, 99, 1_000, 1_600, 86_400_000]) {
      expect(pingEvery(ttl) * 3, `ttl ${ttl}`).toBeLessThanOrEqual(firstGrant(ttl))
    }
    expect(pingEvery(1), 'never at once').toBe(1)
  })
})

describe('a share of the line', () => {
  it('is for a certificate, whatever its instances: up to it and no further, and others have theirs', () => {
    const list: Waiter[] = []
    const inLine: InLine = new Map()
    for (let i = 0; i < WAITERS_OF_CLIENT_MAX; i++) expect(enqueue(list, waiter(`eve#${i}`, i), inLine)).toBe(true)
    expect(enqueue(list, waiter('eve#more', 1), inLine)).toBe(false)
    // Who is in line stays in line, with a new ping.
    expect(enqueue(list, waiter('eve#3', 3), inLine)).toBe(true)
    for (let i = 0; i < WAITERS_MAX - WAITERS_OF_CLIENT_MAX; i++) {
      expect(enqueue(list, waiter(`client-${i}#1`, 1_000 + i), inLine)).toBe(true)
    }
    expect(list).toHaveLength(WAITERS_MAX)
    expect(enqueue(list, waiter('late#1', 5_000), inLine)).toBe(false)
  })
  it('is one over all names, too: a client has so many places and no more, and gets back what it leaves', () => {
    const inLine: InLine = new Map()
    const lists = Array.from({ length: IN_LINE_OF_CLIENT_MAX / 100 }, (): Waiter[] => [])
    for (const list of lists) for (let i = 0; i < 100; i++) enqueue(list, waiter(`eve#${i}`, i), inLine)
    const more: Waiter[] = []
    expect(enqueue(more, waiter('eve#1', 1), inLine)).toBe(false)
    expect(enqueue(more, waiter('ann#1', 2), inLine)).toBe(true)
    // Whoever stands in a line may say so again.
    expect(enqueue(lists[0]!, waiter('eve#1', 1), inLine)).toBe(true)
    removeAll(lists[0]!, inLine)
    expect(enqueue(more, waiter('eve#1', 1), inLine)).toBe(true)
    for (const list of [...lists, more]) removeAll(list, inLine)
    expect(inLine.size).toBe(0)
  })
})
