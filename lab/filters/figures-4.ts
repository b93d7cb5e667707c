// THESIS figures 4.3, 4.5, 4.6, 4.7, 4.8: windowed filters and queues of filters by window and number of subfilters. The
// thesis prints no numbers with them; QHT and SQF, alone and queued, are held against the arithmetic (the corrected one:
// theorems 4.5.2 and 4.5.4 are far off, see errata-queue-fn), the others are drawn.

import { BlockDecayingBloom, optimalSubfilters } from '../../src/filters/index.ts'
import { lineChart, type Series } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { baseline, quotientHashTable } from './contenders.ts'
import { type Contender, type Counts, measure } from './measure.ts'
import { QUEUEABLES, type Queueable, queued, turnover } from './queued.ts'
import { formulaRow } from './rows.ts'
import { queuedRatesOf, ratesOf } from './theory.ts'

const BITS = 100_000
const ALPHABET = 2 ** 18
const SUBFILTERS = 10

const isKnown = (name: Queueable): name is 'QHT' | 'SQF' => name === 'QHT' || name === 'SQF'

/** One contender, one window, after a warm-up that leaves only the steady state. */
function steady(contender: Contender, window: number, run: { warm: number; length: number }, seed: number): Counts {
  return measure({ contenders: [contender], alphabet: ALPHABET, windows: [window], seed, ...run }).at(contender.name)
}

function chart(figure: string, title: string, x: string, series: readonly Series[]) {
  const svg = lineChart({
    title: `Figure ${figure}: ${title}`,
    x: { label: x, log: true },
    y: { label: 'FPR + FNR, times 100', min: 0, max: 100 },
    series,
  })
  return { name: `filters-figure-${figure.replace('.', '-')}.svg`, svg }
}

export const figure43: Experiment = {
  name: 'filters-figure-4-3',
  title: 'A table that knows no window beside two filters made for windows',
  source: 'THESIS §4.4.2, figure 4.3',
  run({ scale, seed, progress }) {
    const windows = scale === 'full' ? [500, 1e3, 2e3, 3e3, 6e3, 1e4, 3e4, 1e5] : [1e3, 3e3, 1e4]
    const counted = scale === 'full' ? 1e7 : 60_000
    const rows: Row[] = []
    const points = new Map<string, [number, number][]>()
    for (const [index, window] of windows.entries()) {
      progress(index / windows.length, `w=${window}`)
      const contenders = [
        quotientHashTable(BITS),
        baseline('A2', BITS),
        { name: 'b_DBF', make: (key: Uint8Array) => new BlockDecayingBloom({ bits: BITS, window, key }) },
      ]
      const run = { warm: 2 * window + BITS, length: 2 * window + BITS + counted }
      const measured = measure({ contenders, alphabet: ALPHABET, windows: [window], seed, ...run })
      for (const { name } of contenders) {
        const ours = measured.at(name)
        points.set(name, [...(points.get(name) ?? []), [window, 100 * ours.error]])
        const what = `${name}, w=${window}`
        rows.push(
          name === 'QHT'
            ? formulaRow(what, ours, ratesOf('QHT', BITS, { alphabet: ALPHABET, window }), windows.length)
            : row(what, 100 * ours.error, null, null, '%'),
        )
      }
    }
    const series = [...points].map(([name, line]) => ({ name, points: line }))
    const notes = [
      'A2 is set up for a false-positive rate of 0.1; the thesis turns its buffers every w/2 elements instead.',
      'b_DBF is rebuilt for each window. The thesis’s could not go beyond w = 6,000 with this memory.',
    ]
    return { rows, pictures: [chart('4.3', 'error by window, 100 kbit', 'window w', series)], notes }
  },
}

export const figure45: Experiment = {
  name: 'filters-figure-4-5',
  title: 'Queues of ten subfilters by window',
  source: 'THESIS §4.6.1, figure 4.5',
  run({ scale, seed, progress }) {
    const windows = scale === 'full' ? [1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6] : [1e3, 1e4, 3e4]
    const counted = scale === 'full' ? 1e7 : 30_000
    const rows: Row[] = []
    const series: Series[] = []
    for (const [index, name] of QUEUEABLES.entries()) {
      const points: [number, number][] = []
      for (const window of windows) {
        progress(index / QUEUEABLES.length, `queue of ${name}, w=${window}`)
        const queue = { bits: BITS, subfilters: SUBFILTERS, window }
        const ours = steady(queued(name, queue), window, turnover(queue, counted), seed)
        points.push([window, 100 * ours.error])
        const what = `queue of ${name}, w=${window}`
        rows.push(
          isKnown(name)
            ? formulaRow(what, ours, queuedRatesOf(name, { ...queue, alphabet: ALPHABET }), 2 * windows.length)
            : row(what, 100 * ours.error, null, null, '%'),
        )
      }
      series.push({ name: `queue of ${name}`, points })
    }
    const notes = ['The steady state is shown: without the drop near w = stream that §4.6.4 calls an artefact.']
    return { rows, pictures: [chart('4.5', 'queues of ten by window, 100 kbit', 'window w', series)], notes }
  },
}

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
        const ours = steady(queued('QHT', queue), window, turnover(queue, counted), seed)
        const theory = queuedRatesOf('QHT', { ...queue, alphabet: ALPHABET })
        rows.push(formulaRow(`w=${window}, L=${subfilters}`, ours, theory, windows.length * numbers.length))
        return [subfilters, 100 * ours.error]
      })
      series.push({ name: `w = ${window.toLocaleString('en-US')}`, points })
      const best = optimalSubfilters({ bits: BITS, fingerprintBits: 3, window, alphabet: ALPHABET, subfiltersMax: 40 })
      notes.push(`w = ${window}: the arithmetic finds L = ${best.subfilters} best.`)
    }
    notes.push('The caption has |Γ| = 2^18 and 10^6 elements, the text 2^16 and 10^5; this is the caption’s.')
    const pictures = [chart('4.6', 'queue of QHTs by number of subfilters', 'subfilters L', series)]
    return { rows, pictures, notes }
  },
}

function plainBesideQueued(figure: string, names: readonly Queueable[]): Experiment {
  return {
    name: `filters-figure-${figure.replace('.', '-')}`,
    title: `${names.join(' and ')}, alone and queued: the queue wins for windows that fit, and loses beyond`,
    source: `THESIS §4.6.3, figure ${figure}`,
    run(options) {
      return runPlainBesideQueued(figure, names, options)
    },
  }
}

function runPlainBesideQueued(figure: string, names: readonly Queueable[], { scale, seed, progress }: RunOptions) {
  const windows = scale === 'full' ? [1e3, 3e3, 1e4, 3e4, 1e5, 3e5] : [1e3, 1e4, 5e4]
  const counted = scale === 'full' ? 1e6 : 30_000
  const rows: Row[] = []
  const alone = new Map<string, [number, number][]>()
  for (const [index, window] of windows.entries()) {
    progress(index / windows.length, `w=${window}`)
    // The best L for QHTs serves all: §4.6.2 finds it by experiment, and it hardly depends on the subfilter.
    const memory = { bits: BITS, fingerprintBits: 3, window, alphabet: ALPHABET, subfiltersMax: 40 }
    const queue = { bits: BITS, subfilters: optimalSubfilters(memory).subfilters, window }
    const run = turnover(queue, counted)
    for (const name of names) {
      const single = queued(name, { bits: BITS, subfilters: 1, window: 2 ** 30 }, name)
      const plain = steady(single, window, { warm: run.warm + BITS, length: run.length + BITS }, seed)
      const inQueue = steady(queued(name, queue), window, run, seed)
      alone.set(name, [...(alone.get(name) ?? []), [window, 100 * plain.error]])
      const label = `queue of ${name}`
      alone.set(label, [...(alone.get(label) ?? []), [window, 100 * inQueue.error]])
      const what = `${name}, w=${window}`
      const total = 4 * windows.length
      if (isKnown(name)) {
        rows.push(formulaRow(what, plain, ratesOf(name, BITS, { alphabet: ALPHABET, window }), total))
        const theory = queuedRatesOf(name, { ...queue, alphabet: ALPHABET })
        rows.push(formulaRow(`queue of ${queue.subfilters} ${what}`, inQueue, theory, total))
      } else {
        rows.push(row(what, 100 * plain.error, null, null, '%'))
        rows.push(row(`queue of ${queue.subfilters} ${what}`, 100 * inQueue.error, null, null, '%'))
      }
    }
  }
  const series = [...alone].map(([name, points]) => ({ name, points }))
  return { rows, pictures: [chart(figure, 'alone and queued, 100 kbit', 'window w', series)], notes: [] }
}

export const figure47 = plainBesideQueued('4.7', ['QHT', 'SQF'])
export const figure48 = plainBesideQueued('4.8', ['Cuckoo', 'SBF'])
