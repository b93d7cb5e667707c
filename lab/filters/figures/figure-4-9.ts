// THESIS figures 4.9 and 4.10: what a finite stream does to the measurement. For w beyond L times the stream only one
// subfilter is ever used, so the error is that of one table of M/L bits on the whole stream: a plateau.

import { lineChart, type Series } from '../../chart.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { STREAMS_NOTE } from '../drawing.ts'
import { measure } from '../measure.ts'
import { queued } from '../queued.ts'
import { formulaRows } from '../rows.ts'
import { queuedRatesOf, ratesOf } from '../theory.ts'

const BITS = 10_000
const ALPHABET = 2 ** 16
const SUBFILTERS = 10

export const figure49: Experiment = {
  name: 'filters-figure-4-9',
  title: 'A queue measured on streams of several lengths: the drop at large windows is the stream’s end',
  source: 'THESIS §4.6.4, figures 4.9 and 4.10',
  run({ scale, seed, progress }) {
    const lengths = scale === 'full' ? [1e5, 1e6, 1e7, 1e8] : [3e4, 3e5]
    const windows = scale === 'full' ? [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] : [1e3, 1e4, 1e5, 1e6, 1e7]
    const rows: Row[] = []
    const total: Series[] = []
    const split: Series[] = []
    for (const [index, length] of lengths.entries()) {
      const points: { window: number; positive: number; negative: number }[] = []
      for (const window of windows) {
        progress(index / lengths.length, `stream ${length}, w=${window}`)
        const queue = { bits: BITS, subfilters: SUBFILTERS, window }
        const contender = queued('QHT', queue)
        const ours = measure({ contenders: [contender], alphabet: ALPHABET, length, windows: [window], seed }).at(
          contender.name,
        )
        points.push({ window, positive: 100 * ours.falsePositive, negative: 100 * ours.falseNegative })
        const what = `${length.toLocaleString('en-US')} elements, w=${window.toLocaleString('en-US')}`
        if (window >= SUBFILTERS * length) {
          const plateau = ratesOf('QHT', BITS / SUBFILTERS, { alphabet: ALPHABET, length })
          rows.push(...formulaRows(`${what}: the plateau`, ours, plateau, 2 * lengths.length))
        } else rows.push(row(what, 100 * ours.error, null, null, '%'))
      }
      const name = `${length.toLocaleString('en-US')} elements`
      total.push({ name, points: points.map(point => [point.window, point.positive + point.negative] as const) })
      split.push({ name: `FPR, ${name}`, points: points.map(point => [point.window, point.positive] as const) })
      split.push({ name: `FNR, ${name}`, points: points.map(point => [point.window, point.negative] as const) })
    }
    total.push({
      name: 'endless stream',
      dashed: true,
      colour: 7,
      points: windows
        .filter(window => window <= 1e7)
        .map(window => {
          const rates = queuedRatesOf('QHT', { bits: BITS, subfilters: SUBFILTERS, window, alphabet: ALPHABET })
          return [window, 100 * (rates.falsePositive + rates.falseNegative)] as const
        }),
    })
    const axes = { x: { label: 'window w', log: true }, y: { label: 'times 100', min: 0, max: 100 } }
    return {
      rows,
      pictures: [
        {
          name: 'filters-figure-4-9.svg',
          svg: lineChart({
            title: 'Figure 4.9: FPR + FNR of a queue by window and stream',
            ...axes,
            note: STREAMS_NOTE,
            series: total,
          }),
        },
        {
          name: 'filters-figure-4-10.svg',
          svg: lineChart({
            title: 'Figure 4.10: FPR and FNR of the same queue',
            ...axes,
            note: STREAMS_NOTE,
            series: split,
          }),
        },
      ],
      notes: [
        'The dashed line is the arithmetic for an endless stream; the streams leave it where w reaches their length.',
      ],
    }
  },
}
