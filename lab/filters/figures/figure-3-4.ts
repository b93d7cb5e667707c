// THESIS figure 3.4: filters by memory, on a uniform stream of ten million elements (divided by 256 at small scale). QHT
// and SQF are held against the arithmetic, the others are drawn.

import { thesisBound } from '../../../src/filters/index.ts'
import type { Series } from '../../chart.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { BASELINES, contendersOf } from '../contenders.ts'
import { BOUND_NOTE, boundSeries, errorPicture } from '../drawing.ts'
import { measure } from '../measure.ts'
import { dividedBy, formulaRows } from '../rows.ts'
import { isKnown, ratesOf } from '../theory.ts'

const ALPHABET = 2 ** 26

export const figure34: Experiment = {
  name: 'filters-figure-3-4',
  title: 'Error of filters by memory, on a stream of ten million elements',
  source: 'THESIS §3.8.5, figure 3.4 (artificial stream)',
  run({ scale, seed, progress }) {
    const shrink = scale === 'full' ? 1 : 512
    const length = Math.round(1e7 / shrink)
    const alphabet = ALPHABET / shrink
    const memories = [1e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8].filter(memory => memory / shrink >= 100)
    const names = ['QHT', ...BASELINES]
    const rows: Row[] = []
    const points = new Map<string, [number, number][]>(names.map(name => [name, []]))
    for (const [index, memory] of memories.entries()) {
      const bits = Math.round(memory / shrink)
      const measured = measure({
        contenders: contendersOf(bits, BASELINES, shrink),
        alphabet,
        length,
        windows: [Number.POSITIVE_INFINITY],
        seed: seed + 10 * index,
        progress: fraction => progress((index + fraction) / memories.length, `${memory} bits`),
      })
      for (const name of names) {
        const ours = measured.at(name)
        const what = `${name}, ${memory / 1000} kbit${dividedBy(shrink)}`
        points.get(name)!.push([memory, 100 * ours.error])
        rows.push(
          ...(isKnown(name)
            ? formulaRows(what, ours, ratesOf(name, bits, { alphabet, length }), memories.length * 2)
            : [row(what, 100 * ours.error, null, null, '%')]),
        )
      }
    }
    const series: Series[] = names.map(name => ({ name, points: points.get(name)! }))
    const reach = Number.POSITIVE_INFINITY
    series.push(
      boundSeries(memories.map(memory => [memory, thesisBound(memory / shrink, alphabet, reach, length)] as const)),
    )
    const picture = errorPicture(
      '3.4',
      ['error of filters by memory, 10 million elements', 'memory in bits'],
      series,
      shrink,
    )
    return { rows, pictures: [picture], notes: [BOUND_NOTE] }
  },
}
