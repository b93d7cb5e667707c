// THESIS figure 4.5: queues of ten subfilters by window. QHT and SQF are held against the corrected arithmetic (theorems
// 4.5.2 and 4.5.4 are far off, see errata-queue-fn), the others are drawn.

import type { Series } from '../../chart.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { errorPicture } from '../drawing.ts'
import { QUEUEABLES, queued, steady, turnover } from '../queued.ts'
import { formulaRows } from '../rows.ts'
import { isKnown, queuedRatesOf } from '../theory.ts'

const BITS = 100_000
const ALPHABET = 2 ** 18
const SUBFILTERS = 10

export const figure45: Experiment = {
  name: 'filters-figure-4-5',
  title: 'Queues of ten subfilters by window',
  source: 'THESIS §4.6.1, figure 4.5',
  run({ scale, seed, progress }) {
    const windows = scale === 'full' ? [1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6] : [1e3, 1e4, 3e4]
    const counted = scale === 'full' ? 1e7 : 12_000
    const rows: Row[] = []
    const series: Series[] = []
    for (const [index, name] of QUEUEABLES.entries()) {
      const points: [number, number][] = []
      for (const window of windows) {
        progress(index / QUEUEABLES.length, `queue of ${name}, w=${window}`)
        const queue = { bits: BITS, subfilters: SUBFILTERS, window }
        const ours = steady(queued(name, queue), { alphabet: ALPHABET, window, ...turnover(queue, counted) }, seed)
        points.push([window, 100 * ours.error])
        const what = `queue of ${name}, w=${window}`
        rows.push(
          ...(isKnown(name)
            ? formulaRows(what, ours, queuedRatesOf(name, { ...queue, alphabet: ALPHABET }), 2 * windows.length)
            : [row(what, 100 * ours.error, null, null, '%')]),
        )
      }
      series.push({ name: `queue of ${name}`, points })
    }
    const notes = ['The steady state is shown: without the drop near w = stream that §4.6.4 calls an artefact.']
    return { rows, pictures: [errorPicture('4.5', ['queues of ten by window, 100 kbit', 'window w'], series)], notes }
  },
}
