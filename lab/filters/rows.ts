// A measurement beside what is expected of it: a formula, or a number that the thesis printed. The tolerance follows from
// how many elements were counted, on both sides.

import type { ErrorRates } from '../../src/filters/index.ts'
import { type Row, row } from '../experiment.ts'
import { bonferroni, rateTolerance, twoRateTolerance } from '../statistics.ts'
import type { Counts } from './measure.ts'

/** All rows of one experiment together fail by bad luck once in a thousand runs. */
export const CONFIDENCE = 0.999

/** Ours beside a rate that follows from a formula: only our own counting is uncertain. */
export function formulaRow(what: string, ours: Counts, theory: ErrorRates, rows: number): Row {
  const each = bonferroni(bonferroni(CONFIDENCE, rows), 2)
  const tolerance =
    rateTolerance(theory.falsePositive, ours.unseen, each) + rateTolerance(theory.falseNegative, ours.duplicates, each)
  const expected = 100 * (theory.falsePositive + theory.falseNegative)
  return row(what, 100 * ours.error, expected, 100 * tolerance, '%')
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
