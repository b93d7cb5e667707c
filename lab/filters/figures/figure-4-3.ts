// THESIS figure 4.3: a table that knows no window beside two filters made for windows, 100 kbit. The thesis prints no
// numbers with it; the QHT is held against the arithmetic, the others are drawn.

import { BlockDecayingBloom, type ErrorRates } from '../../../src/filters/index.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { baseline, quotientHashTable } from '../contenders.ts'
import { errorPicture } from '../drawing.ts'
import { measure, SEEDS } from '../measure.ts'
import { formulaRows, keyedRows } from '../rows.ts'
import { ratesOf } from '../theory.ts'

const BITS = 100_000
const ALPHABET = 2 ** 18
/** At full scale the stream is longer than the alphabet, and keys are what varies: many keys, a shorter stream each. */
const KEYS = { small: SEEDS, full: 30 }
const COUNTED = { small: 20_000, full: 1_000_000 }

export const figure43: Experiment = {
  name: 'filters-figure-4-3',
  title: 'A table that knows no window beside two filters made for windows',
  source: 'THESIS §4.4.2, figure 4.3',
  run({ scale, seed, progress }) {
    const windows = scale === 'full' ? [500, 1e3, 2e3, 3e3, 6e3, 1e4, 3e4, 1e5] : [1e3, 3e3, 1e4]
    const rows: Row[] = []
    const points = new Map<string, [number, number][]>()
    for (const [index, window] of windows.entries()) {
      progress(index / windows.length, `w=${window}`)
      const contenders = [
        quotientHashTable(BITS),
        baseline('A2', BITS),
        { name: 'b_DBF', make: (key: Uint8Array) => new BlockDecayingBloom({ bits: BITS, window, key }) },
      ]
      // Nine elements for each row: what came before is gone, but for one in e^9. With three the table is not steady yet.
      const warm = 2 * window + 3 * BITS
      const run = { warm, length: warm + COUNTED[scale], seeds: KEYS[scale] }
      const measured = measure({ contenders, alphabet: ALPHABET, windows: [window], seed, ...run })
      const judged = (what: string, theory: ErrorRates) =>
        scale === 'full'
          ? keyedRows(what, measured.each('QHT'), theory, windows.length)
          : formulaRows(what, measured.at('QHT'), theory, windows.length)
      for (const { name } of contenders) {
        const ours = measured.at(name)
        points.set(name, [...(points.get(name) ?? []), [window, 100 * ours.error]])
        const what = `${name}, w=${window}`
        rows.push(
          ...(name === 'QHT'
            ? judged(what, ratesOf('QHT', BITS, { alphabet: ALPHABET, window }))
            : [row(what, 100 * ours.error, null, null, '%')]),
        )
      }
    }
    const series = [...points].map(([name, line]) => ({ name, points: line }))
    const notes = [
      'A2 is set up for a false-positive rate of 0.1; the thesis turns its buffers every w/2 elements instead.',
      'b_DBF is rebuilt for each window. The thesis’s could not go beyond w = 6,000 with this memory.',
    ]
    const picture = errorPicture('4.3', ['error by window, 100 kbit', 'window w'], series, 1, KEYS[scale])
    return { rows, pictures: [picture], notes }
  },
}
