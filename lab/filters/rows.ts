// A measurement beside what is expected of it: a formula, or a number that the thesis printed. The tolerance follows from
// how many elements were counted, on both sides.

import type { ErrorRates } from '../../src/filters/index.ts'
import { type Row, row } from '../experiment.ts'
import { bonferroni, meanTolerance, normalQuantile, rateTolerance, summarise, twoRateTolerance } from '../statistics.ts'
import type { Counts } from './measure.ts'

/** All rows of one experiment together fail by bad luck once in a thousand runs. */
export const CONFIDENCE = 0.999

/** A row that may be off by more points than this could hardly fail: it is shown, and not judged. */
const JUDGED_MAX = 12

/**
 * Ours beside rates that follow from a formula: only our own counting is uncertain. False positives and false negatives
 * apart: their sum tends to one for every filter that is full, whatever it does.
 */
export function formulaRows(what: string, ours: Counts, theory: ErrorRates, rows: number): readonly Row[] {
  const each = bonferroni(bonferroni(CONFIDENCE, rows), 2)
  const one = (kind: string, measured: number, expected: number, trials: number) => {
    const tolerance = 100 * rateTolerance(expected, trials, each)
    if (tolerance <= JUDGED_MAX) return row(`${what}: ${kind}`, 100 * measured, 100 * expected, tolerance, '%')
    return row(`${what}: ${kind}, too few to judge`, 100 * measured, null, null, '%')
  }
  return [
    one('FPR', ours.falsePositive, theory.falsePositive, ours.unseen),
    one('FNR', ours.falseNegative, theory.falseNegative, ours.duplicates),
  ]
}

/**
 * The same for a stream much longer than its alphabet. There the elements are no independent trials: which of them share
 * a row and a fingerprint is drawn once for each key, and a longer stream does not draw it again. So the rates of the keys
 * are the sample, and Student's t says how far their mean may be; but no less than the counting alone allows.
 */
export function keyedRows(what: string, each: readonly Counts[], theory: ErrorRates, rows: number): readonly Row[] {
  const confidence = bonferroni(bonferroni(CONFIDENCE, rows), 2)
  const one = (kind: string, rates: readonly number[], expected: number, trials: readonly number[]) => {
    const counting = rateTolerance(
      expected,
      trials.reduce((sum, count) => sum + count, 0),
      confidence,
    )
    const tolerance = 100 * Math.max(counting, meanTolerance(rates, confidence))
    return row(`${what}: ${kind}`, 100 * summarise(rates).mean, 100 * expected, tolerance, '%')
  }
  const of = <Kind extends keyof Counts>(kind: Kind) => each.map(counts => counts[kind])
  return [
    one('FPR', of('falsePositive'), theory.falsePositive, of('unseen')),
    one('FNR', of('falseNegative'), theory.falseNegative, of('duplicates')),
  ]
}

/** Half the height of an error bar: two deviations of FPR + FNR as counted, times 100. */
export function barOf({ falsePositive: p, falseNegative: n, unseen, duplicates }: Counts): number {
  return 200 * Math.sqrt((p * (1 - p)) / Math.max(1, unseen) + (n * (1 - n)) / Math.max(1, duplicates))
}

/** By what memory, alphabet, stream and windows were divided, behind the size that the thesis has. */
export function dividedBy(shrink: number): string {
  return shrink === 1 ? '' : ` ÷ ${shrink.toLocaleString('en-US')}`
}

/** One error is smaller than the other by more than chance allows: one-sided, by the bell curve. */
export function beatsRow(what: string, better: Counts, worse: Counts): Row {
  const variance = [better, worse].flatMap(({ falsePositive: p, falseNegative: n, unseen, duplicates }) => [
    (p * (1 - p)) / Math.max(1, unseen),
    (n * (1 - n)) / Math.max(1, duplicates),
  ])
  const doubt = normalQuantile(CONFIDENCE) * Math.sqrt(variance.reduce((sum, value) => sum + value, 0))
  const lead = worse.error - better.error
  return {
    what: `${what}: its lead is above 0`,
    measured: 100 * lead,
    expected: 0,
    tolerance: 100 * doubt,
    unit: 'points',
    within: lead > doubt,
  }
}

/** The thesis's own run: how many elements it could err on. */
export interface TheirRun {
  readonly unseen: number
  readonly duplicates: number
}

/** How often each kind of element occurs in a uniform stream, judged by a window. */
export function expectedRun(alphabet: number, length: number, window: number, runs = 1): TheirRun {
  const g = 1 - 1 / alphabet
  const reach = Math.min(window, length)
  const filling = alphabet * (1 - g ** reach)
  const unseen = filling + (length - reach) * g ** reach
  return { unseen: runs * unseen, duplicates: runs * (length - unseen) }
}

export interface PrintedRate {
  /** Times 100, with two decimals. */
  readonly printed: number
  readonly run: TheirRun
  /** How many rows the experiment has in all. */
  readonly rows: number
}

/** What printing to two decimals may have cut off. */
const ROUNDING = 0.005

/** Ours beside a printed error rate: both were counted, and theirs was rounded. */
export function printedRow(
  what: string,
  ours: Counts,
  { printed, run, rows }: PrintedRate,
  kind: 'error' | 'falsePositive' | 'falseNegative' = 'error',
): Row {
  const each = bonferroni(bonferroni(CONFIDENCE, rows), 2)
  const positive = twoRateTolerance(ours.falsePositive, ours.unseen, run.unseen, each)
  const negative = twoRateTolerance(ours.falseNegative, ours.duplicates, run.duplicates, each)
  const tolerance = { error: positive + negative, falsePositive: positive, falseNegative: negative }[kind]
  return row(what, 100 * ours[kind], printed, 100 * tolerance + ROUNDING, '%')
}
