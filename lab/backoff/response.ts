// BACKOFF §4, corollary 1: with t clients that start at once, the mean response time is O(Δt); alone, a client enters
// after one round trip. The paper gives no constant; by simulations made before ours it is about 0.9 when δ is small
// against Δ.

import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { contend, EXACT_DELAY, SETTINGS } from './contention.ts'
import { proportion } from './fit.ts'
import { average, CONFIDENCE, estimate, type Measured, measure, perClient, violations } from './measure.ts'

const COUNTS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
const RUNS = { small: 60, full: 1_000 }
const CONSTANT = 0.9
/** The constant is known to one digit. */
const ROUNDING = 0.05

export const backoffResponse: Experiment = {
  name: 'backoff-response',
  title: 'Mean response time of the printed lock against the number of contenders.',
  source: 'BACKOFF §4, figure 1, lemmas 1 and 2, corollary 1',
  run(options: RunOptions) {
    const runs = RUNS[options.scale]
    const all = measure(COUNTS, runs, options)
    const constant = estimate(all, 'mean', points => proportion(points) / SETTINGS.hold)
    return {
      rows: [...aloneRows(), ...summaryRows(all, constant), ...curveRows(all)],
      pictures: [{ name: 'backoff-response.svg', svg: picture(all, constant.value) }],
      notes: [
        `Δ = ${SETTINGS.hold} ms, δ = ${SETTINGS.delayMax} ms, 6 servers of which one says FREE to everybody, ` +
          `${runs} runs for each t.`,
        `The paper gives no constant; simulations made before ours say "about 0.9". The tolerance is half a unit of ` +
          `that digit, ${ROUNDING}, and the half width of the ` +
          `${100 * CONFIDENCE} % confidence interval of ours, ${constant.uncertainty.toFixed(3)}: ` +
          'one fit for each sample of the curve, Student’s t over the samples.',
        'The makespan, until the last client has entered, is shown and not judged: lemma 2 gives O(Δt) for it too, ' +
          'which its proof does not carry (errata-backoff-makespan).',
      ],
    }
  },
}

function aloneRows(): Row[] {
  const alone = contend(1, 1, EXACT_DELAY)
  return [
    row('t = 1, every message takes δ: response', alone.mean, 2 * SETTINGS.delayMax, 0, 'ms'),
    row('t = 1: round trips', alone.attemptsMax, 1, 0),
  ]
}

function summaryRows(all: readonly Measured[], constant: { value: number; uncertainty: number }): Row[] {
  return [
    row('least-squares constant of the mean response', constant.value, CONSTANT, ROUNDING + constant.uncertainty, 'Δt'),
    row('exclusion violations', violations(all), 0, 0),
  ]
}

function curveRows(all: readonly Measured[]): Row[] {
  const shown = (measured: Measured, figure: 'mean' | 'makespan') =>
    perClient(average(measured, figure), measured.clients)
  return [
    ...all.map(measured => row(`t = ${measured.clients}: mean response`, shown(measured, 'mean'), null, null, 'Δt')),
    ...all.map(measured => row(`t = ${measured.clients}: makespan`, shown(measured, 'makespan'), null, null, 'Δt')),
  ]
}

function picture(all: readonly Measured[], constant: number): string {
  const inHolds = (figure: 'mean' | 'makespan') =>
    all.map(measured => [measured.clients, average(measured, figure) / SETTINGS.hold] as const)
  return lineChart({
    title: 'The printed lock: response time against contenders',
    x: { label: 'contenders t', min: 0, max: COUNTS.at(-1)! },
    y: { label: 'time / Δ', min: 0 },
    note: `${all[0]!.runs.length} runs for each t.`,
    series: [
      { name: 'mean response', points: inHolds('mean'), line: false, colour: 0 },
      {
        name: `${constant.toFixed(2)} Δt`,
        points: COUNTS.map(t => [t, constant * t] as const),
        dashed: true,
        colour: 0,
      },
      { name: 'makespan', points: inHolds('makespan'), colour: 1 },
    ],
  })
}
