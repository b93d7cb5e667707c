import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ExactWindow, FilterError, type LineOptions, LineStream } from './index.ts'

const KEY = Uint8Array.of(1, 1, 2, 3, 5, 8, 13, 21)
const encoder = new TextEncoder()
const decoder = new TextDecoder()

function exact(): ExactWindow {
  return new ExactWindow({ window: 1000, keyBytes: 64, key: KEY })
}

/** Feeds the text in chunks of the given sizes, in turn. */
function pass(text: string, sizes: readonly number[], options: Partial<LineOptions> = {}): string {
  const lines = new LineStream({ filter: exact(), ...options })
  const bytes = encoder.encode(text)
  let out = ''
  const emit = (from: Uint8Array, start: number, end: number) => {
    out += decoder.decode(from.slice(start, end))
  }
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!
    lines.push(bytes.slice(at, at + size), emit)
    at += size
  }
  lines.finish(emit)
  return out
}

describe('lines', () => {
  const text = 'a\nb\na\n\nlonger line\n\nb\nc\na'

  test.each([[[1]], [[2]], [[3, 1]], [[100]]])('first occurrences, in chunks of %j', sizes => {
    expect(pass(text, sizes)).toBe('a\nb\n\nlonger line\nc\n')
    expect(pass(text, sizes, { keep: 'duplicate' })).toBe('a\n\nb\na')
  })

  test('agree with a dumb twin, whatever the chunks', () => {
    const line = fc.stringMatching(/^[abc]{0,3}$/)
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (input, sizes) => {
        const whole = input.map(one => `${one}\n`).join('')
        const expected = [...new Set(input)].map(one => `${one}\n`).join('')
        expect(pass(whole, sizes)).toBe(expected)
      }),
    )
  })

  test('without duplicates a chunk leaves as one range', () => {
    const ranges: [number, number][] = []
    const lines = new LineStream({ filter: exact() })
    lines.push(encoder.encode('one\ntwo\nthree\nfo'), (_, start, end) => ranges.push([start, end]))
    expect(ranges).toEqual([[0, 14]])
    expect([lines.lines, lines.duplicates, lines.bytes]).toEqual([3, 0, 16])
  })

  test('long lines are found by the other search', () => {
    const long = 'x'.repeat(60)
    expect(pass(`${long}\n${long}\ny\n`, [7])).toBe(`${long}\ny\n`)
    expect(pass(`${long}\n${long}\ny\n`, [1000])).toBe(`${long}\ny\n`)
  })
})

describe('fields', () => {
  test('by blanks, runs counting once', () => {
    expect(pass('1  a x\n2\ta y\n  3 b\n4 a\n', [5], { field: 2 })).toBe('1  a x\n  3 b\n')
  })

  test('by one byte, empty fields counting', () => {
    expect(pass('1,,x\n2,,y\n3,q,x\n', [4], { field: 2, separator: 44 })).toBe('1,,x\n3,q,x\n')
  })

  test('agree with a dumb twin, whatever the chunks and the separator', () => {
    const line = fc.stringMatching(/^[ab ,\t]{0,8}$/)
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
    const twin = (input: string[], field: number, separator: string | undefined) => {
      const seen = new Set<string>()
      return input.filter(one => {
        const fields = separator === undefined ? one.split(/[ \t]+/).filter(text => text !== '') : one.split(separator)
        const key = fields[field - 1] ?? ''
        return !seen.has(key) && seen.add(key)
      })
    }
    fc.assert(
      fc.property(
        fc.array(line),
        sizes,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        (input, chunks, field, commas) => {
          const whole = input.map(one => `${one}\n`).join('')
          const expected = twin(input, field, commas ? ',' : undefined).map(one => `${one}\n`)
          expect(pass(whole, chunks, { field, separator: commas ? 44 : undefined })).toBe(expected.join(''))
        },
      ),
      { numRuns: 500 },
    )
  })

  test('lines without the field share the empty key', () => {
    expect(pass('one\ntwo\na b\n', [100], { field: 2 })).toBe('one\na b\n')
  })
})

describe('refused', () => {
  test.each([0, -1, 1.5, Number.NaN])('field %s', field => {
    expect(() => new LineStream({ filter: exact(), field })).toThrow(`field is ${field}`)
  })

  test('separator 256', () => {
    expect(() => new LineStream({ filter: exact(), separator: 256 })).toThrow('separator is 256')
  })

  test('a line of more than 16 MiB, instead of a full memory', () => {
    const lines = new LineStream({ filter: exact() })
    const chunk = new Uint8Array(2 ** 20)
    const feed = () => {
      for (let i = 0; i < 17; i++) lines.push(chunk, () => {})
    }
    expect(feed).toThrow(FilterError)
  })
})
