// THESIS figures 3.3 and 4.2: filters by length of the stream, uniform. The thesis prints no numbers with them; QHT and SQF
// are held against the arithmetic, the others are drawn, all in their right form. At small scale everything is divided.

import { thesisBound } from '../../src/filters/index.ts'
import type { Series } from '../chart.ts'
import { type Experiment, type Row, row } from '../experiment.ts'
import { rateTolerance } from '../statistics.ts'
import { type Baseline, contendersOf } from './contenders.ts'
import { BOUND_NOTE, boundSeries, errorPicture } from './drawing.ts'
import { type Counts, measure } from './measure.ts'
import { CONFIDENCE, dividedBy, expectedRun, formulaRows } from './rows.ts'
import { isKnown, ratesOf } from './theory.ts'

const ALPHABET = 2 ** 26
const BITS = 1e6
const SHARE_NOTE =
  'The text has about 8 % duplicates among 150 million elements of 26 bits. There are 60 %; 7 % is right for 10 million.'

export function byLength(figure: string, source: string, names: readonly Baseline[]): Experiment {
  return {
    name: `filters-figure-${figure.replace('.', '-')}`,
    title: 'Error of filters of 1 Mbit by length of the stream: how late each saturates',
    source,
    run({ scale, seed, progress }) {
      const shrink = scale === 'full' ? 1 : 512
      const all = [1e3, 1e4, 1e5, 1e6, 1e7, 5e7, 1e8, 1.5e8]
      const lengths = all.filter(length => length / shrink >= 190).map(length => Math.round(length / shrink))
      const bits = Math.round(BITS / shrink)
      const alphabet = ALPHABET / shrink
      const contenders = contendersOf(bits, names, shrink)
      const measured = measure({
        contenders,
        alphabet,
        length: lengths[lengths.length - 1]!,
        checkpoints: lengths,
        windows: [Number.POSITIVE_INFINITY],
        seed,
        progress: fraction => progress(fraction, 'streaming'),
      })
      const rows = lengths.flatMap(length =>
        contenders.flatMap(({ name }) => {
          const what = `${name}, ${(length * shrink).toLocaleString('en-US')} elements${dividedBy(shrink)}`
          const ours = measured.at(name, Number.POSITIVE_INFINITY, length)
          return isKnown(name)
            ? formulaRows(what, ours, ratesOf(name, bits, { alphabet, length }), lengths.length * 2)
            : [row(what, 100 * ours.error, null, null, '%')]
        }),
      )
      rows.push(duplicatesRow(measured.at('QHT'), alphabet, lengths[lengths.length - 1]!))
      const series: Series[] = contenders.map(({ name }) => ({
        name,
        points: lengths.map(
          length => [length * shrink, 100 * measured.at(name, Number.POSITIVE_INFINITY, length).error] as const,
        ),
      }))
      series.push(
        boundSeries(
          lengths.map(
            length => [length * shrink, thesisBound(bits, alphabet, Number.POSITIVE_INFINITY, length)] as const,
          ),
        ),
      )
      const picture = errorPicture(
        figure,
        ['error of filters of 1 Mbit by length of the stream', 'elements streamed'],
        series,
        shrink,
      )
      return { rows, pictures: [picture], notes: [BOUND_NOTE, SHARE_NOTE] }
    },
  }
}

/** How many of all elements are duplicates: 1 - |Γ|(1 - g^n)/n. */
function duplicatesRow(ours: Counts, alphabet: number, length: number): Row {
  const share = expectedRun(alphabet, length, length).duplicates / length
  const elements = ours.duplicates + ours.unseen
  const tolerance = rateTolerance(share, elements, CONFIDENCE)
  return row(
    'share of duplicates in the whole stream',
    (100 * ours.duplicates) / elements,
    100 * share,
    100 * tolerance,
    '%',
  )
}
