// Every experiment of THESIS chapters 3 and 4 at small scale: each row lies where the thesis, or the formula that
// follows from it, has it, within the confidence that the row states.

import { describe, expect, it } from 'vitest'
import type { Result, Row } from '../experiment.ts'
import { filterExperiments } from './index.ts'

const outside = (rows: readonly Row[]) =>
  rows
    .filter(row => !row.within)
    .map(row => `${row.what}: ${row.measured} where ${row.expected} ± ${row.tolerance} is expected`)

describe('filter experiments', () => {
  it.each(filterExperiments.map(experiment => [experiment.name, experiment] as const))('%s', async (_, experiment) => {
    const fractions: number[] = []
    const progress = (fraction: number) => {
      fractions.push(fraction)
    }
    const result: Result = await experiment.run({ scale: 'small', seed: 1, progress })
    expect(outside(result.rows)).toEqual([])
    expect(result.rows.length).toBeGreaterThan(0)
    for (const row of result.rows) expect(Number.isFinite(row.measured), row.what).toBe(true)
    for (const picture of result.pictures) {
      expect(picture.name).toMatch(/^[a-z0-9-]+\.svg$/)
      expect(picture.svg).toMatch(/^<svg[\s\S]*<\/svg>\n$/)
      expect(picture.svg).not.toContain('NaN')
    }
    expect(fractions.every(fraction => fraction >= 0 && fraction <= 1)).toBe(true)
  })

  it('has every table, figure, game and erratum of chapters 3 and 4, once', () => {
    const names = filterExperiments.map(experiment => experiment.name)
    const tables = ['3-1', '3-2', '3-3', '3-4', '3-5', '3-6'].map(number => `filters-table-${number}`)
    const numbers = ['3-3', '3-4', '3-5', '4-1', '4-2', '4-3', '4-5', '4-6', '4-7', '4-8', '4-9']
    const figures = numbers.map(number => `filters-figure-${number}`)
    const rest = [
      'filters-games',
      'errata-queue-fn',
      'errata-baselines',
      'errata-figures',
      'errata-best',
      'errata-bound',
    ]
    const theorems = ['filters-theorem-4-3', 'filters-two-buffers', 'errata-33-percent', 'errata-3-9-1']
    expect([...names].sort()).toEqual([...tables, ...figures, ...theorems, ...rest].sort())
  })

  it('the same seed gives the same rows, another seed others', async () => {
    const experiment = filterExperiments.find(({ name }) => name === 'filters-figure-4-5')!
    const run = (seed: number) => experiment.run({ scale: 'small', seed, progress: () => {} })
    const rows = (await run(5)).rows
    expect((await run(5)).rows).toEqual(rows)
    expect((await run(6)).rows).not.toEqual(rows)
  })
})
