// Trust in two numbers, beside a twin that counts sets instead of computing.

import { describe, expect, it } from 'vitest'
import {
  explainTrust,
  lockGrants,
  lockServersNeeded,
  orderingQuorum,
  orderingServersNeeded,
  printedLockServersNeeded,
  SERVERS_MAX,
  trust,
} from './quorum.ts'

/** The fewest servers that two sets of `size` out of n share, found by trying all pairs. */
function fewestShared(n: number, size: number): number {
  const sets: number[] = []
  for (let set = 0; set < 2 ** n; set++) if (bits(set) === size) sets.push(set)
  let fewest = n
  // All sets look the same from the first one: it is enough to fix it.
  for (const other of sets) fewest = Math.min(fewest, bits(sets[0]! & other))
  return fewest
}

function bits(set: number): number {
  let count = 0
  for (let rest = set; rest > 0; rest >>= 1) count += rest & 1
  return count
}

const small: [n: number, b: number, f: number][] = []
for (let n = 1; n <= 12; n++) for (let f = 0; f <= 4; f++) for (let b = 0; b <= f; b++) small.push([n, b, f])

describe('the lock (protocols/lock 1)', () => {
  it('any two sets of g share an honest server, and g - 1 would not do', () => {
    for (const [n, b] of small) {
      const g = lockGrants(n, b)
      if (g > n) continue
      expect(fewestShared(n, g), `n=${n} b=${b}`).toBeGreaterThanOrEqual(b + 1)
      expect(fewestShared(n, g - 1), `n=${n} b=${b}`).toBeLessThan(b + 1)
    }
  })
  it('g servers are left when f are gone, exactly from the needed number of servers on', () => {
    for (const [n, b, f] of small) {
      expect(lockGrants(n, b) <= n - f, `n=${n} b=${b} f=${f}`).toBe(n >= lockServersNeeded(b, f))
    }
  })
})

describe('the printed rule and ordering', () => {
  it('quorums of n - f share 3b + 1 (BACKOFF §4), exactly from the needed number on', () => {
    for (const [n, b, f] of small) {
      if (n - f < 1) continue
      expect(fewestShared(n, n - f) >= 3 * b + 1).toBe(n >= printedLockServersNeeded(b, f))
    }
  })
  it('quorums of n - f - b share 2b + 1 (BACKOFF §6), exactly from the needed number on', () => {
    for (const [n, b, f] of small) {
      const q = orderingQuorum(n, b, f)
      if (q < 1) continue
      expect(fewestShared(n, q) >= 2 * b + 1).toBe(n >= orderingServersNeeded(b, f))
    }
  })
})

describe('the table of sizes', () => {
  it.each([
    [0, 1, 3, 3, 3],
    [1, 1, 4, 6, 7],
    [1, 2, 6, 8, 9],
  ])('b=%i f=%i: lock %i, printed lock %i, ordering %i', (b, f, lock, printed, ordering) => {
    expect([lockServersNeeded(b, f), printedLockServersNeeded(b, f), orderingServersNeeded(b, f)]).toEqual([
      lock,
      printed,
      ordering,
    ])
  })
})

describe('settings', () => {
  it('have defaults: no liars, one gone, room for objects', () => {
    expect(trust()).toEqual({ servers: 3, liars: 0, crashes: 1, lockGrants: 2, orderingQuorum: 2 })
    expect(trust({ liars: 1 })).toEqual({ servers: 7, liars: 1, crashes: 1, lockGrants: 5, orderingQuorum: 5 })
  })
  it('a group too small for objects still has locks', () => {
    expect(trust({ liars: 1, servers: 4 })).toMatchObject({ lockGrants: 3, orderingQuorum: undefined })
  })
  it.each([
    [{}, '3 servers: locks need 2 grants, objects quorums of 2; none may lie, one may be gone.'],
    [
      { liars: 1 },
      '7 servers: locks need 5 grants, objects quorums of 5; one may lie, one may be gone (liars included).',
    ],
    [
      { liars: 1, servers: 4 },
      '4 servers: locks need 3 grants, no objects (they need 7 servers); one may lie, one may be gone (liars included).',
    ],
    [{ crashes: 0 }, '1 server: locks need 1 grant, objects quorums of 1; none may lie, none may be gone.'],
    [{ crashes: 7 }, '15 servers: locks need 8 grants, objects quorums of 8; none may lie, 7 may be gone.'],
  ])('%j explains itself', (settings, sentence) => expect(explainTrust(trust(settings))).toBe(sentence))

  it.each([
    [{ liars: -1 }, 'liars is -1; it must be a whole number from 0 to 100.'],
    [{ liars: 0.5 }, 'liars is 0.5; it must be a whole number from 0 to 100.'],
    [{ crashes: 101 }, 'crashes is 101; it must be a whole number from 0 to 100.'],
    [{ servers: Number.NaN }, 'servers is NaN; it must be a whole number from 0 to 100.'],
    [
      { liars: 2, crashes: 1 },
      'crashes is 1 and liars is 2; a liar may also fall silent, so crashes counts the liars too: set crashes to at least 2.',
    ],
    [
      { servers: 2 },
      '2 servers cannot keep a lock with no liars and 1 server gone: that takes 3 servers (3 for objects too). ' +
        'With 2 servers, liars: 0 and crashes: 0 would work.',
    ],
    [
      { servers: 1, liars: 1 },
      '1 server cannot keep a lock with 1 liar and 1 server gone: that takes 4 servers (7 for objects too). ' +
        'With 1 server, liars: 0 and crashes: 0 would work.',
    ],
    [
      { servers: 0, crashes: 0 },
      'no servers cannot keep a lock with no liars and no servers gone: that takes 1 server (1 for objects too). ' +
        'A group has at least one server.',
    ],
    [
      { liars: 30 },
      `liars: 30 and crashes: 30 take 181 servers, and a group has at most ${SERVERS_MAX}: expect fewer to fail.`,
    ],
  ])('%j is refused with a sentence that says what would work', (settings, sentence) =>
    expect(() => trust(settings)).toThrow(sentence),
  )

  it('what a refusal proposes works', () => {
    for (let servers = 1; servers <= 9; servers++) {
      try {
        trust({ servers, liars: 2 })
      } catch (error) {
        const crashes = Number(/crashes: (\d+) would work/.exec(String(error))![1])
        expect(trust({ servers, liars: 0, crashes }).servers).toBe(servers)
      }
    }
  })
})
