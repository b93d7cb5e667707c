// THESIS figures 3.3, 3.4, 3.5 and 4.2: filters by length of stream, by memory, by window, on uniform streams. The thesis
// prints no numbers with these figures; the quotient hash table and the SQF are held against the arithmetic, the
// others are drawn. Baselines in their right form. At small scale all sizes are divided by the same number.

import { thesisBound } from '../../src/filters/index.ts'
import { lineChart, type Series } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { rateTolerance } from '../statistics.ts'
import { BASELINES, type Baseline, baseline, quotientHashTable } from './contenders.ts'
import { type Contender, type Counts, type Measured, measure } from './measure.ts'
import { CONFIDENCE, expectedRun, formulaRow } from './rows.ts'
import { ratesOf } from './theory.ts'

const ALPHABET = 2 ** 26
const BITS = 1e6
const BOUND = 'the thesis’s bound'
const BOUND_NOTE = 'The dashed bound (theorem 3.4.2) is the thesis’s; it is no true bound, see errata-bound.'

const SHARE_NOTE =
  'The text has about 8 % duplicates among 150 million elements of 26 bits. There are 60 %; 7 % is right for 10 million.'

function contendersOf(bits: number, names: readonly Baseline[], shrink: number): readonly Contender[] {
  const window = Math.max(2, Math.round(6000 / shrink))
  return [quotientHashTable(bits), ...names.map(name => baseline(name, bits, { window }))]
}

const isKnown = (name: string): name is 'QHT' | 'SQF' => name === 'QHT' || name === 'SQF'

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

function byLength(figure: string, source: string, names: readonly Baseline[]): Experiment {
  return {
    name: `filters-figure-${figure.replace('.', '-')}`,
    title: 'Error of filters of 1 Mbit by length of the stream: how late each saturates',
    source,
    run({ scale, seed, progress }) {
      const shrink = scale === 'full' ? 1 : 512
      const all = [1e3, 1e4, 1e5, 1e6, 1e7, 5e7, 1e8, 1.5e8]
      const lengths = all.filter(length => length / shrink >= 1000).map(length => Math.round(length / shrink))
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
        contenders.map(({ name }) => {
          const what = `${name}, ${(length * shrink).toLocaleString('en-US')} elements`
          const ours = measured.at(name, Number.POSITIVE_INFINITY, length)
          return isKnown(name)
            ? formulaRow(what, ours, ratesOf(name, bits, { alphabet, length }), lengths.length * 2)
            : row(what, 100 * ours.error, null, null, '%')
        }),
      )
      rows.push(duplicatesRow(measured.at('QHT'), alphabet, lengths[lengths.length - 1]!))
      const series: Series[] = contenders.map(({ name }) => ({
        name,
        points: lengths.map(
          length => [length * shrink, 100 * measured.at(name, Number.POSITIVE_INFINITY, length).error] as const,
        ),
      }))
      series.push({
        name: BOUND,
        dashed: true,
        colour: 7,
        points: lengths.map(
          length => [length * shrink, 100 * thesisBound(bits, alphabet, Number.POSITIVE_INFINITY, length)] as const,
        ),
      })
      const svg = lineChart({
        title: `Figure ${figure}: error of filters of 1 Mbit by length of the stream`,
        x: { label: 'elements streamed', log: true },
        y: { label: 'FPR + FNR, times 100', min: 0, max: 100 },
        series,
      })
      return {
        rows,
        pictures: [{ name: `filters-figure-${figure.replace('.', '-')}.svg`, svg }],
        notes: [BOUND_NOTE, SHARE_NOTE],
      }
    },
  }
}

export const figure33 = byLength('3.3', 'THESIS §3.8.4, figure 3.3 (artificial stream)', BASELINES)
export const figure42 = byLength('4.2', 'THESIS §4.4.1, figure 4.2', ['SQF', 'Cuckoo', 'SBF'])

export const figure34: Experiment = {
  name: 'filters-figure-3-4',
  title: 'Error of filters by memory, on a stream of ten million elements',
  source: 'THESIS §3.8.5, figure 3.4 (artificial stream)',
  run({ scale, seed, progress }) {
    const shrink = scale === 'full' ? 1 : 256
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
        const what = `${name}, ${memory / 1000} kbit`
        points.get(name)!.push([memory, 100 * ours.error])
        rows.push(
          isKnown(name)
            ? formulaRow(what, ours, ratesOf(name, bits, { alphabet, length }), memories.length * 2)
            : row(what, 100 * ours.error, null, null, '%'),
        )
      }
    }
    const series: Series[] = names.map(name => ({ name, points: points.get(name)! }))
    series.push({
      name: BOUND,
      dashed: true,
      colour: 7,
      points: memories.map(
        memory => [memory, 100 * thesisBound(memory / shrink, alphabet, Number.POSITIVE_INFINITY, length)] as const,
      ),
    })
    const svg = lineChart({
      title: 'Figure 3.4: error of filters by memory, 10 million elements',
      x: { label: 'memory in bits', log: true },
      y: { label: 'FPR + FNR, times 100', min: 0, max: 100 },
      series,
    })
    return { rows, pictures: [{ name: 'filters-figure-3-4.svg', svg }], notes: [BOUND_NOTE] }
  },
}

export const figure35: Experiment = {
  name: 'filters-figure-3-5',
  title: 'Error of filters of 1 Mbit by window, on a stream of 150 million elements',
  source: 'THESIS §3.8.6, figure 3.5 (artificial stream)',
  run(options) {
    const shrink = options.scale === 'full' ? 1 : 512
    const bits = Math.round(BITS / shrink)
    const alphabet = ALPHABET / shrink
    const length = Math.round(1.5e8 / shrink)
    const windows = [100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8].filter(window => window / shrink >= 15)
    const contenders = [...contendersOf(bits, BASELINES, shrink), quotientHashTable(bits, 8, 'QHT8')]
    const measured = windowRun(
      options,
      contenders,
      windows.map(window => Math.round(window / shrink)),
      alphabet,
      length,
    )
    const rows: Row[] = []
    for (const wide of windows) {
      const window = Math.round(wide / shrink)
      for (const { name } of contenders) {
        const ours = measured.at(name, window)
        const what = `${name}, w=${wide.toLocaleString('en-US')}`
        rows.push(
          isKnown(name)
            ? formulaRow(what, ours, ratesOf(name, bits, { alphabet, length, window }), windows.length * 2)
            : row(what, 100 * ours.error, null, null, '%'),
        )
      }
    }
    const series: Series[] = contenders.map(({ name }) => ({
      name,
      points: windows.map(wide => [wide, 100 * measured.at(name, Math.round(wide / shrink)).error] as const),
    }))
    series.push({
      name: BOUND,
      dashed: true,
      colour: 7,
      points: windows.map(wide => [wide, 100 * thesisBound(bits, alphabet, wide / shrink, length)] as const),
    })
    const svg = lineChart({
      title: 'Figure 3.5: error of filters of 1 Mbit by window',
      x: { label: 'window w', log: true },
      y: { label: 'FPR + FNR, times 100', min: 0, max: 100 },
      series,
    })
    return { rows, pictures: [{ name: 'filters-figure-3-5.svg', svg }], notes: [BOUND_NOTE] }
  },
}

function windowRun(
  { seed, progress }: RunOptions,
  contenders: readonly Contender[],
  windows: readonly number[],
  alphabet: number,
  length: number,
): Measured {
  return measure({ contenders, alphabet, length, windows, seed, progress: part => progress(part, 'streaming') })
}
