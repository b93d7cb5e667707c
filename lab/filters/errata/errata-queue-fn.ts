// Erratum: theorems 4.5.2 and 4.5.4 (false negatives of the queuing filter) treat the subfilters as independent, each
// holding the element with chance c/w. But a duplicate's last occurrence is in one subfilter, not in none or several by
// luck; and all share one hash. The corrected sum (src/filters/arithmetic/queuing.ts) is held against measurements.

import { queuingRates, thesisQueuingRates } from '../../../src/filters/index.ts'
import { lineChart } from '../../chart.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { bonferroni, rateTolerance } from '../../statistics.ts'
import { measure, SEEDS } from '../measure.ts'
import { queued, turnover } from '../queued.ts'
import { CONFIDENCE } from '../rows.ts'

const BITS = 100_000
const ALPHABET = 2 ** 18
const SUBFILTERS = [1, 2, 5, 10, 20, 40]

interface Curve {
  readonly measured: [number, number][]
  readonly printed: [number, number][]
  readonly right: [number, number][]
  readonly bars: number[]
}

export const errataQueueFn: Experiment = {
  name: 'errata-queue-fn',
  title: 'False negatives of the queuing filter: the printed theorem, the corrected one, and the measurement',
  source: 'THESIS theorems 4.5.2 and 4.5.4',
  run({ scale, seed, progress }) {
    const windows = scale === 'full' ? [1e3, 3e3, 1e4, 3e4, 1e5] : [1e3, 1e4]
    // A window of a thousand among 2^18 elements holds one duplicate in 260 elements: it takes a long stream.
    const counted = scale === 'full' ? 5e6 : 60_000
    const rows: Row[] = []
    const notes: string[] = []
    const total = windows.length * SUBFILTERS.length
    const curves = windows.map((): Curve => ({ measured: [], printed: [], right: [], bars: [] }))
    for (const [place, window] of windows.entries()) {
      for (const [index, subfilters] of SUBFILTERS.entries()) {
        progress((place + index / SUBFILTERS.length) / windows.length, `w=${window}, L=${subfilters}`)
        const queue = { bits: BITS, subfilters, window }
        const contender = queued('QHT', queue)
        const run = turnover(queue, counted)
        const measured = measure({ contenders: [contender], alphabet: ALPHABET, windows: [window], seed, ...run })
        const ours = measured.at(contender.name)
        const shape = { subfilters, rows: Math.floor(Math.floor(BITS / subfilters) / 3), fingerprints: 7, window }
        const right = queuingRates({ ...shape, alphabet: ALPHABET })
        const printed = thesisQueuingRates({ ...shape, alphabet: ALPHABET })
        const tolerance = rateTolerance(right.falseNegative, ours.duplicates, bonferroni(CONFIDENCE, total))
        const what = `w=${window}, L=${subfilters}`
        rows.push(row(what, 100 * ours.falseNegative, 100 * right.falseNegative, 100 * tolerance, '%'))
        rows.push(row(`${what}: theorem 4.5.4 as printed`, 100 * printed.falseNegative, null, null, '%'))
        curves[place]!.measured.push([subfilters, 100 * ours.falseNegative])
        curves[place]!.printed.push([subfilters, 100 * printed.falseNegative])
        curves[place]!.right.push([subfilters, 100 * right.falseNegative])
        curves[place]!.bars.push(100 * tolerance)
      }
    }
    notes.push('Rows without expectation are the printed theorem: at w = 1,000, L = 40 it says fifteen times too much.')
    const svg = lineChart({
      title: 'Erratum: false negatives of a queue of QHTs, 100 kbit',
      x: { label: 'subfilters L', log: true },
      y: { label: 'FNR, times 100', min: 0 },
      note: `${SEEDS} streams of ${counted.toLocaleString('en-US')} elements counted; bars: what a row is judged by.`,
      series: curves.flatMap(({ measured, printed, right, bars }, colour) => {
        const name = `w = ${windows[colour]!.toLocaleString('en-US')}`
        return [
          { name: `${name}, measured`, points: measured, errors: bars, line: false, colour },
          { name: `${name}, corrected`, points: right, colour: colour + 5, dashed: true },
          { name: `${name}, theorem`, points: printed, colour, dashed: true },
        ]
      }),
    })
    return { rows, pictures: [{ name: 'errata-queue-fn.svg', svg }], notes }
  },
}
