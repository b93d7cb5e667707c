// THESIS figure 4.3 has A2 "changing subfilter every w/2 insertions": two Bloom filters in turn. What that does by itself,
// whatever the memory: an element is remembered for between w/2 and w insertions, so that of the duplicates in the window,
// whose gaps are even, one in four is missed.

import { A2, Bloom, QueueOf, type Share } from '../../../src/filters/index.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { bonferroni, rateTolerance } from '../../statistics.ts'
import { type Contender, measure } from '../measure.ts'
import { CONFIDENCE } from '../rows.ts'

const ALPHABET = 2 ** 14
const WINDOWS = { small: [400, 1_000], full: [400, 1_000, 4_000] }
const COUNTED = { small: 25_000, full: 1_000_000 }
/** Bits for each element of the window: with 40 a false positive is rarer than one in ten thousand. */
const RARE = 1e-4
const AMPLE = 40
const TIGHT = 4

function halves(name: string, bits: number, window: number): Contender {
  const of = (share: Share) => new Bloom({ ...share, hashes: Bloom.bestHashes(share.bits, window / 2) })
  return { name, make: key => new QueueOf({ bits, window, subfilters: 2, of, key }) }
}

export const twoBuffers: Experiment = {
  name: 'filters-two-buffers',
  title: 'Two buffers that change every w/2 insertions miss a quarter of the duplicates, whatever their memory.',
  source: 'THESIS §4.4.2, figure 4.3; §4.5.1',
  run({ scale, seed, progress }) {
    const rows: Row[] = []
    const windows = WINDOWS[scale]
    for (const [at, window] of windows.entries()) {
      progress(at / windows.length, `w = ${window}`)
      const contenders = [
        halves('ample', AMPLE * window, window),
        halves('tight', TIGHT * window, window),
        { name: 'A2', make: (key: Uint8Array) => new A2({ bits: TIGHT * window, falsePositiveRate: 0.1, key }) },
      ]
      const course = { alphabet: ALPHABET, warm: 4 * window, length: 4 * window + COUNTED[scale], seed }
      const measured = measure({ ...course, contenders, windows: [window] })
      const ample = measured.at('ample')
      const missed = missedShare(window)
      const tolerance = rateTolerance(missed, ample.duplicates, bonferroni(CONFIDENCE, 2 * windows.length))
      const what = `w = ${window}, changed every w/2`
      rows.push(
        row(`${what}, ${AMPLE} bits an element: missed`, ample.falseNegative, missed, tolerance, 'of duplicates'),
      )
      rows.push(row(`${what}, ${AMPLE} bits an element: FPR`, ample.falsePositive, 0, RARE, 'of the others'))
      for (const name of ['tight', 'A2'] as const) {
        const { falsePositive, falseNegative } = measured.at(name)
        const label = name === 'A2' ? `w = ${window}, A2 changed when it is full` : what
        rows.push(row(`${label}, ${TIGHT} bits an element: missed`, falseNegative, null, null, 'of duplicates'))
        rows.push(row(`${label}, ${TIGHT} bits an element: FPR`, falsePositive, null, null, 'of the others'))
      }
    }
    return { rows, pictures: [], notes: NOTES }
  },
}

/**
 * A duplicate whose last occurrence was g elements ago is missed where the younger buffer has taken fewer than g - c
 * elements, c = w/2: evenly many from 0 to c. Gaps of a uniform stream are geometric.
 */
function missedShare(window: number): number {
  const half = window / 2
  const again = 1 - 1 / ALPHABET
  let weight = 0
  let missed = 0
  for (let gap = 1; gap <= window; gap++) {
    const chance = again ** gap
    weight += chance
    if (gap > half) missed += chance * Math.min(1, (gap - half) / half)
  }
  return missed / weight
}

const NOTES = [
  'The first rows have memory to spare: what is missed is missed because its buffer is gone. A2 proper changes buffers when one ' +
    'is full, and its window follows from its memory, not the reverse.',
]
