// One picture out of what servers say, some of which lie.

import { describe, expect, it } from 'vitest'
import { type NodeId, trust } from '../core/index.ts'
import type { InspectedServer } from '../lock/index.ts'
import { describeForced } from './force.ts'
import { canGrant, describeServers, tallyLocks } from './inspect.ts'

const four = trust({ servers: 4, liars: 1 })

function says(server: NodeId, waiters: readonly NodeId[], holder = 'ann#1'): InspectedServer {
  const lease = { name: 'a', holder, token: 5, age: 1, remaining: 2, waiters }
  return { server, roundTrip: 1, uptime: 1, recovering: 0, held: 1, leases: [lease] }
}

describe('waiters', () => {
  const waiters = (...lists: NodeId[][]) =>
    tallyLocks(
      lists.map((list, place) => says(`s${place}`, list)),
      four,
    )[0]?.waiters

  it('are named in the order that servers agree on', () => {
    expect(waiters(['x', 'y', 'z'], ['x', 'y', 'z'], ['x', 'y', 'z'], ['x', 'y', 'z'])).toEqual(['x', 'y', 'z'])
  })
  it('also where servers lack some', () => {
    expect(waiters(['y', 'z'], ['x', 'z'], ['x', 'y'], ['x', 'y', 'z'])).toEqual(['x', 'y', 'z'])
  })
  it('are not invented, turned round or hidden by one liar', () => {
    expect(waiters(['x', 'y'], ['x', 'y'], ['x', 'y'], ['eve', 'y', 'x'])).toEqual(['x', 'y'])
    expect(waiters(['x', 'y'], ['x', 'y'], ['x', 'y'], [])).toEqual(['x', 'y'])
    expect(waiters(['x'], ['x'], ['x'], Array(20).fill('x'))).toEqual(['x'])
  })
  it('do not hold it as well: a server that missed the grant has it for the first who waits', () => {
    const answers = [says('s0', ['x']), says('s1', ['x']), says('s2', ['x']), says('s3', ['ann#1'], 'x')]
    expect(tallyLocks(answers, four)).toMatchObject([{ holder: 'ann#1', waiters: ['x'] }])
  })
})

describe('a server', () => {
  const answers = (...trips: number[]) => trips.map((roundTrip, place) => ({ ...says(`s${place}`, []), roundTrip }))
  const manners = (found: readonly InspectedServer[], connected: readonly NodeId[] = []) =>
    describeServers(['s0', 's1', 's2', 's3'], found, {
      whySilent: () => 'why',
      isConnected: server => connected.includes(server),
    }).map(({ manner }) => manner)

  it('that answers much later than the others is slow, and one that is a little later is not', () => {
    expect(manners(answers(2, 3, 2, 103))).toEqual([undefined, undefined, undefined, 'slow'])
    expect(manners(answers(2, 3, 2, 102))).toEqual([undefined, undefined, undefined, undefined])
    expect(manners(answers(100, 90, 110, 500))).toEqual([undefined, undefined, undefined, undefined])
    expect(manners(answers(100, 90, 110, 501))).toEqual([undefined, undefined, undefined, 'slow'])
    expect(manners(answers(900))).toEqual([undefined, undefined, undefined, undefined])
  })
  it('that is connected and does not answer is silent; one that is not there is not called so', () => {
    expect(manners(answers(2, 3), ['s0', 's2'])).toEqual([undefined, undefined, 'silent', undefined])
  })
  it('grants while its tokens are within what the group takes', () => {
    const ready = { server: 's0', state: 'ready', tokensAheadMs: 5_000 } as const
    expect(canGrant(ready, 5_001)).toBe(true)
    expect(canGrant(ready, 5_000)).toBe(false)
  })
})

describe('a lock that was taken by force', () => {
  const shape = { trust: four, servers: ['s0', 's1', 's2', 's3'] }
  const freed = (server: NodeId, holder = 'ann#1') => ({ server, allowed: true, holder, token: holder === '' ? 0 : 5 })
  const refused = (server: NodeId) => ({ server, allowed: false, holder: '', token: 0 })

  it('names whom more servers name than can lie', () => {
    const answers = [freed('s0'), freed('s1'), freed('s2', 'eve#1')]
    expect(describeForced('a', answers, shape)).toEqual({ name: 'a', holder: 'ann#1', token: 5n, freed: 3 })
    const nobody = [freed('s0', ''), freed('s1', ''), freed('s2', 'eve#1')]
    expect(describeForced('a', nobody, shape)).toMatchObject({ holder: undefined, token: undefined })
  })
  it('is refused where more servers refuse than can lie', () => {
    const answers = [freed('s0'), refused('s1'), refused('s2')]
    expect(() => describeForced('a', answers, shape)).toThrow(/no operator of the group.*s3: no answer/)
  })
  it('is uncertain where too few answer, or one liar refuses', () => {
    const answers = [freed('s0'), freed('s1'), refused('s2')]
    expect(() => describeForced('a', answers, shape)).toThrow(/may not be free: 2 of 4 servers freed it, and 3 are/)
    expect(() => describeForced('a', [], shape)).toThrow(/0 of 4/)
  })
})
