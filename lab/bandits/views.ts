// What the comparator of a blind run sees, and the other road: noise on sums.

import type { BlockFunction } from '../../src/bandits/encoding.ts'
import { GRID, type Policy, playOpen, type Source, ucb1 } from '../../src/bandits/index.ts'
import { comparatorView, idealParties } from '../../src/bandits/proof/index.ts'
import { seededRandom } from '../../src/core/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, row } from '../experiment.ts'
import { summarise } from '../statistics.ts'
import { coins, figure73 } from './scenarios.ts'

/** 99.9 % points of chi-squares with 3, 23 and 43 degrees of freedom. */
const LIMITS = { winner: 16.3, order: 49.7, place: 77.4 }
const BITS = 44

export const viewExperiment: Experiment = {
  name: 'bandits-view',
  title: 'The comparator of a blind run sees the same distribution for far, near and tied arms.',
  source: 'protocols/bandits 4',
  run({ scale, seed, progress }) {
    const rounds = scale === 'small' ? 3_000 : 20_000
    const key = idealParties().tools.blocks(new Uint8Array(32).fill(seed))
    const random = seededRandom(seed, 4)
    const ranks = Array.from({ length: 4 }, (_, arm) => arm).sort(() => random.below(3) - 1)
    const byArm = (arm: number) => ranks[arm]!
    const cases = { far: [9, 2 ** 20, 2 ** 30, 2 ** 34], near: [70, 71, 72, 73], tied: [5, 5, 5, 5] }
    const rows = Object.entries(cases).flatMap(([name, indices], place) => {
      progress(place / 4, name)
      const seen = comparatorView({ indices, bits: BITS, rounds, seed: seed + place, key, ties: byArm })
      return (['winner', 'order', 'place'] as const).map(what =>
        row(
          `${name}: distance of ${what} from chance below the 99.9 % point (1 = yes)`,
          Number(seen[what] < LIMITS[what]),
          1,
          0,
        ),
      )
    })
    const bySlot = comparatorView({ indices: cases.tied, bits: BITS, rounds, seed, key, ties: (_arm, slot) => slot })
    const far = { indices: cases.far, bits: BITS, rounds, seed, ties: byArm }
    const kept = comparatorView({ ...far, key, seats: [2, 0, 3, 1] })
    const still = comparatorView({ ...far, key: unrotated(key) })
    rows.push(
      row('ties by slot: the order is told apart (1 = yes)', Number(bySlot.order > LIMITS.order), 1, 0),
      row('seats kept: the winner is told apart (1 = yes)', Number(kept.winner > LIMITS.winner), 1, 0),
      row('rotation left out: the place is told apart (1 = yes)', Number(still.place > LIMITS.place), 1, 0),
    )
    return {
      rows,
      pictures: [],
      notes: [
        `${rounds} rounds each, four arms whose numbers stay; seats are drawn anew in each round.`,
        'The last three are planted bugs. What shuffler, comparator and an arm see of whole runs, with nine planted bugs: src/client/bandits/views.test.ts.',
      ],
    }
  },
}

/** The block that says how far a list is turned begins with this. */
const ROTATION = 3
const BLOCK_BYTES = 16

/** Draws as the key does, but turns no list. */
function unrotated(key: BlockFunction): BlockFunction {
  return blocks => {
    const drawn = key(blocks).slice()
    for (let at = 0; at < blocks.length; at += BLOCK_BYTES)
      if (blocks[at] === ROTATION) drawn.fill(0, at, at + BLOCK_BYTES)
    return drawn
  }
}

/** A sum that is told with noise: a tree of partial sums, each with Laplace noise, so that log t of them make a sum. */
function noisy(source: Source, epsilon: number, seed: number, budget: number): Source {
  const random = seededRandom(seed, 0xd9)
  const levels = Math.ceil(Math.log2(budget)) + 1
  const laplace = () => {
    const unit = random.unit() - 0.5
    return -(levels / epsilon) * Math.sign(unit) * Math.log(1 - 2 * Math.abs(unit))
  }
  const noise = new Map<string, number>()
  const noiseOf = (level: number, block: number) => {
    const at = `${level} ${block}`
    const drawn = noise.get(at) ?? laplace()
    noise.set(at, drawn)
    return drawn
  }
  let before = 0
  return pull => {
    let total = 0
    for (let level = 0; 2 ** level <= pull; level++) {
      if (Math.floor(pull / 2 ** level) % 2 === 1) total += noiseOf(level, Math.floor(pull / 2 ** level))
    }
    const shown = source(pull) + total - before
    before = total
    return shown
  }
}

const MARGIN = 4_096

export const dpExperiment: Experiment = {
  name: 'bandits-dp',
  title: 'The other road: UCB on sums with noise for differential privacy earns less, and needs no parties.',
  source: 'protocols/bandits (compared with a tree of partial sums, epsilon = 1)',
  run({ scale, seed }) {
    const budgets = scale === 'small' ? [1_000, 5_000, 20_000] : [1_000, 5_000, 20_000, 100_000]
    const budget = budgets.at(-1)!
    const runs = scale === 'small' ? 3 : 10
    const { means, name } = figure73[4]!
    const range = [-MARGIN, MARGIN] as const
    const play = (epsilon: number | undefined, run: number, pulls: number) => {
      const sources = coins(means, seed * 100 + run)
      const paid: number[] = means.map(() => 0)
      const counted = sources.map(
        (source, arm): Source =>
          pull => {
            const reward = source(pull)
            paid[arm]! += reward
            return reward
          },
      )
      const shown =
        epsilon === undefined ? counted : counted.map((source, arm) => noisy(source, epsilon, run * 64 + arm, pulls))
      playOpen(epsilon === undefined ? ucb1 : scaled, shown, pulls, epsilon === undefined ? {} : { rewards: range })
      return paid.reduce((a, b) => a + b, 0)
    }
    const curve = (epsilon: number | undefined) =>
      budgets.map(pulls => {
        const found = Array.from({ length: runs }, (_, run) => play(epsilon, run, pulls))
        return [pulls, summarise(found).mean / pulls] as const
      })
    const curves = [
      { name: 'UCB1', points: curve(undefined) },
      { name: 'with noise, epsilon = 1', points: curve(1) },
    ]
    const [open, one] = curves.map(({ points }) => points.at(-1)![1]) as [number, number]
    const svg = lineChart({
      title: `${name}: reward a pull`,
      note: `Each mark is the mean of ${runs} runs.`,
      x: { label: 'budget N', log: true },
      y: { label: 'reward / N' },
      series: curves,
    })
    return {
      rows: [
        row(`${name}: reward a pull, UCB1`, open, null, null),
        row(`${name}: reward a pull, with noise (epsilon = 1)`, one, null, null),
        row('noise costs reward (1 = yes)', Number(one < open), 1, 0),
      ],
      pictures: [{ name: 'bandits-dp.svg', svg }],
      notes: [
        `${runs} runs of ${budget} pulls. Drawn, not promised: what such noise hides, and from whom, is another guarantee than ours.`,
      ],
    }
  },
}

/** UCB1 on rewards that lie in a wide range, for the noise: the bonus is that of the unit range. */
const scaled: Policy = {
  ...ucb1,
  index({ pulls, sum }, all) {
    const mean = (sum / (GRID * pulls)) * 2 * MARGIN - MARGIN
    return Math.max(0, Math.floor((mean + MARGIN + Math.sqrt((2 * Math.log(all)) / pulls)) * 2 ** 20))
  },
}
