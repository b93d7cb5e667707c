// BACKOFF §5: ways of waiting side by side, in our lock. t clients want it at once, each keeps it for a while.
// Backing off by the three strategies (`fair: false`); one client that does not back off among others that do ("avoiding
// backoff by breaking symmetry"); and the servers' list ("enqueuing client requests", by ticket), where nobody sleeps:
// each hand-over takes two one-way delays.

import { seededRandom } from '../../src/core/index.ts'
import { type BackoffName, backoffStrategies } from '../../src/lock/backoff.ts'
import { type Chart, lineChart, type Series } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { meanTolerance, summarise } from '../statistics.ts'
import { type Crowd, crowd, DELAY_MS, EXACT, HOLD_MS, type Way } from './crowd.ts'
import { CONFIDENCE } from './measure.ts'

const COUNTS = [1, 2, 4, 8, 16, 32, 64]
const RUNS = { small: 20, full: 300 }
/** Runs of one seed are told apart below this. */
const RUNS_MAX = 10_000

const WAYS: readonly Way[] = ['exponential', 'polynomial', 'decorrelated', 'one without backoff', 'list']

interface Measured {
  readonly way: Way
  readonly clients: number
  readonly runs: readonly Crowd[]
}

export const backoffStrategiesExperiment: Experiment = {
  name: 'backoff-strategies',
  title: 'Mean response and makespan of our lock, by how its clients wait.',
  source: 'BACKOFF §5, avoiding backoff by breaking symmetry; enqueuing client requests',
  run(options: RunOptions) {
    const runs = RUNS[options.scale]
    const all = measureAll(runs, options)
    const handOvers = COUNTS.filter(t => t > 1).flatMap(t => crowd('list', t, options.seed, EXACT).handOvers)
    return {
      rows: [...invariants(all, handOvers), ...waits(options), ...symmetry(all), ...curves(all)],
      pictures: [{ name: 'backoff-strategies.svg', svg: picture(all) }],
      notes: [
        `3 servers, none of which lies; a message takes ${DELAY_MS / 2} to ${DELAY_MS} ms, or exactly ${DELAY_MS} ms ` +
          `(δ) where hand-overs are counted; each holder keeps the lock for ${HOLD_MS} ms (Δ); ${runs} runs for each t. ` +
          'The paper gives no numbers for §5.',
        'A hand-over is from the release to the next entry. With the list it is one delay to the servers and one from ' +
          'them. The least that the makespan can be is (t - 1)(Δ + 2δ) and the first round trip.',
        '"One without backoff": the first of the t clients tries again at once, the others back off exponentially; its ' +
          'own response is shown beside what it is when it backs off like them. "Surely": the ' +
          `${100 * CONFIDENCE} % confidence interval of the difference, run by run, lies above 0.`,
      ],
    }
  },
}

function measureAll(runs: number, options: RunOptions): Measured[] {
  const whole = WAYS.length * COUNTS.reduce((sum, clients) => sum + clients, 0)
  let done = 0
  return WAYS.flatMap(way =>
    COUNTS.map(clients => {
      const results: Crowd[] = []
      for (let run = 0; run < runs; run++) {
        options.progress((done + (clients * run) / runs) / whole, `${way}, ${clients} clients`)
        results.push(crowd(way, clients, options.seed * RUNS_MAX + run))
      }
      done += clients
      return { way, clients, runs: results }
    }),
  )
}

function invariants(all: readonly Measured[], handOvers: readonly number[]): Row[] {
  const violations = all.reduce((sum, { runs }) => sum + runs.reduce((count, run) => count + run.violations, 0), 0)
  const alone = crowd('exponential', 1, 1, EXACT)
  return [
    row('exclusion violations', violations, 0, 0),
    row('list: shortest hand-over', Math.min(...handOvers), 2, 0, 'δ'),
    row('list: longest hand-over', Math.max(...handOvers), 2, 0, 'δ'),
    row('t = 1, every message takes δ: response', alone.mean / DELAY_MS, 2, 0, 'δ'),
  ]
}

const DRAWS = { small: 5_000, full: 100_000 }
const TRIES = [1, 2, 3, 6]
const BASE_MS = 10
/** Of a mean of so many draws, four rows of each strategy: further off than this is no bad luck. */
const DEVIATIONS = 5

/** The widest wait after s failed tries, by figure 1 and by the definition of the other two, in multiples of the base. */
const WIDEST: readonly (readonly [BackoffName, (tries: number) => number])[] = [
  ['exponential', tries => 2 ** tries],
  ['polynomial', tries => (tries + 1) ** 2],
  // The wait before was s bases.
  ['decorrelated', tries => 3 * tries],
]

/** What the strategies draw, by themselves: whole milliseconds between the base and the widest, all alike. */
function waits({ seed, scale }: RunOptions): Row[] {
  const random = seededRandom(seed, 0xb0)
  const draws = DRAWS[scale]
  return WIDEST.flatMap(([name, widest]) =>
    TRIES.flatMap(tries => {
      const backoff = { base: BASE_MS, max: 1_000_000, tries, last: tries * BASE_MS }
      const drawn = Array.from({ length: draws }, () =>
        backoffStrategies[name].wait(backoff, bound => random.below(bound)),
      )
      const most = widest(tries) * BASE_MS
      const choices = most - BASE_MS + 1
      const tolerance = DEVIATIONS * Math.sqrt((choices ** 2 - 1) / 12 / draws)
      const outside = drawn.filter(wait => wait < BASE_MS || wait > most).length
      const what = `${name}, ${tries} failed`
      return [
        row(`${what}: mean wait`, summarise(drawn).mean, (BASE_MS + most) / 2, tolerance, 'ms'),
        row(`${what}: waits outside ${BASE_MS} … ${most} ms`, outside, 0, 0),
      ]
    }),
  )
}

/** The response of the client that does not back off, and of the same one when it does, over all t > 1. */
function symmetry(all: readonly Measured[]): Row[] {
  const first = (way: Way) => all.filter(one => one.way === way && one.clients > 1).flatMap(one => one.runs)
  const without = first('one without backoff').map(run => run.first)
  const backed = first('exponential').map(run => run.first)
  const gain = without.map((response, at) => backed[at]! - response)
  const sure = summarise(gain).mean - meanTolerance(gain, CONFIDENCE) > 0
  return [
    row('breaking symmetry makes its response shorter (1 = surely)', sure ? 1 : 0, 1, 0),
    row('mean response of the one without backoff', summarise(without).mean / HOLD_MS, null, null, 'Δ'),
    row('the same client when it backs off', summarise(backed).mean / HOLD_MS, null, null, 'Δ'),
  ]
}

function curves(all: readonly Measured[]): Row[] {
  return (['mean', 'makespan'] as const).flatMap(figure =>
    all.map(({ way, clients, runs }) => {
      const word = figure === 'mean' ? 'mean response' : 'makespan'
      return row(`${way}, t = ${clients}: ${word}`, average(runs, figure) / HOLD_MS, null, null, 'Δ')
    }),
  )
}

function average(runs: readonly Crowd[], figure: 'mean' | 'makespan'): number {
  return summarise(runs.map(run => run[figure])).mean
}

function picture(all: readonly Measured[]): string {
  const series = WAYS.flatMap((way, colour): Series[] => {
    const points = (figure: 'mean' | 'makespan') =>
      all.filter(one => one.way === way).map(({ clients, runs }) => [clients, average(runs, figure) / HOLD_MS] as const)
    return [
      { name: `${way}: mean response`, points: points('mean'), colour },
      { name: `${way}: makespan`, points: points('makespan'), colour, dashed: true },
    ]
  })
  const chart: Chart = {
    title: 'Our lock: response and makespan by how clients wait',
    x: { label: 'contenders t', log: true },
    y: { label: 'time / Δ', log: true },
    note: `Means of ${all[0]!.runs.length} runs.`,
    series,
  }
  return lineChart(chart)
}
