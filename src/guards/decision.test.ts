// The rule of fencing (issue 3, protocols/lock 3): no write with a smaller token after a larger one was accepted.

import { CoterieError, SettingsError } from 'coterie'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkResource, checkToken, decide, isResource, parseToken, RESOURCE_BYTES_MAX, TOKEN_MAX } from './decision.ts'
import { demandPass, StaleToken } from './errors.ts'

const token = fc.bigInt({ min: 0n, max: TOKEN_MAX })
/** Few different ones, so that equal tokens and returns to old ones come up all the time. */
const nearToken = fc.bigInt({ min: 0n, max: 6n })

/** What passes, in order, when writes come in this order. */
function passed(tokens: readonly bigint[]): bigint[] {
  let seen: bigint | undefined
  return tokens.filter(each => {
    const decision = decide(seen, each)
    seen = decision.seen
    return decision.pass
  })
}

describe('decide', () => {
  it('lets no smaller token pass after a larger one, in any order of writes', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(token, nearToken), { maxLength: 50 }), tokens => {
        const accepted = passed(tokens)
        for (const [place, each] of accepted.entries()) if (place > 0) expect(each >= accepted[place - 1]!).toBe(true)
      }),
    )
  })

  it('agrees with a twin that keeps the whole history', () => {
    fc.assert(
      fc.property(fc.array(nearToken, { maxLength: 30 }), tokens => {
        const history: bigint[] = []
        for (const each of tokens) if (history.every(earlier => earlier <= each)) history.push(each)
        expect(passed(tokens)).toEqual(history)
      }),
    )
  })

  it('refuses every late write of an earlier holder, in any interleaving of two holders', () => {
    fc.assert(
      fc.property(nearToken, fc.bigInt({ min: 1n, max: 5n }), fc.array(fc.boolean()), (first, more, order) => {
        const second = first + more
        const accepted = passed(order.map(late => (late ? second : first)))
        const entry = accepted.indexOf(second)
        if (entry >= 0) expect(accepted.slice(entry)).not.toContain(first)
      }),
    )
  })

  it('lets the first token, an equal one and a larger one pass', () => {
    expect(decide(undefined, 0n)).toEqual({ pass: true, seen: 0n })
    expect(decide(7n, 7n)).toEqual({ pass: true, seen: 7n })
    expect(decide(7n, TOKEN_MAX)).toEqual({ pass: true, seen: TOKEN_MAX })
  })

  it('refuses a smaller one, and does not lower what was seen', () => {
    expect(decide(7n, 6n)).toEqual({ pass: false, seen: 7n })
    expect(decide(TOKEN_MAX, 0n)).toEqual({ pass: false, seen: TOKEN_MAX })
  })
})

describe('StaleToken', () => {
  it('names the resource and both tokens, and says that nothing happened', () => {
    const error = new StaleToken('stock', 3n, 5n)
    expect(error).toBeInstanceOf(CoterieError)
    expect(error).toMatchObject({ outcome: 'did not happen', resource: 'stock', token: 3n, seen: 5n })
    expect(error.message).toMatch(/'stock' has seen token 5, and 3 is smaller/)
    expect(() => demandPass('stock', 3n, decide(5n, 3n))).toThrow(StaleToken)
    expect(() => demandPass('stock', 5n, decide(5n, 5n))).not.toThrow()
  })
})

describe('parseToken', () => {
  it('reads back every token', () => {
    fc.assert(fc.property(token, each => parseToken(each.toString()) === each))
  })

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '01',
    '1.0',
    '1e3',
    '0x10',
    '1n',
    '１',
    '1,2',
    `${TOKEN_MAX + 1n}`,
    '9'.repeat(5_000),
  ])('refuses %j', text => expect(parseToken(text)).toBeUndefined())

  it('reads nothing but the one form of a number, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const parsed = parseToken(text)
        if (parsed !== undefined) expect(parsed.toString()).toBe(text)
      }),
    )
  })
})

describe('a caller’s mistakes', () => {
  it.each([-1n, TOKEN_MAX + 1n, -1, 1.5, 2 ** 53, Number.NaN, '5' as never, undefined as never, null as never])(
    'token %s is refused',
    each => {
      expect(() => checkToken(each)).toThrow(SettingsError)
    },
  )

  it('a number is the token of that size: term.number goes in as it is', () => {
    expect([checkToken(0), checkToken(7), checkToken(2 ** 53 - 1), checkToken(7n)]).toEqual([
      0n,
      7n,
      2n ** 53n - 1n,
      7n,
    ])
  })

  it.each(['', 'a\0b', '\ud800', 'x'.repeat(RESOURCE_BYTES_MAX + 1), 5 as never])('resource %j is refused', each => {
    expect(() => checkResource(each)).toThrow(SettingsError)
    expect(isResource(each)).toBe(false)
  })

  it('allows everything else', () => {
    expect(() => checkToken(TOKEN_MAX)).not.toThrow()
    expect(() => checkResource('Lager/Ärmel 7')).not.toThrow()
  })
})
