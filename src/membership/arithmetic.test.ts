// The arithmetic of membership, each idea against what its paper says or a dumb twin.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullBucket, seededRandom, take } from '../core/index.ts'
import { type Claim, claimBytes } from './claims.ts'
import { bootOf, incarnationOf } from './incarnation.ts'
import { drawOf, median } from './member/distance.ts'
import { emptyQueue, enqueue, nextClaims, QUEUE_MAX, queueSize } from './member/queue.ts'
import { type AttributeSetting, compareBy, rank } from './ranking.ts'
import { membershipBeat, membershipDefaults } from './settings.ts'
import { awareness, doubt, retransmissions, suspicionLeast, suspicionTime } from './suspicion.ts'
import { type Coordinate, coordinateDistance, moved, ORIGIN } from './vivaldi.ts'

const { lifeguard } = membershipDefaults

describe('incarnations', () => {
  it('a later boot is above every counter of an earlier one', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 20 - 1), fc.nat(2 ** 31), fc.nat(2 ** 31), (boot, a, b) => {
        expect(incarnationOf(boot + 1, a)).toBeGreaterThan(incarnationOf(boot, b))
        expect(bootOf(incarnationOf(boot, a))).toBe(boot)
        expect(Number.isSafeInteger(incarnationOf(boot + 1, a))).toBe(true)
      }),
    )
  })
})

describe('suspicion (Lifeguard, dynamic time-out)', () => {
  it('starts at β times the least, ends at the least, and only goes down', () => {
    for (const members of [5, 32, 100, 10_000]) {
      const times = [0, 1, 2, 3, 4].map(count => suspicionTime(membershipBeat, lifeguard, members, count))
      const least = suspicionLeast(membershipBeat, members)
      if (members > 5) expect(times[0]).toBeCloseTo(membershipBeat.suspicionSpread * least)
      expect(times[3]).toBeCloseTo(least)
      expect(times[4]).toBeCloseTo(least)
      for (let count = 1; count < times.length; count++) expect(times[count]).toBeLessThanOrEqual(times[count - 1]!)
    }
  })
  it('without it, or where nobody could confirm, it is the least at once', () => {
    const fixed = { ...lifeguard, dynamicSuspicion: false }
    expect(suspicionTime(membershipBeat, fixed, 100, 0)).toBe(suspicionLeast(membershipBeat, 100))
    expect(suspicionTime(membershipBeat, lifeguard, 3, 0)).toBe(suspicionLeast(membershipBeat, 3))
  })
  it('awareness stays within its bounds; a probe without any nack counts for all helpers', () => {
    expect(awareness(0, -1)).toBe(0)
    expect(awareness(7, 5)).toBe(8)
    expect([doubt(0, 0), doubt(3, 3), doubt(3, 1)]).toEqual([1, 0, 2])
  })
  it('a claim is passed on λ ⌈log10(n + 1)⌉ times', () => {
    expect([2, 9, 10, 99, 100].map(members => retransmissions(membershipBeat, members))).toEqual([4, 4, 8, 8, 12])
  })
})

const leave = (member: string, incarnation = 1): Claim => ({
  kind: 'leave',
  member,
  incarnation,
  signature: new Uint8Array(64),
})

describe('the gossip queue', () => {
  it('tells each claim so many times, those told least first', () => {
    const queue = emptyQueue()
    enqueue(queue, leave('a'))
    expect(nextClaims(queue, 10, 1_000, 3)).toEqual([leave('a')])
    enqueue(queue, leave('b'))
    expect(nextClaims(queue, 1, 1_000, 3)).toEqual([leave('b')])
    const told = Array.from({ length: 9 }, () => nextClaims(queue, 10, 1_000, 3)).flat()
    expect(told.filter(claim => claim.member === 'a')).toHaveLength(2)
    expect(told.filter(claim => claim.member === 'b')).toHaveLength(2)
    expect(queueSize(queue)).toBe(0)
  })
  it('a newer claim takes the place of the older, and is told as often as a new one', () => {
    const queue = emptyQueue()
    enqueue(queue, leave('a', 1))
    nextClaims(queue, 10, 1_000, 2)
    enqueue(queue, leave('a', 2))
    expect(queueSize(queue)).toBe(1)
    expect(nextClaims(queue, 10, 1_000, 2)).toEqual([leave('a', 2)])
    expect(nextClaims(queue, 10, 1_000, 2)).toEqual([leave('a', 2)])
    expect(nextClaims(queue, 10, 1_000, 2)).toEqual([])
  })
  it('keeps to the bytes, but for one that is larger by itself', () => {
    const queue = emptyQueue()
    for (const member of ['a', 'b', 'c']) enqueue(queue, leave(member))
    expect(nextClaims(queue, 10, 2 * claimBytes(leave('a')), 9)).toHaveLength(2)
    expect(nextClaims(queue, 10, 1, 9)).toHaveLength(1)
  })
  it('has a bound', () => {
    const queue = emptyQueue()
    for (let i = 0; i < QUEUE_MAX + 10; i++) enqueue(queue, leave(`member-${i}`))
    expect(queueSize(queue)).toBe(QUEUE_MAX)
  })
})

describe('token buckets', () => {
  it('never let through more than the burst and what came in since', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(500), fc.nat(5)), { maxLength: 200 }), steps => {
        const allowance = { burst: 10, perSecond: 4 }
        const bucket = fullBucket(allowance, 0)
        let now = 0
        let spent = 0
        for (const [passed, cost] of steps) {
          now += passed
          if (take(bucket, allowance, now, cost)) spent += cost
          expect(spent).toBeLessThanOrEqual(10 + (now * 4) / 1_000 + 1e-9)
        }
      }),
    )
  })
})

describe('attributes (SRCEA 3.1, readings SRCEA 4)', () => {
  const settings: AttributeSetting[] = [
    { name: 'battery', better: 'large', priority: 2 },
    { name: 'distance', better: 'small', priority: 1 },
  ]
  const of = (member: string, values: Record<string, number>) => ({
    member,
    attributes: new Map(Object.entries(values)),
  })

  it('first priority first, then the next, then the smaller name; without a value last', () => {
    const members = [
      of('d', {}),
      of('c', { distance: 1, battery: 0.5 }),
      of('b', { distance: 1, battery: 0.9 }),
      of('a', { distance: 2, battery: 1 }),
      of('e', { distance: 1, battery: 0.9 }),
    ]
    expect(rank(settings, members).map(({ member }) => member)).toEqual(['b', 'e', 'c', 'a', 'd'])
  })
  it('two without a value are told apart by name, not by chance', () => {
    expect(compareBy(settings[0]!, of('a', {}), of('b', {}))).toBeLessThan(0)
    expect(compareBy(settings[0]!, of('b', {}), of('a', {}))).toBeGreaterThan(0)
  })
  it('the order does not depend on the order of arrival', () => {
    const value = fc.constantFrom(1, 2, 3)
    const anyone = fc.record({ distance: value, battery: value })
    fc.assert(
      fc.property(fc.array(anyone, { maxLength: 12 }), values => {
        const members = values.map((one, place) => of(`member-${place}`, one))
        expect(rank(settings, [...members].reverse())).toEqual(rank(settings, members))
      }),
    )
  })
})

describe('vouched distance (protocols/election)', () => {
  it('fewer than half of the measurers cannot move the median beyond honest values', () => {
    const values = fc.array(fc.integer({ min: 10, max: 20 }), { minLength: 3, maxLength: 9 })
    fc.assert(
      fc.property(values, fc.array(fc.nat(1_000_000), { maxLength: 8 }), (honest, lies) => {
        const few = lies.slice(0, honest.length - 1)
        const value = median([...honest, ...few])!
        expect(value).toBeGreaterThanOrEqual(10)
        expect(value).toBeLessThanOrEqual(20)
      }),
    )
  })
  it('every other is drawn about equally often', () => {
    const names = Array.from({ length: 20 }, (_, place) => `member-${place}`)
    const counts = new Map<string, number>()
    for (let subject = 0; subject < 2_000; subject++) {
      const [first] = [...names].sort((a, b) => drawOf(`subject-${subject}`, a) - drawOf(`subject-${subject}`, b))
      counts.set(first!, (counts.get(first!) ?? 0) + 1)
    }
    // 2,000 draws of 20: 100 each, with a deviation of 10.
    for (const count of counts.values()) expect(Math.abs(count - 100)).toBeLessThan(50)
    expect(counts.size).toBe(20)
  })
})

describe('Vivaldi coordinates', () => {
  const anyone: fc.Arbitrary<Coordinate> = fc.record({
    x: fc.double({ min: -1e3, max: 1e3, noNaN: true }),
    y: fc.double({ min: -1e3, max: 1e3, noNaN: true }),
    height: fc.double({ min: 0.01, max: 100, noNaN: true }),
    error: fc.double({ min: 0, max: 1.5, noNaN: true }),
  })
  it('every place stays finite and bounded, whatever others say', () => {
    const rtt = fc.oneof(fc.double(), fc.double({ min: 0.001, max: 1e5, noNaN: true }))
    fc.assert(
      fc.property(anyone, anyone, rtt, (own, other, rttMs) => {
        for (const value of Object.values(moved(own, other, rttMs, 1))) {
          expect(Math.abs(value)).toBeLessThanOrEqual(60_000)
        }
      }),
    )
  })
  it('one answer does not make the distance to the one who answered worse', () => {
    fc.assert(
      fc.property(anyone, anyone, fc.double({ min: 1, max: 500, noNaN: true }), (own, other, rttMs) => {
        const before = Math.abs(coordinateDistance(own, other) - rttMs)
        const after = Math.abs(coordinateDistance(moved(own, other, rttMs, 1), other) - rttMs)
        expect(after).toBeLessThanOrEqual(before + 1e-6)
      }),
    )
  })
  it('members in a plane find places whose distances are their round-trip times', () => {
    const random = seededRandom(3)
    const truth = Array.from({ length: 25 }, () => ({ x: random.unit() * 100, y: random.unit() * 100 }))
    const rttOf = (a: number, b: number) => Math.hypot(truth[a]!.x - truth[b]!.x, truth[a]!.y - truth[b]!.y) + 2
    let places: Coordinate[] = truth.map(() => ORIGIN)
    for (let step = 0; step < 25 * 400; step++) {
      const [a, b] = [random.below(25), random.below(25)]
      if (a === b) continue
      places = places.with(a, moved(places[a]!, places[b]!, rttOf(a, b), random.unit() * 2 * Math.PI))
    }
    const errors: number[] = []
    for (let a = 0; a < 25; a++) {
      for (let b = 0; b < a; b++) {
        errors.push(Math.abs(coordinateDistance(places[a]!, places[b]!) - rttOf(a, b)) / rttOf(a, b))
      }
    }
    expect(median(errors)).toBeLessThan(0.1)
  })
})
