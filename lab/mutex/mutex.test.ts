// LECTURE, "Mutual exclusion": the experiments at small scale, every row within its tolerance.

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/index.ts'
import { toNumber } from '../../src/papers/mutex/index.ts'
import type { Experiment, Result } from '../experiment.ts'
import { mutexExperiments } from './index.ts'
import { lectureCount, lines, mutexTable } from './table.ts'
import { exact, oneRun, printedRows, violationExperiment, weights } from './violation.ts'

const run = async (experiment: Experiment, seed = 1): Promise<Result> =>
  experiment.run({ scale: 'small', seed, progress: () => {} })

describe.each(mutexExperiments)('$name', experiment => {
  test('every row is within its tolerance', async () => {
    const { rows, notes } = await run(experiment)
    expect(rows.filter(row => !row.within)).toEqual([])
    expect(rows.length).toBeGreaterThan(20)
    expect(notes.length).toBeGreaterThan(0)
  })
})

describe('LECTURE, "Mutual exclusion: comparison"', () => {
  test.each(lines)('$name, every N from 2 to 64', line => {
    for (let size = 2; size <= 64; size++) expect(line.measure(size), `N = ${size}`).toEqual(line.expected(size))
  })

  test('erratum: a close vote costs fewer releases than printed', async () => {
    const { rows } = await run(mutexTable)
    const row = rows.find(({ what }) => what === 'N = 8, decentralised, k = 2 attempts: entry and exit')
    expect(lectureCount(8, 2)).toBe(44)
    expect(row?.measured).toBe(41)
  })
})

describe('LECTURE, "Decentralized mutual exclusion": violation probabilities', () => {
  test('the twelve, to three digits', () => {
    expect(printedRows.map(of => toNumber(exact(of)).toPrecision(3))).toMatchInlineSnapshot(`
      [
        "0.00000693",
        "7.22e-12",
        "0.0000249",
        "1.15e-22",
        "0.0000937",
        "3.95e-44",
        "0.000683",
        "7.14e-8",
        "0.00240",
        "1.12e-14",
        "0.00869",
        "3.74e-28",
      ]
    `)
  })

  test('f resets of the holder’s coordinators let a second in exactly when f ≥ 2m - N', () => {
    const random = seededRandom(7)
    const [of] = printedRows
    for (let i = 0; i < 300; i++) {
      const { resets, violated } = oneRun(of!, 5, 0.3, random)
      expect(violated).toBe(resets >= 2)
    }
  })

  test('the weights bring the mean back, and the largest is that of the fewest resets', () => {
    for (const of of printedRows) {
      const { weight, mean, largest, variance } = weights(of, of.needed, 0.5)
      expect(mean / toNumber(exact(of))).toBeCloseTo(1, 10)
      expect(weight(2 * of.needed - of.coordinators)).toBe(largest)
      expect(variance).toBeGreaterThan(0)
    }
  })

  test('another seed, another estimate, still within', async () => {
    const { rows } = await run(violationExperiment, 2)
    expect(rows.filter(row => !row.within)).toEqual([])
  })
})
