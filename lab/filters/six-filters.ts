// THESIS tables 3.4 and 3.5, artificial streams: all filters on an infinite window, with the thesis's parameters and in
// the form that it published (its flaws included, or its numbers could not come out; errata-baselines shows the flaws).
// At small scale memory, alphabet and stream are divided by 1,024: the rates depend on their ratios.

import { type Result, type Row, type RunOptions, row } from '../experiment.ts'
import { BASELINES, baseline, quotientHashTable } from './contenders.ts'
import { type Counts, measure } from './measure.ts'
import { dividedBy, expectedRun, formulaRows, printedRow } from './rows.ts'
import { ratesOf } from './theory.ts'

const LENGTH = 150e6
const THEIR_RUNS = 5
const NAMES = ['SQF', 'QHT', 'Cuckoo', 'SBF', 'A2', 'b_DBF'] as const

interface Line {
  readonly alphabet: number
  readonly bits: number
  readonly falsePositive: readonly number[]
  readonly falseNegative: readonly number[]
  readonly error: readonly number[]
  readonly small?: boolean
}

const A = 2 ** 24
const B = 2 ** 27
// biome-ignore format: a table
const PRINTED: readonly Line[] = [
  { alphabet: A, bits: 8e6, small: true, falsePositive: [21.87, 12.02, 27.8, 25.94, 35.22, 0], falseNegative: [64.62, 70.74, 69.14, 71.85, 52.84, 99.96], error: [86.49, 82.76, 96.94, 97.79, 88.06, 99.96] },
  { alphabet: A, bits: 1e6, small: true, falsePositive: [24.6, 14.0, 28.41, 26.43, 37.72, 0.17], falseNegative: [73.67, 83.8, 71.19, 73.3, 60.77, 99.79], error: [98.27, 97.8, 99.6, 99.74, 98.49, 99.96] },
  { alphabet: A, bits: 1e5, falsePositive: [24.94, 14.26, 28.52, 26.49, 38.0, 27.46], falseNegative: [74.84, 85.53, 71.44, 73.49, 61.83, 72.51], error: [99.78, 99.79, 99.96, 99.98, 99.84, 99.96] },
  { alphabet: A, bits: 1e4, falsePositive: [24.98, 14.28, 28.55, 26.5, 38.03, 99.67], falseNegative: [74.99, 85.69, 71.47, 73.5, 61.97, 0.31], error: [99.97, 99.97, 100.02, 99.99, 100.0, 99.98] },
  { alphabet: B, bits: 8e6, small: true, falsePositive: [24.42, 13.86, 28.39, 26.4, 37.54, 0], falseNegative: [72.09, 81.52, 70.82, 73.0, 59.32, 99.99], error: [96.51, 95.37, 99.21, 99.4, 96.86, 99.99] },
  { alphabet: B, bits: 1e6, falsePositive: [24.92, 14.24, 28.5, 26.47, 38.0, 0.17], falseNegative: [74.64, 85.18, 71.41, 73.44, 61.6, 99.82], error: [99.56, 99.42, 99.91, 99.91, 99.6, 99.99] },
  { alphabet: B, bits: 1e5, falsePositive: [24.99, 14.29, 28.51, 26.49, 38.05, 27.46], falseNegative: [74.96, 85.66, 71.49, 73.5, 61.91, 72.52], error: [99.94, 99.95, 100.0, 99.99, 99.96, 99.98] },
  { alphabet: B, bits: 1e4, falsePositive: [25.0, 14.28, 28.52, 26.49, 38.02, 99.69], falseNegative: [74.99, 85.72, 71.49, 73.51, 61.97, 0.31], error: [100.0, 100.0, 100.0, 100.0, 99.99, 100.0] },
]

/** b_DBF's clock counts blocks of its window, and a window divided to six elements has no blocks to speak of. */
const measurable = (name: string, scale: RunOptions['scale']) => name !== 'b_DBF' || scale === 'full'

const shrinkOf = (scale: RunOptions['scale']) => (scale === 'full' ? 1 : 1024)

interface Done {
  readonly line: Line
  readonly counts: readonly Counts[]
}

/** Both tables show one run; the second to ask gets what the first measured. */
const remembered = new Map<string, readonly Done[]>()

function runLines({ scale, seed, progress }: RunOptions): readonly Done[] {
  const id = `${scale} ${seed}`
  const known = remembered.get(id)
  if (known !== undefined) return known
  const shrink = shrinkOf(scale)
  const names = BASELINES.filter(name => measurable(name, scale))
  const lines = PRINTED.filter(line => scale === 'full' || line.small)
  const done = lines.map((line, index) => {
    const bits = Math.round(line.bits / shrink)
    const window = Math.max(2, Math.round(6000 / shrink))
    const baselines = names.map(name => baseline(name, bits, { form: 'as published', window }))
    const measured = measure({
      contenders: [quotientHashTable(bits), ...baselines],
      alphabet: line.alphabet / shrink,
      length: Math.round(LENGTH / shrink),
      windows: [Number.POSITIVE_INFINITY],
      seed: seed + 10 * index,
      progress: fraction => progress((index + fraction) / lines.length, `${line.bits} bits`),
    })
    return { line, counts: NAMES.filter(name => measurable(name, scale)).map(name => measured.at(name)) }
  })
  remembered.set(id, done)
  return done
}

type Kind = 'falsePositive' | 'falseNegative' | 'error'

function rowsOf(done: readonly Done[], kinds: readonly Kind[], scale: RunOptions['scale']): Row[] {
  const rows: Row[] = []
  const total = done.length * NAMES.length * kinds.length
  for (const { line, counts } of done) {
    const theirs = expectedRun(line.alphabet, LENGTH, LENGTH, THEIR_RUNS)
    for (const [index, name] of NAMES.entries()) {
      if (!measurable(name, scale)) continue
      for (const kind of kinds) {
        const short = { falsePositive: 'FPR', falseNegative: 'FNR', error: 'FPR + FNR' }[kind]
        const what = `|Γ|=2^${Math.log2(line.alphabet)}, ${line.bits / 1000} kbit${dividedBy(shrinkOf(scale))}, ${name}: ${short}`
        const [ours, printed] = [counts[index]!, line[kind][index]!]
        // The thesis does not say how it sets up b_DBF; ours has its numbers at 1 Mbit, and others elsewhere.
        const unknown = name === 'b_DBF' && line.bits !== 1e6
        rows.push(
          unknown
            ? row(`${what} (thesis ${printed})`, 100 * ours[kind], null, null, '%')
            : printedRow(what, ours, { printed, run: theirs, rows: total }, kind),
        )
      }
    }
  }
  return rows
}

export function sixFilters(options: RunOptions, kinds: readonly Kind[]): Result {
  const done = runLines(options)
  const rows = rowsOf(done, kinds, options.scale)
  if (kinds.includes('error')) rows.push(...arithmeticRows(done, options.scale))
  const notes = [
    'Cuckoo, SBF, A2 and SQF are run as published; see errata-baselines for what they do when they are right.',
    'The real stream of the thesis is not available.',
  ]
  if (options.scale === 'small') {
    if (kinds.includes('falsePositive')) rows.push(decayingAtItsSize(options.seed))
    notes.push('Divided by 1,024, but for b_DBF, whose window would have six elements: its own size, a shorter stream.')
  }
  return { rows, pictures: [], notes }
}

/** A sum near 100 says little of a full filter: the table's two rates apart, beside the arithmetic. */
function arithmeticRows(done: readonly Done[], scale: RunOptions['scale']): readonly Row[] {
  const shrink = shrinkOf(scale)
  const place = NAMES.filter(name => measurable(name, scale)).indexOf('QHT')
  return done.flatMap(({ line, counts }) => {
    const stream = { alphabet: line.alphabet / shrink, length: Math.round(LENGTH / shrink) }
    const theory = ratesOf('QHT', Math.round(line.bits / shrink), stream)
    const what = `|Γ|=2^${Math.log2(line.alphabet)}, ${line.bits / 1000} kbit${dividedBy(shrink)}, QHT, arithmetic`
    return formulaRows(what, counts[place]!, theory, done.length)
  })
}

/** b_DBF forgets after its window, so that its false positives do not depend on the length of the stream. */
function decayingAtItsSize(seed: number): Row {
  const contenders = [baseline('b_DBF', 1e6, { form: 'as published' })]
  const measured = measure({ contenders, alphabet: A, length: 300_000, windows: [Number.POSITIVE_INFINITY], seed })
  const theirs = expectedRun(A, LENGTH, LENGTH, THEIR_RUNS)
  return printedRow(
    '1000 kbit, b_DBF at its own size: FPR',
    measured.at('b_DBF'),
    { printed: 0.17, run: theirs, rows: 1 },
    'falsePositive',
  )
}
