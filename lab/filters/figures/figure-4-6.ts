// THESIS figure 4.6: a queue of QHTs by the number of its subfilters, for several windows, against the corrected arithmetic.

import { optimalSubfilters } from '../../../src/filters/index.ts'
import type { Series } from '../../chart.ts'
import type { Experiment, Row } from '../../experiment.ts'
import { errorPicture } from '../drawing.ts'
import { queued, steady, turnover } from '../queued.ts'
import { formulaRows } from '../rows.ts'
import { queuedRatesOf } from '../theory.ts'

const BITS = 100_000
const ALPHABET = 2 ** 18

export const figure46: Experiment = {
  name: 'filters-figure-4-6',
  title: 'The number of subfilters: more are better for small windows, fewer for large ones',
  source: 'THESIS §4.5.4, §4.6.2, figure 4.6',
  run({ scale, seed, progress }) {
    const windows = scale === 'full' ? [1e3, 3e3, 1e4, 3e4, 1e5] : [1e3, 1e4]
    const numbers = scale === 'full' ? [1, 2, 3, 5, 7, 10, 15, 20, 30, 40] : [1, 3, 10, 30]
    const counted = scale === 'full' ? 1e6 : 30_000
    const rows: Row[] = []
    const series: Series[] = []
    const notes: string[] = []
    for (const [index, window] of windows.entries()) {
      const points = numbers.map((subfilters, place): [number, number] => {
        progress((index + place / numbers.length) / windows.length, `w=${window}, L=${subfilters}`)
        const queue = { bits: BITS, subfilters, window }
        const ours = steady(queued('QHT', queue), { alphabet: ALPHABET, window, ...turnover(queue, counted) }, seed)
        const theory = queuedRatesOf('QHT', { ...queue, alphabet: ALPHABET })
        rows.push(...formulaRows(`w=${window}, L=${subfilters}`, ours, theory, windows.length * numbers.length))
        return [subfilters, 100 * ours.error]
      })
      series.push({ name: `w = ${window.toLocaleString('en-US')}`, points })
      const best = optimalSubfilters({ bits: BITS, fingerprintBits: 3, window, alphabet: ALPHABET, subfiltersMax: 40 })
      notes.push(`w = ${window}: the arithmetic finds L = ${best.subfilters} best.`)
    }
    notes.push('The caption has |Γ| = 2^18 and 10^6 elements, the text 2^16 and 10^5; this is the caption’s.')
    const pictures = [errorPicture('4.6', ['queue of QHTs by number of subfilters', 'subfilters L'], series)]
    return { rows, pictures, notes }
  },
}
