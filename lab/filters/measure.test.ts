import { describe, expect, it } from 'vitest'
import { queuingRates } from '../../src/filters/index.ts'
import { rateTolerance } from '../statistics.ts'
import { measure } from './measure.ts'
import { queued, turnover } from './queued.ts'
import { expectedRun, formulaRows, keyedRows, printedRow } from './rows.ts'
import { bursts, zipf } from './streams.ts'

const always = (answer: 'unseen' | 'duplicate') => ({ name: answer, make: () => ({ stream: () => answer }) })

describe('the bench', () => {
  it('counts what is a duplicate in each window', () => {
    // 0 1 2 0 0 1: distances of the repeats are 3, 1, 4.
    const stream = [0, 1, 2, 0, 0, 1]
    const measured = measure({
      contenders: [always('duplicate'), always('unseen')],
      alphabet: 3,
      length: stream.length,
      checkpoints: [4],
      windows: [1, 3, Number.POSITIVE_INFINITY],
      seed: 1,
      seeds: 1,
      elements: () => {
        let position = 0
        return () => stream[position++]!
      },
    })
    expect(measured.at('unseen', 1)).toMatchObject({ unseen: 5, falsePositives: 0, duplicates: 1, falseNegatives: 1 })
    expect(measured.at('duplicate', 3)).toMatchObject({
      unseen: 4,
      falsePositives: 4,
      duplicates: 2,
      falseNegatives: 0,
    })
    expect(measured.at('unseen', Number.POSITIVE_INFINITY)).toMatchObject({ duplicates: 3, error: 1 })
    expect(measured.at('unseen', Number.POSITIVE_INFINITY, 4)).toMatchObject({ unseen: 3, duplicates: 1 })
    expect(() => measured.at('nobody')).toThrow('not measured')
  })

  it('tells the seeds apart: their counts add up to those of all', () => {
    const course = { contenders: [always('unseen')], alphabet: 50, length: 400, windows: [20], seed: 1, seeds: 4 }
    const measured = measure(course)
    const each = measured.each('unseen')
    expect(each.length).toBe(4)
    expect(new Set(each.map(({ duplicates }) => duplicates)).size).toBeGreaterThan(1)
    expect(each.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(measured.at('unseen').duplicates)
  })

  it('judges keys as the sample where they vary more than the counting does', () => {
    // Two keys in three are right and one is far off: a million elements do not make that certain.
    const of = (rate: number) => ({
      ...measure({ contenders: [always('unseen')], alphabet: 9, length: 9, windows: [1], seed: 1 }).at('unseen'),
      unseen: 1e6,
      duplicates: 1e6,
      falsePositive: rate,
      falseNegative: rate,
    })
    const each = Array.from({ length: 30 }, (_, key) => of(key % 3 === 0 ? 0.26 : 0.25))
    const theory = { falsePositive: 0.2525, falseNegative: 0.2525, error: 0.505 }
    const [judged] = keyedRows('QHT', each, theory, 1)
    expect(judged).toMatchObject({ within: true })
    expect(judged!.tolerance).toBeGreaterThan(0.3)
    expect(formulaRows('QHT', of(0.25333), theory, 1)[0]).toMatchObject({ within: true })
    expect(
      keyedRows(
        'QHT',
        each.map(() => of(0.256)),
        theory,
        1,
      )[0],
    ).toMatchObject({ within: false })
  })

  it('expects as many duplicates as a uniform stream has (THESIS §3.6.4: 4.6 % of 100,000 from 2^20)', () => {
    const run = expectedRun(2 ** 20, 100_000, Number.POSITIVE_INFINITY)
    expect(run.duplicates / 100_000).toBeCloseTo(0.046, 3)
    const counted = measure({
      contenders: [always('unseen')],
      alphabet: 5000,
      length: 20_000,
      windows: [100],
      seed: 1,
    }).at('unseen')
    const theirs = expectedRun(5000, 20_000, 100, 3)
    expect(counted.duplicates / 60_000).toBeCloseTo(theirs.duplicates / 60_000, 2)
  })

  it('fails a row that is off by more than chance, and passes one that is not', () => {
    const counts = measure({ contenders: [always('unseen')], alphabet: 100, length: 5000, windows: [50], seed: 1 }).at(
      'unseen',
    )
    const theirs = expectedRun(100, 5000, 50)
    expect(printedRow('right', counts, { printed: 100, run: theirs, rows: 1 }).within).toBe(true)
    expect(printedRow('wrong', counts, { printed: 80, run: theirs, rows: 1 }).within).toBe(false)
  })

  it('draws skewed streams inside the alphabet', () => {
    for (const elements of [zipf(1000), bursts(1000, 0.3, 10)]) {
      const course = { contenders: [always('unseen')], alphabet: 1000, length: 3000, windows: [10], seed: 1 }
      const skewed = measure({ ...course, elements }).at('unseen')
      expect(skewed.duplicates).toBeGreaterThan(2 * measure(course).at('unseen').duplicates)
    }
  })
})

describe('the corrected false negatives of a queue (protocols/filters), against the shipped QueueOf', () => {
  const alphabet = 2 ** 16
  it.each([1, 2, 5, 10, 20, 40].flatMap(L => [[L, 1000] as const, [L, 10_000] as const]))(
    'L = %i, w = %i',
    (L, window) => {
      const queue = { bits: 30_000, subfilters: L, window }
      const contender = queued('QHT', queue)
      const course = { contenders: [contender], alphabet, windows: [window], seed: 3 }
      const ours = measure({ ...course, ...turnover(queue, 40_000) }).at(contender.name)
      const rows = Math.floor(Math.floor(queue.bits / L) / 3)
      const theory = queuingRates({ subfilters: L, rows, fingerprints: 7, window, alphabet })
      const each = 0.9999
      const negatives = rateTolerance(theory.falseNegative, ours.duplicates, each)
      const positives = rateTolerance(theory.falsePositive, ours.unseen, each)
      expect(Math.abs(ours.falseNegative - theory.falseNegative)).toBeLessThan(negatives)
      expect(Math.abs(ours.falsePositive - theory.falsePositive)).toBeLessThan(positives)
    },
  )

  it('at w = 10^5, too: L = 10, |Γ| = 2^18, 100 kbit (0.1693 was measured before)', () => {
    const queue = { bits: 100_000, subfilters: 10, window: 100_000 }
    const contender = queued('QHT', queue)
    const course = { contenders: [contender], alphabet: 2 ** 18, windows: [queue.window], seed: 3 }
    const ours = measure({ ...course, ...turnover(queue, 50_000) }).at(contender.name)
    const theory = queuingRates({ subfilters: 10, rows: 3333, fingerprints: 7, window: 100_000, alphabet: 2 ** 18 })
    expect(theory.falseNegative).toBeCloseTo(0.1695, 4)
    expect(Math.abs(ours.falseNegative - theory.falseNegative)).toBeLessThan(
      rateTolerance(theory.falseNegative, ours.duplicates, 0.9999),
    )
  })
})
