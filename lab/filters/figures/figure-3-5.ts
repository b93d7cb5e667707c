// THESIS figure 3.5: filters of 1 Mbit by window, on a uniform stream of 150 million elements (divided by 512 at small
// scale). QHT and SQF are held against the arithmetic, the others are drawn.

import { thesisBound } from '../../../src/filters/index.ts'
import type { Series } from '../../chart.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { BASELINES, contendersOf, quotientHashTable } from '../contenders.ts'
import { BOUND_NOTE, boundSeries, errorPicture } from '../drawing.ts'
import { measure } from '../measure.ts'
import { dividedBy, formulaRows } from '../rows.ts'
import { isKnown, ratesOf } from '../theory.ts'

const ALPHABET = 2 ** 26
const BITS = 1e6

export const figure35: Experiment = {
  name: 'filters-figure-3-5',
  title: 'Error of filters of 1 Mbit by window, on a stream of 150 million elements',
  source: 'THESIS §3.8.6, figure 3.5 (artificial stream)',
  run({ scale, seed, progress }) {
    const shrink = scale === 'full' ? 1 : 512
    const bits = Math.round(BITS / shrink)
    const alphabet = ALPHABET / shrink
    const length = Math.round(1.5e8 / shrink)
    const windows = [100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8].filter(window => window / shrink >= 15)
    const contenders = [...contendersOf(bits, BASELINES, shrink), quotientHashTable(bits, 8, 'QHT8')]
    const measured = measure({
      contenders,
      alphabet,
      length,
      windows: windows.map(window => Math.round(window / shrink)),
      seed,
      progress: fraction => progress(fraction, 'streaming'),
    })
    const rows: Row[] = []
    for (const wide of windows) {
      const window = Math.round(wide / shrink)
      for (const { name } of contenders) {
        const ours = measured.at(name, window)
        const what = `${name}, w=${wide.toLocaleString('en-US')}${dividedBy(shrink)}`
        rows.push(
          ...(isKnown(name)
            ? formulaRows(what, ours, ratesOf(name, bits, { alphabet, length, window }), windows.length * 2)
            : [row(what, 100 * ours.error, null, null, '%')]),
        )
      }
    }
    const series: Series[] = contenders.map(({ name }) => ({
      name,
      points: windows.map(wide => [wide, 100 * measured.at(name, Math.round(wide / shrink)).error] as const),
    }))
    series.push(boundSeries(windows.map(wide => [wide, thesisBound(bits, alphabet, wide / shrink, length)] as const)))
    const picture = errorPicture('3.5', ['error of filters of 1 Mbit by window', 'window w'], series, shrink)
    return { rows, pictures: [picture], notes: [BOUND_NOTE] }
  },
}
