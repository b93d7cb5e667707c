// THESIS table 3.2: which width of fingerprint suits which window. At small scale everything (memory, alphabet, stream,
// window) is divided by 512: the rates depend on the ratios only, and windows under one element are left out.

import { QuotientHashTable, tableRates, tableShape } from '../../../src/filters/index.ts'
import { lineChart } from '../../chart.ts'
import type { Experiment, Row } from '../../experiment.ts'
import { type Measured, measure, SEEDS } from '../measure.ts'
import { barOf, dividedBy, expectedRun, printedRow } from '../rows.ts'

const BITS = 1e6
const ALPHABET = 2 ** 26
const LENGTH = 150e6
const WIDTHS = [2, 3, 4, 5, 6, 7, 8, 9, 10]

const PRINTED: readonly (readonly [number, readonly number[]])[] = [
  [10_000_000, [96.17, 96.81, 97.39, 97.84, 98.17, 98.43, 98.62, 98.77, 98.89]],
  [3_000_000, [88.5, 90.2, 91.98, 93.34, 94.36, 95.13, 95.72, 96.2, 96.57]],
  [1_000_000, [71.01, 72.71, 76.92, 80.62, 83.51, 85.72, 87.45, 88.83, 89.94]],
  [300_000, [50.09, 43.67, 45.72, 49.93, 54.4, 58.47, 62.27, 65.5, 68.34]],
  [100_000, [39.83, 26.21, 23.19, 24.03, 26.11, 28.78, 31.44, 34.16, 36.91]],
  [30_000, [35.56, 18.3, 12.33, 10.33, 10.06, 10.57, 11.44, 12.49, 13.8]],
  [10_000, [34.31, 15.86, 8.88, 5.96, 4.77, 4.32, 4.34, 4.5, 5.07]],
  [3000, [33.92, 14.99, 7.58, 4.24, 2.83, 2.07, 1.71, 1.39, 1.71]],
  [1000, [33.71, 14.76, 7.18, 3.77, 2.14, 1.49, 0.89, 0.9, 0.65]],
  [100, [33.71, 14.68, 7.0, 3.51, 1.83, 1.0, 0.58, 0.77, 0.25]],
]

export const table32: Experiment = {
  name: 'filters-table-3-2',
  title: 'Quotient hash tables of 1 Mbit: the best fingerprint for each window',
  source: 'THESIS §3.6.4, table 3.2',
  run({ scale, seed, progress }) {
    const shrink = scale === 'full' ? 1 : 512
    const printed = PRINTED.filter(([window]) => window / shrink >= 20)
    const windows = printed.map(([window]) => Math.round(window / shrink))
    const measured = measure({
      contenders: WIDTHS.map(fingerprintBits => ({
        name: `s=${fingerprintBits}`,
        make: (key: Uint8Array) =>
          new QuotientHashTable({ bits: Math.round(BITS / shrink), cells: 1, fingerprintBits, key }),
      })),
      alphabet: ALPHABET / shrink,
      length: LENGTH / shrink,
      windows,
      seed,
      progress: fraction => progress(fraction, 'streaming'),
    })
    const rows: Row[] = []
    for (const [index, [window, values]] of printed.entries()) {
      const theirs = expectedRun(ALPHABET, LENGTH, window)
      for (const [place, fingerprintBits] of WIDTHS.entries()) {
        const ours = measured.at(`s=${fingerprintBits}`, windows[index]!)
        const what = `w=${window.toLocaleString('en-US')}${dividedBy(shrink)}, s=${fingerprintBits}`
        rows.push(
          printedRow(what, ours, { printed: values[place]!, run: theirs, rows: printed.length * WIDTHS.length }),
        )
      }
    }
    return { rows, pictures: [{ name: 'filters-table-3-2.svg', svg: picture(measured, shrink) }], notes: notes(shrink) }
  },
}

function notes(shrink: number): string[] {
  const small =
    shrink === 1 ? [] : [`Memory, alphabet, stream and windows are divided by ${shrink}; the ratios decide.`]
  return [
    ...small,
    'At w = 100 the stream of the thesis has 223 duplicates: its last rows are known to no better than half a point.',
  ]
}

/** Of the widths, those that can be told apart in one picture. */
const DRAWN = [2, 4, 6, 10]

/** Measured and printed beside the arithmetic, which draws the same table without streaming anything. */
function picture(measured: Measured, shrink: number): string {
  const shown = PRINTED.filter(([window]) => window / shrink >= 20)
  const series = DRAWN.flatMap((fingerprintBits, colour) => {
    const shape = tableShape({ bits: BITS, cells: 1, fingerprintBits })
    const counts = shown.map(([window]) => measured.at(`s=${fingerprintBits}`, Math.round(window / shrink)))
    return [
      {
        name: `s=${fingerprintBits}, measured`,
        colour,
        line: false,
        points: shown.map(([window], at) => [window, 100 * counts[at]!.error] as const),
        errors: counts.map(barOf),
      },
      {
        name: `s=${fingerprintBits}, arithmetic`,
        dashed: true,
        colour,
        points: PRINTED.map(([window]) => {
          const rates = tableRates('QHT', shape, { alphabet: ALPHABET, length: LENGTH, window })
          return [window, 100 * (rates.falsePositive + rates.falseNegative)] as const
        }),
      },
      {
        name: `s=${fingerprintBits}, the thesis`,
        line: false,
        colour: colour + DRAWN.length,
        points: PRINTED.map(([window, values]) => [window, values[fingerprintBits - 2]!] as const),
      },
    ]
  })
  return lineChart({
    title: `Table 3.2: error of a QHT of 1 Mbit${dividedBy(shrink)} by window and width of fingerprint`,
    x: { label: `window w${shrink === 1 ? '' : `, before it was divided by ${shrink}`}`, log: true },
    y: { label: 'FPR + FNR, times 100' },
    note: `Measured: ${SEEDS} streams of ${(LENGTH / shrink).toLocaleString('en-US', { maximumFractionDigits: 0 })} elements; bars: what chance allows, 95 %.`,
    series,
  })
}
