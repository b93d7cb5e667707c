// The arithmetic that every protocol rests on, against dumb twins.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { believed, compareBytes, fromHex, kthLargest, outlasting, sameBytes, timers, toHex } from './index.ts'

const seed = 13
const bytesOf = fc.uint8Array({ maxLength: 6, max: 3 })

describe('bytes', () => {
  it('are the same exactly if every byte is', () => {
    fc.assert(
      fc.property(bytesOf, bytesOf, (one, other) => {
        expect(sameBytes(one, other)).toBe(one.join() === other.join())
      }),
      { seed },
    )
  })
  it('differ in the last one too', () => {
    expect(sameBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false)
    expect(sameBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0))).toBe(false)
  })
  it('are written as Buffer writes them, and read back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), value => {
        expect(toHex(value)).toBe(Buffer.from(value).toString('hex'))
        expect(fromHex(toHex(value))).toEqual(value)
      }),
      { seed },
    )
  })
  it.each(['0', 'abc', 'AB', '0g', ' 00', '0x00', '-1', '00\n'])('%j stands for no bytes', digits => {
    expect(fromHex(digits)).toBeUndefined()
  })
  it('are ordered as Buffer orders them', () => {
    fc.assert(
      fc.property(bytesOf, bytesOf, (one, other) => {
        expect(Math.sign(compareBytes(one, other))).toBe(Buffer.compare(one, other))
      }),
      { seed },
    )
  })
})

describe('the k-th largest', () => {
  it('is what k - 1 others are not below', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), fc.nat(20), (values, nth) => {
        const k = 1 + (nth % values.length)
        const found = kthLargest(values, k)
        expect(values.filter(value => value > found).length).toBeLessThan(k)
        expect(values.filter(value => value >= found).length).toBeGreaterThanOrEqual(k)
      }),
      { seed },
    )
  })
  it('is nothing where there are fewer', () => {
    expect(kthLargest([1, 2], 3)).toBe(Number.NEGATIVE_INFINITY)
    expect(kthLargest([1, 2], 2)).toBe(1)
  })
})

describe('belief (BACKOFF §5 with clocks that drift)', () => {
  const drift = fc.double({ min: 0, max: 0.5, noNaN: true })
  const rate = fc.double({ min: -1, max: 1, noNaN: true })
  it('ends before the promise, whatever two clocks do within the bound', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), drift, rate, rate, (time, bound, theirs, ours) => {
        const realEnd = time / (1 + bound * theirs)
        expect(believed(time, bound) / (1 + bound * ours)).toBeLessThanOrEqual(realEnd * (1 + 1e-9))
      }),
      { seed },
    )
  })
  it('and is the longest that does', () => {
    const bound = 0.01
    expect(believed(1_000, bound) / (1 - bound)).toBeCloseTo(1_000 / (1 + bound), 9)
  })
  it('outlasting is its inverse', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), drift, (time, bound) => {
        expect(believed(outlasting(time, bound), bound)).toBeCloseTo(time, 3)
      }),
      { seed },
    )
  })
})

describe('timers', () => {
  const known = timers('sweep', 'renew')
  it('come back as they were set, whatever they are about', () => {
    fc.assert(
      fc.property(fc.constantFrom('sweep' as const, 'renew' as const), fc.string(), (kind, about) => {
        expect(known.due(known.name(kind, about))).toEqual({ kind, about })
      }),
      { seed },
    )
  })
  it('of another machine are a bug', () => {
    expect(() => known.due('sweeping')).toThrow('no timer of this machine')
    expect(() => known.due('')).toThrow('no timer of this machine')
  })
  it('are asked for as effects', () => {
    const effects: unknown[] = []
    const turn = { do: (effect: unknown) => void effects.push(effect) }
    known.set(turn, 'renew', 5, 'a:b')
    known.cancel(turn, 'sweep')
    expect(effects).toEqual([
      { kind: 'timer', name: 'renew:a:b', after: 5 },
      { kind: 'cancel', name: 'sweep' },
    ])
  })
})
