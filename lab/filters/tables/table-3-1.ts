// THESIS table 3.1: tables with the same asymptotic false-positive rate; the fewest fingerprints saturate last.

import { QuotientHashTable, tableRates, tableShape } from '../../../src/filters/index.ts'
import type { Experiment, Row } from '../../experiment.ts'
import { measure, SEEDS } from '../measure.ts'
import { expectedRun, printedRow } from '../rows.ts'

const BITS = 2 ** 16
const ALPHABET = 2 ** 20
const LENGTH = 100_000
const THEIR_RUNS = 10

const PRINTED = [
  { fingerprintBits: 2, cells: 1, falsePositive: 22.57, falseNegative: 35.89 },
  { fingerprintBits: 3, cells: 2, falsePositive: 23.25, falseNegative: 44.24 },
  { fingerprintBits: 4, cells: 4, falsePositive: 23.53, falseNegative: 50.77 },
  { fingerprintBits: 5, cells: 8, falsePositive: 23.62, falseNegative: 54.55 },
  { fingerprintBits: 6, cells: 16, falsePositive: 23.5, falseNegative: 58.73 },
]

export const table31: Experiment = {
  name: 'filters-table-3-1',
  title: 'Quotient hash tables with the same k/S: the fewest fingerprints err least',
  source: 'THESIS §3.6.4, theorem 3.6.4, table 3.1',
  run({ scale, seed, progress }) {
    const contenders = PRINTED.map(({ cells, fingerprintBits }) => ({
      name: `s=${fingerprintBits}`,
      make: (key: Uint8Array) => new QuotientHashTable({ bits: BITS, cells, fingerprintBits, key }),
    }))
    const measured = measure({
      contenders,
      alphabet: ALPHABET,
      length: LENGTH,
      windows: [Number.POSITIVE_INFINITY],
      seed,
      seeds: scale === 'full' ? 10 * SEEDS : SEEDS,
      progress: fraction => progress(fraction, 'streaming'),
    })
    const theirs = expectedRun(ALPHABET, LENGTH, LENGTH, THEIR_RUNS)
    const rows: Row[] = []
    const notes: string[] = []
    for (const printed of PRINTED) {
      const { cells, fingerprintBits } = printed
      const ours = measured.at(`s=${fingerprintBits}`)
      const what = `k=${cells}, s=${fingerprintBits}`
      rows.push(
        printedRow(`${what}: FPR`, ours, { printed: printed.falsePositive, run: theirs, rows: 10 }, 'falsePositive'),
      )
      rows.push(
        printedRow(`${what}: FNR`, ours, { printed: printed.falseNegative, run: theirs, rows: 10 }, 'falseNegative'),
      )
      const theory = tableRates('QHT', tableShape({ bits: BITS, cells, fingerprintBits }), {
        alphabet: ALPHABET,
        length: LENGTH,
      })
      notes.push(
        `${what}: the arithmetic says ${(100 * theory.falsePositive).toFixed(2)} / ${(100 * theory.falseNegative).toFixed(2)}.`,
      )
    }
    notes.push('The thesis writes S = 4, 8, … for s = 2, 3, … bits; one value of each means "empty", so S = 2^s - 1.')
    return { rows, pictures: [], notes }
  },
}
