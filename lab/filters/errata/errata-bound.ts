// Erratum: theorem 3.4.2 says that no filter of M bits errs less than 1 - (1-g^M)/(1-g^n). Its proof lets a filter keep at
// most one element per bit. A filter need not keep elements: the sign counter goes below the bound. And for windows up
// to M the bound is void. So it is drawn as "the thesis's bound" and never as an impossible region.

import { thesisBound } from '../../../src/filters/index.ts'
import { lineChart } from '../../chart.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { normalQuantile } from '../../statistics.ts'
import { quotientHashTable } from '../contenders.ts'
import { type Contender, type Counts, measure, SEEDS } from '../measure.ts'
import { CONFIDENCE } from '../rows.ts'
import { SignCounter } from '../sign-counter.ts'

const BITS = 800
const CELL_BITS = 8
const ALPHABET = 2 ** 18
/** From this many elements per bit on, the sign counter must be seen below the bound. */
const SURE_FROM = 400

export const errataBound: Experiment = {
  name: 'errata-bound',
  title: 'A filter below the bound that no filter was to go below',
  source: 'THESIS theorem 3.4.2',
  run({ scale, seed, progress }) {
    const lengths = (scale === 'full' ? [10, 25, 50, 100, 200, 400, 800] : [25, 100, 400]).map(each => each * BITS)
    const rows: Row[] = []
    const sign: [number, number][] = []
    const table: [number, number][] = []
    for (const [index, length] of lengths.entries()) {
      progress(index / lengths.length, `${length} elements`)
      const sure = length >= SURE_FROM * BITS
      const counted = judge(COUNTER, length, seed, sure || scale === 'full' ? 16 * SEEDS : 2 * SEEDS)
      const bound = meanBound(length)
      const what = `sign counter, ${length.toLocaleString('en-US')} elements`
      if (sure) rows.push(belowRow(what, counted, bound))
      else rows.push(row(`${what} (the bound: ${(100 * bound).toFixed(2)})`, 100 * counted.error, null, null, '%'))
      sign.push([length, 100 * counted.error])
      table.push([length, 100 * judge(quotientHashTable(BITS), length, seed, SEEDS).error])
    }
    const svg = lineChart({
      title: 'Erratum: 800 bits against the thesis’s bound',
      x: { label: 'elements streamed', log: true },
      y: { label: 'FP + FN, times 100', min: 85, max: 101 },
      note: `Sign counter: ${2 * SEEDS} to ${16 * SEEDS} streams each; QHT: ${SEEDS}.`,
      series: [
        { name: 'sign counter', points: sign },
        { name: 'QHT', points: table },
        {
          name: 'the thesis’s bound',
          dashed: true,
          colour: 7,
          points: lengths.map(length => [length, 100 * meanBound(length)] as const),
        },
      ],
    })
    return {
      rows,
      pictures: [{ name: 'errata-bound.svg', svg }],
      notes: [
        'From 400 elements per bit on the expectation is the bound, and ours must lie below it, by more than chance allows. Before, nothing is judged.',
        'The sign counter is of no practical use: half of all new elements are called duplicates.',
      ],
    }
  },
}

/** Half a million coins of each kind: the bell curve, one-sided, since only "below" is claimed. */
function belowRow(what: string, counted: Counts, bound: number): Row {
  const doubt = (normalQuantile(CONFIDENCE) / 2) * Math.sqrt(1 / counted.unseen + 1 / counted.duplicates)
  return {
    what: `${what}: below the bound`,
    measured: 100 * counted.error,
    expected: 100 * bound,
    tolerance: 100 * doubt,
    unit: '%',
    within: counted.error + doubt < bound,
  }
}

const COUNTER = {
  name: 'sign counter',
  make: (key: Uint8Array) => new SignCounter({ bits: BITS, cellBits: CELL_BITS, key }),
}

/** The second half of the stream, where the filters are as full as they get. */
function judge(contender: Contender, length: number, seed: number, seeds: number): Counts {
  const course = { contenders: [contender], alphabet: ALPHABET, length, warm: length / 2, seed, seeds }
  return measure({ ...course, windows: [Number.POSITIVE_INFINITY] }).at(contender.name)
}

/** The bound at each position of that half, weighed as the false negatives are: by the chance of a duplicate there. */
function meanBound(length: number): number {
  let sum = 0
  let weight = 0
  for (let position = length / 2; position < length; position += Math.ceil(length / 2000)) {
    const duplicate = 1 - (1 - 1 / ALPHABET) ** position
    sum += duplicate * thesisBound(BITS, ALPHABET, Number.POSITIVE_INFINITY, position)
    weight += duplicate
  }
  return sum / weight
}
