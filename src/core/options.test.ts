// Options: names, kinds, ranges, and the name that was meant.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SettingsError } from './errors.ts'
import {
  abortSignal,
  between,
  called,
  flag,
  kindOf,
  listOf,
  nearest,
  oneWord,
  optionsSchema,
  required,
  textOf,
  waitTime,
  whole,
} from './options.ts'

interface Example {
  readonly ttl?: number
  readonly timeout?: number
  readonly signal?: AbortSignal
  readonly renew?: boolean
  readonly level?: 'low' | 'high'
  readonly config: string
}

const check = optionsSchema<Example>({
  ttl: whole(20, 100, 'milliseconds'),
  timeout: waitTime,
  signal: abortSignal,
  renew: flag,
  level: oneWord(['low', 'high']),
  config: required(textOf('the folder')),
})
const refusal = (options: unknown) => {
  try {
    check('group.try', options as Example)
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError)
    return (error as Error).message
  }
  return undefined
}

describe('a schema', () => {
  it('lets good options pass, and undefined ones', () => {
    expect(refusal({ config: 'x' })).toBeUndefined()
    expect(refusal({ config: 'x', ttl: 20, timeout: Number.POSITIVE_INFINITY, renew: false })).toBeUndefined()
    expect(refusal({ config: 'x', ttl: undefined, signal: undefined })).toBeUndefined()
    expect(refusal({ config: 'x', signal: new AbortController().signal, level: 'low' })).toBeUndefined()
  })
  it('names what was probably meant', () => {
    expect(refusal({ config: 'x', tll: 5 })).toBe('group.try has no option "tll". Did you mean ttl?')
    expect(refusal({ config: 'x', TTL: 5 })).toBe('group.try has no option "TTL". Did you mean ttl?')
    expect(refusal({ config: 'x', timeot: 5 })).toContain('Did you mean timeout?')
    expect(refusal({ config: 'x', colour: 5 })).toContain('It knows ttl, timeout, signal, renew, level, config.')
  })
  it('knows nothing that every object has', () => {
    expect(refusal({ config: 'x', constructor: 1 })).toContain('has no option "constructor"')
    expect(refusal(JSON.parse('{"config":"x","__proto__":1}'))).toContain('has no option "__proto__"')
  })
  it('says what a value must be', () => {
    expect(refusal({ config: 'x', ttl: 5.5 })).toBe(
      'ttl is 5.5; it must be a whole number of milliseconds from 20 to 100.',
    )
    expect(refusal({ config: 'x', ttl: '50' })).toContain('ttl is "50"; it must be')
    expect(refusal({ config: 'x', timeout: -1 })).toContain('timeout is -1; it must be')
    expect(refusal({ config: 'x', timeout: Number.NaN })).toContain('timeout is NaN; it must be')
    expect(refusal({ config: 'x', signal: {} })).toContain('signal is an object; it must be an AbortSignal')
    expect(refusal({ config: 'x', signal: new AbortController() })).toContain('signal is an AbortController; it must')
    expect(refusal({ config: 'x', renew: 1 })).toContain('renew is 1; it must be true or false')
    expect(refusal({ config: 'x', level: 'loww' })).toContain('level is "loww"; it must be one of low, high')
  })
  it('asks for what cannot be left out', () => {
    expect(refusal({})).toBe('group.try needs config: the folder, as text.')
    expect(refusal({ config: '' })).toContain('config is ""')
  })
  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [5, 'the number 5'],
    ['ttl', 'text'],
    [[], 'an array'],
    [() => {}, 'a function'],
  ])('takes an object, not %o', (options, kind) => {
    expect(refusal(options)).toContain(`group.try takes its options as an object, not ${kind}`)
  })
  it('never throws anything else, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), options => {
        refusal(options)
      }),
    )
  })
})

describe('rules', () => {
  it('are exact at their ends', () => {
    expect([19, 20, 100, 101].map(value => whole(20, 100).fits(value))).toEqual([false, true, true, false])
    expect([-0.1, 0, 1, 1.1].map(value => between(0, 1).fits(value))).toEqual([false, true, true, false])
    expect(listOf(whole(1), 'numbers').fits([1, 0])).toBe(false)
    expect(listOf(whole(1), 'numbers').fits([1, 2])).toBe(true)
    expect(called('to call').fits(() => {})).toBe(true)
    expect(called('to call').fits({})).toBe(false)
  })
  it('say kinds aloud', () => {
    class Own {}
    const kinds = [null, undefined, [], new Date(), new Map(), new Own(), Object.create(null), 5n, Number.NaN, true]
    expect(kinds.map(kindOf)).toEqual([
      'null',
      'undefined',
      'an array',
      'a Date',
      'a Map',
      'an Own',
      'an object',
      'a bigint',
      'NaN',
      'true',
    ])
  })
  it('do not guess wildly', () => {
    expect(nearest('xyz', ['ttl', 'timeout'])).toBeUndefined()
    expect(nearest('x'.repeat(10_000), ['ttl'])).toBeUndefined()
    expect(nearest('ephemral', ['ephemeral', 'sequential'])).toBe('ephemeral')
  })
})
