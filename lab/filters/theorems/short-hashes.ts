// THESIS theorems 4.3.1 and 4.3.2, and the straight lines of §4.3.2.3. An exact window; one of hashes of 2 log2 w bits,
// which misses nothing and errs once in w; and the largest window for a memory, fitted over 200 memories.

import {
  CompactShortHashFilter,
  ExactWindow,
  exactWindowBits,
  largestWindow,
  ShortHashFilter,
  shortHashBits,
  thesisExactWindowBits,
  thesisLargestWindow,
  thesisShortHashFalsePositive,
} from '../../../src/filters/index.ts'
import { lineChart } from '../../chart.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { bonferroni, rateTolerance } from '../../statistics.ts'
import { type Counts, measure } from '../measure.ts'
import { CONFIDENCE } from '../rows.ts'

const ALPHABET = 2 ** 18
const WINDOWS = { small: [64, 256], full: [64, 256, 1024, 4096] }
const COUNTED = { small: 10_000, full: 300_000 }
const FORMS = ['CSHF', 'SHF'] as const
type Form = (typeof FORMS)[number]

/** As printed: slope, value at 0, and r². */
const LINES: Readonly<Record<Form, readonly [number, number, number]>> = {
  CSHF: [0.0627, 443, 0.9981],
  SHF: [0.0233, 186, 0.9977],
}
/** "About 200 different values": which ones is not said, and moves slope and constant by so much. */
const SLOPE = 0.01
const CONSTANT = 0.05
const POINTS = 200

export const shortHashTheorems: Experiment = {
  name: 'filters-theorem-4-3',
  title: 'Windows that miss nothing: exact, or by hashes of 2 log₂ w bits; and how large a window a memory holds.',
  source: 'THESIS §4.3, theorems 4.3.1, 4.3.2; §4.3.2.3',
  run({ scale, seed, progress }) {
    const rows: Row[] = []
    for (const [at, window] of WINDOWS[scale].entries()) {
      progress(at / WINDOWS[scale].length, `w = ${window}`)
      rows.push(...windowRows(window, COUNTED[scale], seed))
    }
    const fits = FORMS.map(form => ({ form, points: memories().map(bits => [bits, solved(form, bits)] as const) }))
    rows.push(...fits.flatMap(({ form, points }) => fitRows(form, points)))
    const svg = lineChart({
      title: 'The largest window by memory: solved, and the thesis’s lines',
      x: { label: 'M, bits', log: true },
      y: { label: 'w_max', log: true },
      note: 'Solved, not measured: no run, no chance.',
      series: fits.flatMap(({ form, points }, colour) => [
        { name: `${form}, solved`, points: points.filter((_, place) => place % 8 === 0), colour },
        {
          name: `${form}, line`,
          dashed: true,
          colour: colour + 4,
          points: points.map(([bits]) => [bits, thesisLargestWindow(form, bits)] as const),
        },
      ]),
    })
    return { rows, pictures: [{ name: 'filters-theorem-4-3.svg', svg }], notes: NOTES }
  },
}

function windowRows(window: number, counted: number, seed: number): Row[] {
  const hashBits = 2 * Math.log2(window)
  const compact = window * hashBits
  const constant = 5 * window * Math.log2(window)
  const contenders = [
    { name: 'exact', make: (key: Uint8Array) => new ExactWindow({ window, alphabet: ALPHABET, key }) },
    { name: 'CSHF', make: (key: Uint8Array) => new CompactShortHashFilter({ bits: compact, window, key }) },
    { name: 'SHF', make: (key: Uint8Array) => new ShortHashFilter({ bits: constant, window, key }) },
  ]
  const course = { alphabet: ALPHABET, warm: window, length: window + counted, seed }
  const measured = measure({ ...course, contenders, windows: [window] })
  const falsePositive = 1 - (1 - 1 / window ** 2) ** window
  const errors = ({ falsePositives, falseNegatives }: Counts) => falsePositives + falseNegatives
  const tolerance = (counts: Counts) => rateTolerance(falsePositive, counts.unseen, bonferroni(CONFIDENCE, 8))
  return [
    row(`w = ${window}, exact window: errors`, errors(measured.at('exact')), 0, 0),
    row(`w = ${window}: exact, bits that ours takes, of theorem 4.3.1’s`, ratio(window), null, null),
    ...FORMS.flatMap(form => {
      const ours = measured.at(form)
      const what = `w = ${window}, ${form} of ${form === 'SHF' ? '5' : '2'} w log₂ w bits`
      return [
        row(`${what}: bits of a hash`, shortHashBits(form, form === 'SHF' ? constant : compact, window), hashBits, 0),
        row(`${what}: missed`, ours.falseNegatives, 0, 0),
        row(`${what}: FPR, theorem 4.3.2`, ours.falsePositive, falsePositive, tolerance(ours)),
      ]
    }),
  ]
}

const ratio = (window: number) =>
  exactWindowBits(window, { alphabet: ALPHABET }) / thesisExactWindowBits(window, ALPHABET)

/** 10² to 10⁶ bits, evenly by their logarithm. */
function memories(): number[] {
  return Array.from({ length: POINTS }, (_, at) => 10 ** (2 + (4 * at) / (POINTS - 1)))
}

/** Theorem 4.3.3 as printed, solved for one half. */
function solved(form: Form, bits: number): number {
  let fits = 1
  let fails = bits
  for (let step = 0; step < 80; step++) {
    const middle = (fits + fails) / 2
    if (thesisShortHashFalsePositive(form, bits, middle) < 0.5) fits = middle
    else fails = middle
  }
  return fits
}

function fitRows(form: Form, points: readonly (readonly [number, number])[]): Row[] {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean(point => point[0]), mean(point => point[1])]
  const both = mean(point => (point[0] - x) * (point[1] - y))
  const own = mean(point => (point[0] - x) ** 2)
  const slope = both / own
  const squared = both ** 2 / (own * mean(point => (point[1] - y) ** 2))
  const [printedSlope, printedConstant, printedSquared] = LINES[form]
  const smallest = points[0]![0]
  const promised = thesisLargestWindow(form, smallest) / largestWindow(form, smallest)
  return [
    row(`${form}: w_max by M, slope`, slope, printedSlope, SLOPE * printedSlope),
    row(`${form}: w_max at M = 0`, y - slope * x, printedConstant, CONSTANT * printedConstant),
    row(`${form}: r²`, squared, printedSquared, 2e-4),
    {
      what: `${form}, 100 bits: window that the line promises, of the one that works: above`,
      measured: promised,
      expected: 20,
      tolerance: null,
      within: promised > 20,
    },
  ]
}

const NOTES = [
  'Slope, constant and r² are those of a least-squares line through 200 memories, evenly by their logarithm, as the thesis has it.',
  'A line through points that are even by their logarithm is a line through the largest: half of all weight lies above 3 · 10⁵ ' +
    'bits. r² is close to 1, and at 100 bits the line promises more than twenty times the window that works.',
]
