// THESIS figures 7.3, 7.4, 7.5: what UCB1 earns. The private forms earn the same, run by run: they compare the same
// numbers, so the reward is measured on the open one.

import { playOpen, successiveRejects, thompson, ucb1, ucb2Open } from '../../src/bandits/index.ts'
import { seededRandom } from '../../src/core/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row, type Scale } from '../experiment.ts'
import { rateTolerance, summarise, twoRateTolerance } from '../statistics.ts'
import { AUTHORS_RUNS, coins, figure73, figure74, figure75, type Scenario } from './scenarios.ts'

const BUDGET = 100_000
const SMALLER = [100, 1_000, 10_000]
const CONFIDENCE = 0.9999
const RUNS: Record<Scale, number> = { small: 10, full: AUTHORS_RUNS }
/** Four standard errors of a difference: one row in 16,000 falls outside by chance. */
const ERRORS = 4

function rewardOf(means: readonly number[], budget: number, seed: number): number {
  return playOpen(ucb1, coins(means, seed), budget).sum
}

function rewards({ means }: Scenario, budget: number, runs: number, options: RunOptions): number[] {
  return Array.from({ length: runs }, (_, run) => rewardOf(means, budget, options.seed * 1_000 + run))
}

/** The mean of a smaller budget: the authors' figure has it as a curve, not as a number. */
function shown({ name }: Scenario, budget: number, found: readonly number[]): Row {
  return row(`${name}: reward at N = ${budget}, mean of ${found.length} runs`, summarise(found).mean, null, null)
}

function judged({ name, reward, deviation }: Scenario, found: readonly number[]): Row {
  const tolerance = ERRORS * deviation * Math.sqrt(1 / found.length + 1 / AUTHORS_RUNS)
  return row(`${name}: reward at N = ${BUDGET}, mean of ${found.length} runs`, summarise(found).mean, reward, tolerance)
}

const NOTE =
  `Tolerance: ${ERRORS} standard errors of the difference between our mean and the authors' (${AUTHORS_RUNS} runs each, their ` +
  'standard deviation). The same sum comes out of UCB-D, UCB-DS, UCB-DS2 and the blind form: they compare the same numbers.'

function byScenario(name: string, source: string, title: string, scenarios: readonly Scenario[]): Experiment {
  return {
    name,
    title,
    source,
    run(options) {
      const measured = scenarios.map((scenario, place) => {
        options.progress(place / scenarios.length, scenario.name)
        const { length: arms } = scenario.means
        // A hundred arms cost ten times as much.
        const count = arms > 50 && options.scale === 'small' ? Math.ceil(RUNS.small / 4) : RUNS[options.scale]
        const smaller = SMALLER.map(budget => ({ budget, found: rewards(scenario, budget, count, options) }))
        return { scenario, smaller, found: rewards(scenario, BUDGET, count, options) }
      })
      const svg = lineChart({
        title: 'Reward a pull of UCB1',
        note: `Each mark is the mean of ${RUNS[options.scale]} runs; at small scale of fewer where there are a hundred arms.`,
        x: { label: 'budget N', log: true },
        y: { label: 'reward / N' },
        series: measured.map(({ scenario, smaller, found }) => ({
          name: scenario.name,
          points: [...smaller, { budget: BUDGET, found }].map(
            ({ budget, found: runs }) => [budget, summarise(runs).mean / budget] as const,
          ),
        })),
      })
      return {
        rows: measured.flatMap(({ scenario, smaller, found }) => [
          ...smaller.map(({ budget, found: runs }) => shown(scenario, budget, runs)),
          judged(scenario, found),
        ]),
        pictures: [{ name: `${name}.svg`, svg }],
        notes: [NOTE],
      }
    },
  }
}

export const figure73Experiment = byScenario(
  'bandits-figure-7-3',
  'THESIS §7.4.5, figure 7.3',
  'What UCB1 earns in six scenarios, by budget.',
  figure73,
)
export const figure74Experiment = byScenario(
  'bandits-figure-7-4',
  'THESIS §7.4.5, figure 7.4',
  'What UCB1 earns with 5 to 20 arms.',
  figure74,
)
export const figure75Experiment = byScenario(
  'bandits-figure-7-5',
  'THESIS §7.4.5, figure 7.5',
  'What UCB1 earns on jokes and films.',
  figure75,
)

const BATCHES = [0, 0.001, 0.003, 0.01]
/** Measured for the construction on the same vector, 20 runs: reward and rounds. */
const BATCH_EXPECTED: Record<number, { reward: number; rounds: number }> = {
  0: { reward: 30_548, rounds: 99_990 },
  0.001: { reward: 30_496, rounds: 6_169 },
  0.003: { reward: 30_431, rounds: 2_420 },
  0.01: { reward: 30_176, rounds: 842 },
}
const EARLIER_RUNS = 20

/** Rounds of a run: how often arms are compared. */
function roundsOf(arms: number, batch: number): number {
  let [all, rounds] = [arms, 0]
  for (; all < BUDGET; rounds++) all += Math.min(Math.max(1, Math.floor(batch * all)), BUDGET - all)
  return rounds
}

export const batchExperiment: Experiment = {
  name: 'bandits-batch',
  title: 'Fewer comparisons for a little less reward: public batches, and UCB2 and Thompson beside them.',
  source: 'THESIS §7.4.5; protocols/bandits 12',
  run(options) {
    const scenario = figure75[0]!
    const runs = options.scale === 'small' ? 3 : 20
    const seeds = Array.from({ length: runs }, (_, run) => options.seed * 1_000 + run)
    const mean = (play: (seed: number) => number) => summarise(seeds.map(play)).mean
    const tolerance = ERRORS * scenario.deviation * Math.sqrt(1 / runs + 1 / EARLIER_RUNS)
    const rows = BATCHES.flatMap((batch, place) => {
      options.progress(place / (BATCHES.length + 2), `batch ${batch}`)
      const expected = BATCH_EXPECTED[batch]!
      const found = mean(seed => playOpen(ucb1, coins(scenario.means, seed), BUDGET, { batch }).sum)
      return [
        row(`α = ${batch}: rounds`, roundsOf(scenario.means.length, batch), expected.rounds, 0),
        row(`α = ${batch}: reward, mean of ${runs} runs`, found, expected.reward, tolerance),
      ]
    })
    const chance = (seed: number) => (arm: number, all: number) => seededRandom(seed * 64 + arm, all).unit
    options.progress(0.9, 'UCB2 and Thompson')
    const ucb2 = mean(seed => ucb2Open(coins(scenario.means, seed), BUDGET).sum)
    const drawn = mean(seed => playOpen(thompson, coins(scenario.means, seed), BUDGET, { chance: chance(seed) }).sum)
    rows.push(row('UCB2, α = 0.1: reward', ucb2, 31_660, tolerance), row('Thompson: reward', drawn, 31_928, tolerance))
    const points = BATCHES.slice(1).map(
      batch =>
        [roundsOf(10, batch), rows.find(({ what }) => what.startsWith(`α = ${batch}: reward`))!.measured] as const,
    )
    const svg = lineChart({
      title: 'Jester, 10 jokes: reward against rounds',
      note: `Each mark is the mean of ${runs} runs.`,
      x: { label: 'rounds', log: true },
      y: { label: 'reward' },
      series: [{ name: 'UCB1 in batches', points }],
    })
    return {
      rows,
      pictures: [{ name: 'bandits-batch.svg', svg }],
      notes: ['Rounds follow from α alone. UCB2 and Thompson are open here: an epoch of UCB2 would name its arm.'],
    }
  },
}

export const searchExperiment: Experiment = {
  name: 'bandits-search',
  title: 'How often successive rejects finds the best arm.',
  source: 'THESIS §2.2.2, algorithm 1',
  run(options) {
    const runs = options.scale === 'small' ? 200 : 4_000
    const means = [0.9, 0.6, 0.6, 0.5]
    const budgets = [40, 80, 160, 320]
    const shares = budgets.map(budget => {
      const found = Array.from(
        { length: runs },
        (_, run) => successiveRejects(coins(means, options.seed * 10_000 + run), budget).best,
      )
      return found.filter(best => best === 0).length / runs
    })
    // Audibert, Bubeck, Munos 2010, theorem 2: at most K(K-1)/2 · exp(-(N-K) / (logbar(K) · H2)).
    const gaps = [0.3, 0.3, 0.4]
    const hardness = Math.max(...gaps.map((gap, place) => (place + 2) / gap ** 2))
    const bound = (budget: number) => 6 * Math.exp(-(budget - 4) / ((0.5 + 1 / 2 + 1 / 3 + 1 / 4) * hardness))
    const rows = budgets.map((budget, place) => {
      const least = Math.max(0, 1 - bound(budget))
      return row(`N = ${budget}: found at least as often as promised (1 = yes)`, shares[place]! >= least ? 1 : 0, 1, 0)
    })
    const chance = (share: number) => twoRateTolerance(share, runs, runs, CONFIDENCE)
    const grows = shares.every((share, place) => place === 0 || share >= shares[place - 1]! - chance(share))
    // Of the misses that the theorem allows as many may come as chance allows.
    const missed = bound(320)
    rows.push(
      row('more budget, more often (1 = yes)', grows ? 1 : 0, 1, 0),
      row('N = 320: share', shares[3]!, 1, missed + rateTolerance(missed, runs, CONFIDENCE)),
    )
    const svg = lineChart({
      title: 'Successive rejects: share of runs that find the best of four',
      note: `Each mark is of ${runs} runs.`,
      x: { label: 'budget N' },
      y: { label: 'share' },
      series: [{ name: 'found', points: budgets.map((budget, place) => [budget, shares[place]!] as const) }],
    })
    return {
      rows,
      pictures: [{ name: 'bandits-search.svg', svg }],
      notes: [
        'The promise is theorem 2 of Audibert, Bubeck and Munos (2010), from which the thesis takes the algorithm.',
      ],
    }
  },
}
