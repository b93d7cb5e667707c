// THESIS figure 4.1: short hash filters by window. They miss nothing, and past some window everything is a duplicate.

import {
  CompactShortHashFilter,
  largestWindow,
  ShortHashFilter,
  type ShortHashForm,
  shortHashBits,
  shortHashRate,
  thesisLargestWindow,
  thesisShortHashFalsePositive,
} from '../../../src/filters/index.ts'
import { lineChart, type Series } from '../../chart.ts'
import { type Experiment, type Row, row } from '../../experiment.ts'
import { STREAMS_NOTE } from '../drawing.ts'
import { measure } from '../measure.ts'
import { formulaRows } from '../rows.ts'

const BITS = 100_000
const ALPHABET = 2 ** 18
const WINDOWS = [1000, 2000, 2500, 2800, 3000, 3500, 4000, 5000, 6000, 7000, 8000, 10_000]
const WINDOWS_SMALL = [1000, 2500, 2800, 3500, 5000, 7000, 8000]
const FORMS = ['SHF', 'CSHF'] as const

export const figure41: Experiment = {
  name: 'filters-figure-4-1',
  title: 'Short hash filters by window: nearly no error, then nearly nothing else',
  source: 'THESIS §4.3.2.3, theorem 4.3.3, figure 4.1',
  run({ scale, seed, progress }) {
    const rows: Row[] = []
    const series: Series[] = []
    for (const [index, form] of FORMS.entries()) {
      // The compact form reads its whole window for each element: a tenth of the thesis's stream takes minutes.
      const compact = form === 'CSHF'
      const counted = scale === 'full' ? (compact ? 1e5 : 1e6) : compact ? 2000 : 8_000
      const points: [number, number][] = []
      const windows = (scale === 'full' ? WINDOWS : WINDOWS_SMALL).filter(
        window => shortHashBits(form, BITS, window) >= 1,
      )
      for (const [place, window] of windows.entries()) {
        progress((index + place / windows.length) / 2, `${form}, w=${window}`)
        const contender = { name: form, make: (key: Uint8Array) => makeShortHash(form, window, key) }
        // Counting starts when the window is full (theorem 4.3.2).
        const course = { alphabet: ALPHABET, warm: window, length: window + counted, seed }
        const ours = measure({ ...course, contenders: [contender], windows: [window] }).at(form)
        const falsePositive = shortHashRate(form, BITS, { window, alphabet: ALPHABET })
        const [positives] = formulaRows(
          `${form}, w=${window}`,
          ours,
          { falsePositive, falseNegative: 0 },
          WINDOWS.length,
        )
        rows.push(positives!)
        rows.push(row(`${form}, w=${window}: false negatives`, ours.falseNegatives, 0, 0))
        points.push([window, 100 * ours.error])
      }
      series.push({ name: `${form}, measured`, points, line: false, colour: index })
      series.push({ name: `${form}, whole bits`, dashed: true, colour: index, points: curve(form, true) })
      series.push({ name: `${form}, theorem 4.3.3`, dashed: true, colour: index + 5, points: curve(form, false) })
    }
    const svg = lineChart({
      title: 'Figure 4.1: error of short hash filters of 100 kbit by window',
      x: { label: 'window w' },
      y: { label: 'FPR + FNR, times 100', min: 0, max: 100 },
      note: STREAMS_NOTE,
      series,
    })
    return { rows, pictures: [{ name: 'filters-figure-4-1.svg', svg }], notes: notes() }
  },
}

function makeShortHash(form: ShortHashForm, window: number, key: Uint8Array) {
  return form === 'SHF'
    ? new ShortHashFilter({ bits: BITS, window, key })
    : new CompactShortHashFilter({ bits: BITS, window, key })
}

function curve(form: ShortHashForm, whole: boolean): [number, number][] {
  return Array.from({ length: 100 }, (_, index) => {
    const window = (index + 1) * 100
    const rate = whole ? shortHashRate(form, BITS, { window }) : thesisShortHashFalsePositive(form, BITS, window)
    return [window, 100 * rate]
  })
}

function notes(): string[] {
  return FORMS.flatMap(form =>
    [1e3, 1e4, 1e5, 1e6].map(
      bits =>
        `w_max of the ${form} with ${bits} bits: ${largestWindow(form, bits)}, found numerically; ` +
        `the line of §4.3.2.3 says ${Math.round(thesisLargestWindow(form, bits))}.`,
    ),
  )
}
