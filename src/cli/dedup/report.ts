// What `coterie dedup --report` says at the end, and the line that it keeps rewriting on a terminal until then.

import type { Filter } from '../../filters/index.ts'
import { bytesInWords } from '../size.ts'
import type { DedupReport } from './stream.ts'
import type { Plan } from './structures.ts'

export interface Estimate {
  /** Rates: of new lines called duplicates, of duplicates missed; null where nobody has worked it out. */
  readonly falsePositiveRate: number | null
  readonly falseNegativeRate: number | null
  /** How many that makes in this stream. */
  readonly falsePositives: number | null
  readonly falseNegatives: number | null
}

/**
 * From what was counted and how often the filter errs to how many errors are in the count. With T true duplicates among
 * n lines, d = T (1 - FN) + (n - T) FP are called so; that gives T, and T the errors.
 */
export function estimate(report: DedupReport, plan: Plan, fresh: boolean): Estimate {
  const { lines, duplicates } = report
  const rates = plan.expect(fresh ? { lines, unseen: lines - duplicates } : null)
  const { falsePositive, falseNegative } = rates
  const known = { falsePositiveRate: falsePositive, falseNegativeRate: falseNegative }
  if (falsePositive === null || falseNegative === null || falsePositive + falseNegative >= 1)
    return { ...known, falsePositives: null, falseNegatives: null }
  const guess = (duplicates - lines * falsePositive) / (1 - falseNegative - falsePositive)
  const trueDuplicates = Math.min(lines, Math.max(0, guess))
  return {
    ...known,
    falsePositives: (lines - trueDuplicates) * falsePositive,
    falseNegatives: trueDuplicates * falseNegative,
  }
}

export function describeReport(report: DedupReport, filter: Filter, expected: Estimate): string {
  const { lines, duplicates, bytes } = report
  const share = lines === 0 ? '' : ` (${percent(duplicates / lines)})`
  const positives = errors(expected.falsePositives, expected.falsePositiveRate, 'new lines called duplicates')
  const negatives = errors(expected.falseNegatives, expected.falseNegativeRate, 'duplicates missed')
  return [
    `filter           ${describeFilter(filter)}`,
    `lines            ${whole(lines)} (${bytesInWords(bytes)})`,
    `duplicates       ${whole(duplicates)}${share}`,
    `false positives  ${positives}`,
    `false negatives  ${negatives}`,
    `speed            ${speed(report)} (${report.seconds.toFixed(2)} s)`,
  ].join('\n')
}

function errors(count: number | null, rate: number | null, what: string): string {
  if (rate === null) return `not known beforehand for this structure (${what})`
  if (rate === 0) return `none expected (${what})`
  const about = count === null ? 'how many cannot be told' : `about ${whole(Math.round(count))} expected`
  return `${about} (${percent(rate)} of ${what})`
}

function describeFilter(filter: Filter): string {
  return `${filter.name} ${flat(filter.options)}; ${bytesInWords(filter.bitsUsed / 8)} of cells`
}

function flat(options: object): string {
  return Object.entries(options)
    .map(([name, value]) => (typeof value === 'object' ? `${name} (${flat(value)})` : `${name} ${value}`))
    .join(', ')
}

export function progressText(report: DedupReport): string {
  return `${bytesInWords(report.bytes)}, ${whole(report.lines)} lines, ${whole(report.duplicates)} duplicates, ${speed(report)}`
}

function speed({ bytes, lines, seconds }: DedupReport): string {
  if (seconds <= 0) return 'too fast to tell'
  const millions = lines / seconds / 1e6
  return `${bytesInWords(bytes / seconds)}/s, ${Number(millions.toPrecision(3))} million lines a second`
}

function whole(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

function percent(rate: number): string {
  if (rate > 0 && rate < 1e-6) return 'fewer than one in a million'
  return `${Number((100 * rate).toPrecision(3))} %`
}
