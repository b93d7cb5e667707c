// BACKOFF §5 on the lock as printed: late answers disregarded, the delayed reply list, a Δ of each client's own, and a
// backoff that widens by a power instead of doubling.

import { printedScenario } from '../../src/papers/lock/index.ts'
import { runOnce } from '../../src/simulator/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { meanTolerance, summarise } from '../statistics.ts'
import { type Contention, contend, EXACT_DELAY, SETTINGS } from './contention.ts'

const LATE_RUNS = { small: 80, full: 1_000 }
const RUNS = { small: 20, full: 300 }
const CROWDS = { small: [4, 16], full: [2, 4, 8, 16, 32] }
const { hold: DELTA, delayMax: DELAY } = SETTINGS
/** A Δ that is ten times the one of the settings, and one that is a tenth. */
const LONG = 10 * DELTA
const SHORT = DELTA / 10
const CONFIDENCE = 0.999
/** Mean response over Δt; figure 1 itself has about 1 (`backoff-response`). */
const RESPONSE_MAX = 2

export const improvementsExperiment: Experiment = {
  name: 'backoff-improvements',
  title: 'The four improvements of §5 on the lock as printed: what each promises, and what it does.',
  source: 'BACKOFF §5',
  run(options: RunOptions) {
    const { scale, progress } = options
    const crowds = new Map(CROWDS[scale].map(clients => [clients, crowdsOf(clients, options)]))
    progress(0.4, 'late answers')
    const rows = [
      ...lateRows(options),
      ...listRows(crowds, options),
      ...parameterRows(options),
      ...[...crowds].flatMap(([clients, by]) => responseRows(clients, by)),
    ]
    const svg = lineChart({
      title: `Mean response of the printed lock, ${RUNS[scale]} runs each`,
      x: { label: 't clients at once' },
      y: { label: 'mean response / Δt', min: 0 },
      note: `Means of ${RUNS[scale]} runs.`,
      series: WAYS.map(name => ({
        name,
        points: [...crowds].map(([clients, by]) => [clients, meanOf(by[name]) / (DELTA * clients)] as const),
      })),
    })
    return { rows, pictures: [{ name: 'backoff-improvements.svg', svg }], notes: NOTES }
  },
}

const WAYS = ['exponential', 'polynomial', 'list as printed', 'list of fresh answers'] as const
type Crowds = Readonly<Record<(typeof WAYS)[number], readonly Contention[]>>

function crowdsOf(clients: number, { scale, seed }: RunOptions): Crowds {
  const runs = (settings: Parameters<typeof contend>[3]) =>
    Array.from({ length: RUNS[scale] }, (_, run) => contend(clients, seed * 1_000 + run, undefined, settings))
  return {
    exponential: runs({}),
    polynomial: runs({ settings: { backoff: 'polynomial' } }),
    'list as printed': runs({ settings: { delaysReplies: 'as printed' } }),
    'list of fresh answers': runs({ settings: { delaysReplies: 'fresh' } }),
  }
}

const meanOf = (runs: readonly Contention[]) => summarise(runs.map(({ mean }) => mean)).mean
const violationsOf = (runs: readonly Contention[]) => runs.reduce((sum, { violations }) => sum + violations, 0)

/** "Safe even during instability periods if clients disregard those replies that arrive after 2δ." */
function lateRows({ scale, seed }: RunOptions): Row[] {
  const runs = LATE_RUNS[scale]
  const broken = (disregardsLate: boolean) => {
    const scenario = printedScenario({ servers: 6, liars: 1, late: true, additions: { disregardsLate } })
    let found = 0
    for (let run = 0; run < runs; run++) {
      const { violations } = runOnce(scenario, seed * 10_000 + run)
      if (violations.some(({ what }) => what.includes('is held by'))) found++
    }
    return found
  }
  const taken = broken(false)
  return [
    row('messages late, late answers taken: two holders found (1 = yes)', taken > 0 ? 1 : 0, 1, 0),
    row('messages late, late answers taken: runs with two holders', taken, null, null, `of ${runs}`),
    row('messages late, answers after 2δ disregarded: runs with two holders', broken(true), 0, 0, `of ${runs}`),
  ]
}

/** "This optimization may allow the lowest ranking contending client a smooth entry, without backoff." */
function listRows(crowds: ReadonlyMap<number, Crowds>, { scale, seed }: RunOptions): Row[] {
  const smooth = Array.from({ length: RUNS[scale] }, (_, run) => smoothEntry(seed * 1_000 + run))
  const overlaps = (way: (typeof WAYS)[number]) => violationsOf([...crowds.values()].flatMap(by => by[way]))
  const waited = summarise(smooth.map(one => one.wait)).mean
  return [
    row('list as printed: two holders found (1 = yes)', overlaps('list as printed') > 0 ? 1 : 0, 1, 0),
    row('list of fresh answers: holders at the same time', overlaps('list of fresh answers'), 0, 0),
    row(
      'list, two clients: the second enters at its first try',
      meanIs(smooth, one => one.first),
      1,
      0,
    ),
    // The server is free one millisecond of its clock after Δ + 2δ.
    row('list, two clients: from the first entry to the second, Δ + 2δ + 1', waited, DELTA + 2 * DELAY + 1, 0, 'ms'),
  ]
}

const meanIs = <T>(all: readonly T[], is: (one: T) => boolean) => all.filter(is).length / all.length

/** Two clients, the second a moment later: it stands alone in the list of every server. */
function smoothEntry(seed: number) {
  const { entries } = contend(2, seed, EXACT_DELAY, { settings: { delaysReplies: 'fresh' } })
  const [one, other] = entries
  return { first: other!.attempts === 1, wait: other!.at - one!.at }
}

/** "Both safety and the expected delay become parameterized by the actual Δ's employed." */
function parameterRows({ scale, seed }: RunOptions): Row[] {
  const hold = (client: number) => (client % 2 === 0 ? LONG : SHORT)
  const mixed = Array.from({ length: RUNS[scale] }, (_, run) => contend(4, seed * 1_000 + run, undefined, { hold }))
  const responses = (length: number) => {
    const additions = { hold: () => length, settings: { hold: length } }
    const runs = Array.from({ length: RUNS[scale] }, (_, run) => contend(4, seed * 1_000 + run, undefined, additions))
    return runs.map(({ mean }) => mean / length)
  }
  const [one, ten] = [responses(DELTA), responses(LONG)]
  const tolerance = meanTolerance(one, CONFIDENCE) + meanTolerance(ten, CONFIDENCE)
  return [
    row(`Δ of ${SHORT} and of ${LONG} ms together: holders at the same time`, violationsOf(mixed), 0, 0),
    row('everybody’s Δ ten times as long: mean response, in Δ', summarise(ten).mean, summarise(one).mean, tolerance),
  ]
}

function responseRows(clients: number, by: Crowds): Row[] {
  return WAYS.flatMap(name => {
    const share = meanOf(by[name]) / (DELTA * clients)
    const what = `t = ${clients}, ${name}: mean response / Δt, below`
    const response = { what, measured: share, expected: RESPONSE_MAX, tolerance: null, within: share < RESPONSE_MAX }
    const printed = name === 'list as printed'
    const overlaps = violationsOf(by[name])
    const held = `t = ${clients}, ${name}: holders at the same time`
    return [response, printed ? row(held, overlaps, null, null) : row(held, overlaps, 0, 0)]
  })
}

const NOTES = [
  'Late messages: one in twenty takes up to 3Δ longer. An attempt that has no quorum after 2δ has failed, and backs off.',
  'The list as printed is not safe, also in synchronous runs. A client whom some servers told FREE at once waits for the others, ' +
    'which are locked. When they are free it has its quorum; but those of the beginning have been free again too, and have told FREE ' +
    'to another. A FREE is good for 2δ: ours counts it for δ after it came.',
]
