import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changes } from '../src/core/index.ts'
import { row } from './experiment.ts'
import { nearestNames } from './nearest.ts'
import { formatTable, toCsv, toJson } from './table.ts'

const ROWS = [
  row('a constant', 0.94017, 0.9, 0.0722, 'Δt'),
  row('violations', 3, 0, 0),
  row('t = 8, "mean"', 1234567, null, null),
]

describe('a result', () => {
  it('is an aligned table for people', () => {
    expect(formatTable(ROWS).split('\n')).toEqual([
      '               expected  measured      tolerance',
      'a constant          0.9    0.9402  Δt   ± 0.0722  ✓',
      'violations            0         3            ± 0  ✗',
      't = 8, "mean"             1234567',
    ])
  })

  it('is JSON for programs', () => {
    expect(JSON.parse(toJson(ROWS))).toEqual(ROWS)
    expect(JSON.parse(toJson([row('few runs', 1, 2, Number.POSITIVE_INFINITY)]))[0].tolerance).toBeNull()
  })

  it('is CSV for spreadsheets', () => {
    expect(toCsv(ROWS).split('\r\n')).toEqual([
      'what,expected,measured,tolerance,unit,within',
      'a constant,0.9,0.94017,0.0722,Δt,true',
      'violations,0,3,0,,false',
      '"t = 8, ""mean""",,1234567,,,true',
      '',
    ])
  })

  it('may be empty', () => {
    expect(formatTable([])).toContain('measured')
    expect(toCsv([])).toBe('what,expected,measured,tolerance,unit,within\r\n')
  })
})

describe('nearest names', () => {
  const known = ['backoff-response', 'errata-backoff-5b', 'table-3-1', 'table-3-2', 'all']

  it.each([
    ['backof-response', ['backoff-response']],
    ['5b', ['errata-backoff-5b']],
    ['table-3-3', ['table-3-1', 'table-3-2']],
    ['al', ['all']],
    ['', []],
    ['something quite different', []],
  ])('%s: %j', (typed, near) => {
    expect(nearestNames(typed, known)).toEqual(near)
  })

  it('counts changes as a distance', () => {
    const word = fc.string({ maxLength: 8 })
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(changes(a, b)).toBe(changes(b, a))
        expect(changes(a, b) === 0).toBe(a === b)
        expect(changes(a, c)).toBeLessThanOrEqual(changes(a, b) + changes(b, c))
      }),
    )
  })
})
