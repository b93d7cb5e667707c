// BACKOFF §4, lemma 2 says that all t clients have entered within expected O(Δt). Its proof bounds the number of
// doublings k by O(log t) and concludes that the sum of 2^k (Δ + 4δ) is O(Δt); but 2 to the O(log t) is a power of t.
// About log t doublings spread the clients out, and log log t more until nobody is left: t log t.
// What the lemma is used for, the mean response, is O(Δt) all the same.

import { lineChart } from '../chart.ts'
import { type Experiment, type RunOptions, row } from '../experiment.ts'
import { SETTINGS } from './contention.ts'
import { slope } from './fit.ts'
import { average, CONFIDENCE, estimate, type Figure, type Measured, measure, perClient } from './measure.ts'

const COUNTS = [8, 16, 32, 64, 128, 256]
const RUNS = { small: 30, full: 400 }

export const errataMakespan: Experiment = {
  name: 'errata-backoff-makespan',
  title: 'The time until the last contender has entered grows faster than lemma 2 says.',
  source: 'BACKOFF §4, lemma 2',
  run(options: RunOptions) {
    const runs = RUNS[options.scale]
    const all = measure(COUNTS, runs, options)
    const makespan = growth(all, 'makespan')
    const mean = growth(all, 'mean')
    const curve = (figure: Figure) =>
      all.map(measured => [measured.clients, perClient(average(measured, figure), measured.clients)] as const)
    return {
      rows: [
        row('makespan outgrows Δt (1 = yes)', rises(makespan), 1, 0),
        row('mean response outgrows Δt (1 = yes)', rises(mean), 0, 0),
        row('makespan / Δt, added by each doubling of t', makespan.value, null, null),
        row('mean response / Δt, added by each doubling of t', mean.value, null, null),
        ...curve('makespan').map(([t, ratio]) => row(`t = ${t}: makespan`, ratio, null, null, 'Δt')),
      ],
      pictures: [{ name: 'errata-backoff-makespan.svg', svg: picture(curve('makespan'), curve('mean'), runs) }],
      notes: [
        `${runs} runs for each t. By lemma 2 the makespan is a constant times Δt, and a doubling of t adds nothing; ` +
          `measured, it adds ${told(makespan)} Δt, as t log t does. To the mean response it adds ${told(mean)} Δt.`,
        `"Outgrows" means that the ${100 * CONFIDENCE} % confidence interval of what a doubling adds lies above 0 ` +
          '(one fit for each sample of the curve, Student’s t over the samples).',
        'The proof bounds the doublings by O(log t), and then takes 2 to the O(log t) for O(t).',
      ],
    }
  },
}

type Growth = ReturnType<typeof growth>

function growth(all: readonly Measured[], figure: Figure) {
  return estimate(all, figure, points =>
    slope(points.map(([t, millis]) => [Math.log2(t), millis / (SETTINGS.hold * t)] as const)),
  )
}

function rises({ value, uncertainty }: Growth): number {
  return value - uncertainty > 0 ? 1 : 0
}

function told({ value, uncertainty }: Growth): string {
  return `${value.toFixed(2)} ± ${uncertainty.toFixed(2)}`
}

type Curve = readonly (readonly [number, number])[]

function picture(makespan: Curve, mean: Curve, runs: number): string {
  return lineChart({
    title: 'O(Δt) would be level',
    x: { label: 'contenders t', log: true },
    y: { label: 'time / Δt', min: 0 },
    note: `${runs} runs for each t.`,
    series: [
      { name: 'makespan', points: makespan },
      { name: 'mean response', points: mean },
    ],
  })
}
