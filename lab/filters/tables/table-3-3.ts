// THESIS table 3.3: the queue in a row (QQHTD) against random eviction (QHT), same parameters.

import {
  QueuedQuotientHashTableWithDuplicates,
  QuotientHashTable,
  tableRates,
  tableShape,
} from '../../../src/filters/index.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { measure, SEEDS } from '../measure.ts'
import { expectedRun, formulaRows, printedRow } from '../rows.ts'
import { bursts, zipf } from '../streams.ts'

const BITS = 65_536
const ALPHABET = 2 ** 20
const LENGTH = 100_000

/**
 * By all earlier elements a uniform stream cannot tell which cell of a row goes: every element comes again as soon as any
 * other. By a window it does.
 */
const RECENT = 20_000

const PRINTED = [
  { cells: 2, fingerprintBits: 3, QHT: 67.39, QQHTD: 67.91 },
  { cells: 4, fingerprintBits: 4, QHT: 74.48, QQHTD: 74.41 },
  { cells: 8, fingerprintBits: 5, QHT: 79.32, QQHTD: 79.19 },
  { cells: 16, fingerprintBits: 6, QHT: 82.1, QQHTD: 82.26 },
]

const CONTENDERS = PRINTED.flatMap(({ cells, fingerprintBits }) => [
  {
    name: `QHT k=${cells}`,
    make: (key: Uint8Array) => new QuotientHashTable({ bits: BITS, cells, fingerprintBits, key }),
  },
  {
    name: `QQHTD k=${cells}`,
    make: (key: Uint8Array) => new QueuedQuotientHashTableWithDuplicates({ bits: BITS, cells, fingerprintBits, key }),
  },
])

export const table33: Experiment = {
  name: 'filters-table-3-3',
  title: 'QHT beside QQHTD: no gain on a uniform stream, a clear one where duplicates come soon',
  source: 'THESIS §3.8.1, table 3.3 (artificial stream)',
  run({ scale, seed, progress }) {
    const course = {
      contenders: CONTENDERS,
      alphabet: ALPHABET,
      length: LENGTH,
      windows: [Number.POSITIVE_INFINITY],
      seed,
      seeds: scale === 'full' ? 10 * SEEDS : SEEDS,
    }
    const uniform = measure({
      ...course,
      windows: [RECENT, Number.POSITIVE_INFINITY],
      progress: fraction => progress(fraction / 3, 'uniform stream'),
    })
    const burst = measure({
      ...course,
      elements: bursts(ALPHABET, 0.06, 20_000),
      progress: fraction => progress((1 + fraction) / 3, 'stream with bursts'),
    })
    const skewed = measure({
      ...course,
      elements: zipf(ALPHABET),
      progress: fraction => progress((2 + fraction) / 3, 'stream after Zipf'),
    })
    const theirs = expectedRun(ALPHABET, LENGTH, LENGTH)
    const rows: Row[] = []
    const notes: string[] = []
    for (const printed of PRINTED) {
      const shape = tableShape({ bits: BITS, cells: printed.cells, fingerprintBits: printed.fingerprintBits })
      for (const rule of ['QHT', 'QQHTD'] as const) {
        const name = `${rule} k=${printed.cells}`
        rows.push(printedRow(`${name}, uniform`, uniform.at(name), { printed: printed[rule], run: theirs, rows: 8 }))
        rows.push(row(`${name}, bursts`, 100 * burst.at(name).error, null, null, '%'))
        rows.push(row(`${name}, Zipf`, 100 * skewed.at(name).error, null, null, '%'))
        const rates = tableRates(rule, shape, { alphabet: ALPHABET, length: LENGTH })
        rows.push(...formulaRows(`${name}, uniform, arithmetic`, uniform.at(name), rates, 16))
        const recent = tableRates(rule, shape, { alphabet: ALPHABET, length: LENGTH, window: RECENT })
        rows.push(...formulaRows(`${name}, uniform, w=${RECENT}, arithmetic`, uniform.at(name, RECENT), recent, 16))
      }
    }
    notes.push(
      'Bursts: six elements in a hundred repeat one of the last 20,000, the others are uniform. Zipf: element x with a chance in proportion to 1/x.',
    )
    notes.push('The thesis measured its own real stream there (27.01 against 24.67 for k = 2); it is not available.')
    return { rows, pictures: [], notes }
  },
}
