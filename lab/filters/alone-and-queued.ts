// THESIS figures 4.7 and 4.8: a filter alone and in a queue with the best number of subfilters, by window. QHT and SQF are
// held against the corrected arithmetic; of the others it is judged who is better, alone or in a queue.

import { optimalSubfilters } from '../../src/filters/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { errorPicture } from './drawing.ts'
import { type Queueable, queued, steady, turnover } from './queued.ts'
import { beatsRow, formulaRows } from './rows.ts'
import { isKnown, queuedRatesOf, ratesOf } from './theory.ts'

const BITS = 100_000
const ALPHABET = 2 ** 18

/** Where no arithmetic is at hand: windows at which the figure shows who is better. */
const QUEUE_WINS: Readonly<Partial<Record<Queueable, readonly number[]>>> = { Cuckoo: [1e3, 1e4] }
const ALONE_WINS: Readonly<Partial<Record<Queueable, readonly number[]>>> = { SBF: [1e4] }

/**
 * Elements that are counted. Without arithmetic two measurements are held against each other, which takes more of them;
 * and alone an SBF leads by three points only, which 30,000 elements do not tell from chance.
 */
function countedOf(name: Queueable, window: number, scale: RunOptions['scale']): number {
  if (scale === 'full') return 1e6
  if (isKnown(name)) return 12_000
  return ALONE_WINS[name]?.includes(window) ? 400_000 : 30_000
}

export function aloneAndQueued(figure: string, names: readonly Queueable[]): Experiment {
  return {
    name: `filters-figure-${figure.replace('.', '-')}`,
    title: `${names.join(' and ')}, alone and queued: the queue wins for windows that fit, and loses beyond`,
    source: `THESIS §4.6.3, figure ${figure}`,
    run(options) {
      return runBoth(figure, names, options)
    },
  }
}

function runBoth(figure: string, names: readonly Queueable[], { scale, seed, progress }: RunOptions) {
  const windows = scale === 'full' ? [1e3, 3e3, 1e4, 3e4, 1e5, 3e5] : [1e3, 1e4, 5e4]
  const rows: Row[] = []
  const alone = new Map<string, [number, number][]>()
  for (const [index, window] of windows.entries()) {
    progress(index / windows.length, `w=${window}`)
    // The best L for QHTs serves all: §4.6.2 finds it by experiment, and it hardly depends on the subfilter.
    const memory = { bits: BITS, fingerprintBits: 3, window, alphabet: ALPHABET, subfiltersMax: 40 }
    const queue = { bits: BITS, subfilters: optimalSubfilters(memory).subfilters, window }
    const stream = { alphabet: ALPHABET, window }
    for (const name of names) {
      const run = turnover(queue, countedOf(name, window, scale))
      const single = queued(name, { bits: BITS, subfilters: 1, window: 2 ** 30 }, name)
      const fill = 3 * BITS
      const plain = steady(single, { ...stream, warm: run.warm + fill, length: run.length + fill }, seed)
      const inQueue = steady(queued(name, queue), { ...stream, ...run }, seed)
      alone.set(name, [...(alone.get(name) ?? []), [window, 100 * plain.error]])
      const label = `queue of ${name}`
      alone.set(label, [...(alone.get(label) ?? []), [window, 100 * inQueue.error]])
      const what = `${name}, w=${window}`
      const total = 4 * windows.length
      if (isKnown(name)) {
        rows.push(...formulaRows(what, plain, ratesOf(name, BITS, { alphabet: ALPHABET, window }), total))
        const theory = queuedRatesOf(name, { ...queue, alphabet: ALPHABET })
        rows.push(...formulaRows(`queue of ${queue.subfilters} ${what}`, inQueue, theory, total))
      } else {
        rows.push(row(what, 100 * plain.error, null, null, '%'))
        rows.push(row(`queue of ${queue.subfilters} ${what}`, 100 * inQueue.error, null, null, '%'))
        if (QUEUE_WINS[name]?.includes(window))
          rows.push(beatsRow(`queue of ${what}, against it alone`, inQueue, plain))
        if (ALONE_WINS[name]?.includes(window)) rows.push(beatsRow(`${what}, against a queue of it`, plain, inQueue))
      }
    }
  }
  const series = [...alone].map(([name, points]) => ({ name, points }))
  return { rows, pictures: [errorPicture(figure, ['alone and queued, 100 kbit', 'window w'], series)], notes: [] }
}
