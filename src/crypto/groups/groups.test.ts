// One suite for every group: the laws, the doors, the maps. What only one group promises is in
// published.test.ts, against its standard.

import { describe, expect, it } from 'vitest'
import { everyGroup, flipped, seededBytes, utf8 } from '../../../test/support/crypto.ts'
import { bytesOf, integerOf } from './integers.ts'

const groups = await everyGroup()

describe.each(groups)('$title', ({ group, runs }) => {
  const random = seededBytes(7)
  const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make)
  const anElement = () => group.multiplyBase(group.randomScalar(random))

  it('is a group: neutral, inverse, associative, commutative', () => {
    for (let run = 0; run < runs; run++) {
      const [a, b, c] = times(3, anElement) as [Uint8Array, Uint8Array, Uint8Array]
      expect(group.add(a, group.identity)).toEqual(a)
      expect(group.add(a, group.negate(a))).toEqual(group.identity)
      expect(group.subtract(group.add(a, b), b)).toEqual(a)
      expect(group.add(a, b)).toEqual(group.add(b, a))
      expect(group.add(group.add(a, b), c)).toEqual(group.add(a, group.add(b, c)))
    }
  })

  it('multiplies as it adds, also by zero, one and the last scalar', () => {
    for (let run = 0; run < runs; run++) {
      const element = anElement()
      const [x, y] = times(2, () => group.randomScalar(random)) as [Uint8Array, Uint8Array]
      expect(group.multiply(element, group.addScalars(x, y))).toEqual(
        group.add(group.multiply(element, x), group.multiply(element, y)),
      )
      expect(group.multiply(group.multiplyBase(x), y)).toEqual(group.multiplyBase(group.multiplyScalars(x, y)))
    }
    const element = anElement()
    expect(group.multiply(element, group.scalar(0n))).toEqual(group.identity)
    expect(group.multiply(element, group.scalar(1n))).toEqual(element)
    expect(group.multiply(element, group.scalar(-1n))).toEqual(group.negate(element))
    expect(group.multiply(group.identity, group.scalar(5n))).toEqual(group.identity)
    expect(group.multiplyBase(group.scalar(0n))).toEqual(group.identity)
    expect(group.multiplyBase(group.scalar(1n))).toEqual(group.generator)
  })

  it('has the order it says: one step beyond the last scalar is the identity', () => {
    const last = group.multiplyBase(group.scalar(group.order - 1n))
    expect(group.add(last, group.generator)).toEqual(group.identity)
    expect(group.generator).not.toEqual(group.identity)
  })

  it('sums products as a dumb twin does, none of them too', () => {
    const terms = times(Math.min(runs, 9), () => [anElement(), group.randomScalar(random)] as const)
    const twin = terms.reduce(
      (sum, [element, scalar]) => group.add(sum, group.multiply(element, scalar)),
      group.identity,
    )
    expect(group.sumOfProducts(terms)).toEqual(twin)
    expect(group.sumOfProducts([])).toEqual(group.identity)
    const [element, scalar] = terms[0]!
    const [zero, minus] = [group.scalar(0n), group.subtractScalars(group.scalar(0n), scalar)]
    const cancelling = [terms[0]!, [group.generator, zero], [group.identity, scalar], [element, minus]] as const
    expect(group.sumOfProducts(cancelling)).toEqual(group.identity)
  })

  it('calculates with scalars as with integers modulo the order', () => {
    for (let run = 0; run < runs; run++) {
      const [x, y] = times(2, () => group.randomScalar(random)) as [Uint8Array, Uint8Array]
      const [a, b] = [group.integer(x), group.integer(y)]
      expect(group.integer(group.addScalars(x, y))).toBe((a + b) % group.order)
      expect(group.integer(group.subtractScalars(x, y))).toBe((a - b + group.order) % group.order)
      expect(group.integer(group.multiplyScalars(x, y))).toBe((a * b) % group.order)
      expect(group.integer(group.multiplyScalars(x, group.invertScalar(x)))).toBe(1n)
      expect(group.scalar(a - 3n * group.order)).toEqual(x)
    }
  })

  it('draws scalars that are never zero, and stops where the source is broken', () => {
    const seen = new Set(times(50, () => group.integer(group.randomScalar(random))))
    expect(seen.size).toBe(50)
    expect(seen.has(0n)).toBe(false)
    expect(() => group.randomScalar(length => new Uint8Array(length))).toThrow(RangeError)
  })

  it('takes its own elements and scalars back', () => {
    for (let run = 0; run < runs; run++) {
      const element = anElement()
      const scalar = group.randomScalar(random)
      expect(group.decode(element)).toEqual(element)
      expect(group.decodeScalar(scalar)).toEqual(scalar)
      expect([element.length, scalar.length]).toEqual([group.elementBytes, group.scalarBytes])
    }
    expect(group.decodeScalar(group.scalar(0n))).toEqual(group.scalar(0n))
  })

  it('refuses the identity, and elements too short, too long, or all ones', () => {
    const element = anElement()
    expect(group.decode(group.identity)).toBeUndefined()
    expect(group.decode(element.subarray(1))).toBeUndefined()
    expect(group.decode(Uint8Array.of(...element, 0))).toBeUndefined()
    expect(group.decode(Uint8Array.of(0, ...element))).toBeUndefined()
    expect(group.decode(new Uint8Array(0))).toBeUndefined()
    expect(group.decode(new Uint8Array(group.elementBytes).fill(0xff))).toBeUndefined()
  })

  it('refuses scalars that are not below the order: there is one encoding for one number', () => {
    const order = bytesOfLike(group.scalar(1n), group.order, group.scalarBytes)
    expect(group.decodeScalar(order)).toBeUndefined()
    expect(group.decodeScalar(group.scalar(-1n))).toEqual(group.scalar(-1n))
    expect(group.decodeScalar(new Uint8Array(group.scalarBytes).fill(0xff))).toBeUndefined()
    expect(group.decodeScalar(new Uint8Array(group.scalarBytes + 1))).toBeUndefined()
    expect(group.decodeScalar(new Uint8Array(group.scalarBytes - 1))).toBeUndefined()
  })

  it('whatever bytes it takes are an element: it multiplies, and by the order nothing is left', () => {
    const element = anElement()
    const bits = Array.from({ length: 64 }, (_, place) => (place * 37) % (group.elementBytes * 8))
    const taken = bits.map(bit => group.decode(flipped(element, bit))).filter(found => found !== undefined)
    expect(taken.length, 'a square or a point is still near').toBeGreaterThan(0)
    for (const found of taken.slice(0, runs)) {
      expect(group.add(group.multiply(found, group.scalar(-1n)), found)).toEqual(group.identity)
    }
  })

  it('hashes to elements and scalars: the same again, another for another domain or message', () => {
    const made = [
      group.hashToElement('one', utf8('message')),
      group.hashToElement('two', utf8('message')),
      group.hashToElement('one', utf8('messages')),
      group.hashToElement('onem', utf8('essage')),
    ]
    expect(new Set(made.map(String)).size).toBe(4)
    for (const element of made) expect(group.decode(element)).toEqual(element)
    expect(group.hashToElement('one', utf8('message'))).toEqual(made[0])
    const scalars = ['one', 'two'].map(domain => group.hashToScalar(domain, utf8('message')))
    expect(scalars[0]).not.toEqual(scalars[1])
    for (const scalar of scalars) expect(group.decodeScalar(scalar)).toEqual(scalar)
  })
})

/** The number in the byte order of the group, which the encoding of one shows. */
function bytesOfLike(one: Uint8Array, value: bigint, length: number): Uint8Array {
  return bytesOf(value, length, one[0] === 1 ? 'lowFirst' : 'highFirst')
}

describe('integers as bytes', () => {
  it.each(['lowFirst', 'highFirst'] as const)('come back, of any length, %s', order => {
    const random = seededBytes(3)
    for (let length = 1; length <= 40; length++) {
      const bytes = random(length)
      const value = integerOf(bytes, order)
      expect(bytesOf(value, length, order)).toEqual(bytes)
      const hex = Buffer.from(order === 'lowFirst' ? bytes.toReversed() : bytes).toString('hex')
      expect(value).toBe(BigInt(`0x${hex}`))
      expect(() => bytesOf(1n << BigInt(length * 8), length, order)).toThrow(RangeError)
    }
  })
  it('are read from the middle of a buffer', () => {
    const whole = Uint8Array.from({ length: 30 }, (_, place) => place)
    expect(integerOf(whole.subarray(5, 21), 'highFirst')).toBe(0x05060708090a0b0c0d0e0f1011121314n)
  })
})
