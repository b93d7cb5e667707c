// What the thesis's parties learn that they were not to learn: theorems 7.4.1, 7.4.2 and 7.4.8, and two ways of hiding an
// index that hide nothing.

import { GRID, playOpen, ucb1 } from '../../src/bandits/index.ts'
import { type Random, seededRandom } from '../../src/core/index.ts'
import { type Experiment, row } from '../experiment.ts'
import { rateTolerance } from '../statistics.ts'
import { coins } from './scenarios.ts'

/** UCB1's index of a sum of ones, as a real number: what a party of the thesis sees as B. */
const bound = (sum: number, pulls: number, all: number) => sum / pulls + Math.sqrt((2 * Math.log(all)) / pulls)

export const boundErratum: Experiment = {
  name: 'errata-bandits-bound',
  title: 'The largest B alone gives its arm’s sum and number of pulls.',
  source: 'THESIS §7.3.2, §7.4.2 (hypothesis on B_m)',
  run({ scale, seed }) {
    const random = seededRandom(seed)
    const cases = scale === 'small' ? 40 : 400
    let right = 0
    for (let one = 0; one < cases; one++) {
      const all = 100 + random.below(900)
      const pulls = 1 + random.below(all - 1)
      const sum = random.below(pulls + 1)
      const fits = fitting(bound(sum, pulls, all), all)
      if (fits.length === 1 && fits[0]!.sum === sum && fits[0]!.pulls === pulls) right++
    }
    return {
      rows: [row('pairs (s, n) found from B and t, share', right / cases, 1, 0)],
      pictures: [],
      notes: [
        `${cases} drawn cases of up to 1,000 pulls. The bonus √(2 ln t / n) is another irrational number for each n, so one n fits.`,
      ],
    }
  },
}

function fitting(value: number, all: number): { sum: number; pulls: number }[] {
  const found: { sum: number; pulls: number }[] = []
  for (let pulls = 1; pulls <= all; pulls++) {
    const sum = Math.round((value - Math.sqrt((2 * Math.log(all)) / pulls)) * pulls)
    if (sum >= 0 && sum <= pulls && Math.abs(bound(sum, pulls, all) - value) < 1e-12) found.push({ sum, pulls })
  }
  return found
}

export const masksErratum: Experiment = {
  name: 'errata-bandits-masks',
  title: 'Masks that keep order do not hide: a·B + c with a and c fresh and secret gives all sums.',
  source: 'THESIS §7.4.2; protocols/bandits',
  run({ scale, seed }) {
    const random = seededRandom(seed)
    const cases = scale === 'small' ? 40 : 200
    let [right, named, alone] = [0, 0, 0]
    for (let one = 0; one < cases; one++) {
      const pulls = distinctCounts(random)
      const all = pulls.reduce((sum, count) => sum + count, 0)
      const sums = pulls.map(count => random.below(count + 1))
      const [a, c] = [1 + random.unit() * 9, random.unit() * 100]
      const masked = sums.map((sum, arm) => a * bound(sum, pulls[arm]!, all) + c)
      const fits = unmasked(masked, pulls, all).map(fit => fit.join())
      const shifts = shifted(sums, pulls).map(fit => fit.join())
      if (fits.join(';') === shifts.join(';')) right++
      if (fits.join(';') === sums.join()) named++
      if (shifts.length === 1) alone++
    }
    return {
      rows: [
        row('what fits is the sums of all four arms, up to a shift of all means, share', right / cases, 1, 0),
        row('sums named, where no shift is possible, share', named / alone, 1, 0),
        row('sums named, of all, share', named / cases, null, null),
      ],
      pictures: [],
      notes: [
        `${cases} drawn cases with 5 to 16 pulls an arm, each another number; counts are known, as AS knows them. Ratios of gaps do not depend on a and c.`,
        `All means moved by one d are the same to who does not know c. Then d times every count is a whole number, so the counts have a common divisor: ${cases - alone} of the ${cases} cases.`,
      ],
    }
  },
}

/** The sums, and what they become when all means move by the same d: whole numbers again, none below 0 or above its count. */
function shifted(sums: readonly number[], pulls: readonly number[]): number[][] {
  const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other))
  const common = pulls.reduce(divisor)
  const found: number[][] = []
  for (let times = -common; times <= common; times++) {
    const moved = sums.map((sum, arm) => sum + (times * pulls[arm]!) / common)
    if (moved.every((sum, arm) => sum >= 0 && sum <= pulls[arm]!)) found.push(moved)
  }
  return found
}

/** Four different numbers of pulls: arms that were pulled equally often share a bonus, and then sums can be shifted. */
function distinctCounts(random: Random): number[] {
  const counts = new Set<number>()
  while (counts.size < 4) counts.add(5 + random.below(12))
  return [...counts]
}

/** All sums for which the ratios of gaps fit. */
function unmasked(masked: readonly number[], pulls: readonly number[], all: number): number[][] {
  const values = pulls.map(count => Array.from({ length: count + 1 }, (_, sum) => bound(sum, count, all)))
  const ratio = (masked[2]! - masked[0]!) / (masked[1]! - masked[0]!)
  const other = (masked[3]! - masked[0]!) / (masked[1]! - masked[0]!)
  const near = (x: number, y: number) => Math.abs(x - y) < 1e-9 * Math.max(1, Math.abs(y))
  const found: number[][] = []
  values[0]!.forEach((first, s0) => {
    values[1]!.forEach((second, s1) => {
      const gap = second - first
      if (gap === 0) return
      values[2]!.forEach((third, s2) => {
        if (!near((third - first) / gap, ratio)) return
        values[3]!.forEach((fourth, s3) => {
          if (near((fourth - first) / gap, other) && gap * (masked[1]! - masked[0]!) > 0) found.push([s0, s1, s2, s3])
        })
      })
    })
  })
  return found
}

export const controllerErratum: Experiment = {
  name: 'errata-bandits-controller',
  title: 'Theorem 7.4.1 is false: the order of pulls alone tells the controller the rewards.',
  source: 'THESIS §7.4.2, theorem 7.4.1',
  run({ scale, seed, progress }) {
    const runs = scale === 'small' ? 40 : 300
    const budget = 100
    let [worse, better] = [0, 0]
    for (let run = 0; run < runs; run++) {
      progress(run / runs, `run ${run + 1}`)
      const { order, arms } = playOpen(ucb1, coins([0.9, 0.6], seed * 10_000 + run), budget, { record: true })
      const guessed = filtered(order)
      if (guessed[1] * GRID === arms[1]!.sum) worse++
      if (guessed[0] * GRID === arms[0]!.sum) better++
    }
    // The construction's 60 runs gave 87 % and 60 %; four standard errors of the difference, as both samples' chance counts.
    const tolerance = (rate: number) => 4 * Math.sqrt(rate * (1 - rate) * (1 / runs + 1 / 60))
    return {
      rows: [
        row('sum of the worse arm named exactly', worse / runs, 0.87, tolerance(0.87)),
        row('sum of the better arm named exactly', better / runs, 0.6, tolerance(0.6)),
        row(
          'more often than by knowing counts and means (50 %), 1 = surely',
          worse / runs - rateTolerance(worse / runs, runs, 0.99) > 0.5 ? 1 : 0,
          1,
          0,
        ),
      ],
      pictures: [],
      notes: [
        `K = 2, µ = (0.9, 0.6), N = ${budget}, ${runs} runs. An exact filter over both arms' sums, from the order of pulls and a uniform ` +
          'prior on the means. The theorem says that AS guesses no better than from the number of pulls: 1 to 5 %.',
      ],
    }
  },
}

/** The likeliest sums of both arms given who was pulled when: states that would have chosen otherwise fall out. */
function filtered(order: readonly number[]): [number, number] {
  let states = new Map<number, number>()
  const key = (a: number, b: number) => a * 1_024 + b
  for (const [a, b] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ] as const)
    states.set(key(a, b), 0.25)
  const pulls = [1, 1]
  for (let all = 2; all < order.length; all++) {
    const chosen = order[all]!
    const next = new Map<number, number>()
    const index = (sum: number, arm: number) => ucb1.index({ pulls: pulls[arm]!, sum: sum * GRID }, all, () => 0)
    const tables = [0, 1].map(arm => Array.from({ length: pulls[arm]! + 1 }, (_, sum) => index(sum, arm)))
    for (const [state, weight] of states) {
      const sums = [Math.floor(state / 1_024), state % 1_024] as const
      const would = tables[1]![sums[1]]! > tables[0]![sums[0]]! ? 1 : 0
      if (would !== chosen) continue
      const wins = (sums[chosen]! + 1) / (pulls[chosen]! + 2)
      const won = chosen === 0 ? key(sums[0] + 1, sums[1]) : key(sums[0], sums[1] + 1)
      next.set(won, (next.get(won) ?? 0) + weight * wins)
      next.set(state, (next.get(state) ?? 0) + weight * (1 - wins))
    }
    const total = [...next.values()].reduce((sum, weight) => sum + weight, 0)
    states = new Map([...next].map(([state, weight]) => [state, weight / total]))
    pulls[chosen]!++
  }
  const marginal = (pick: (state: number) => number): number => {
    const weights = new Map<number, number>()
    for (const [state, weight] of states) weights.set(pick(state), (weights.get(pick(state)) ?? 0) + weight)
    return [...weights].reduce((best, each) => (each[1] > best[1] ? each : best))[0]
  }
  return [marginal(state => Math.floor(state / 1_024)), marginal(state => state % 1_024)]
}

/** One turn of the ring: who leads after each place, and who wins. */
function ring(arms: number, random: Random): { order: number[]; leaders: number[]; winner: number } {
  const order = Array.from({ length: arms }, (_, arm) => arm)
  for (let last = arms - 1; last > 0; last--) {
    const other = random.below(last + 1)
    ;[order[last], order[other]] = [order[other]!, order[last]!]
  }
  const values = order.map(() => random.unit())
  let lead = 0
  const leaders = order.map((_, place) => {
    if (values[place]! > values[lead]!) lead = place
    return order[lead]!
  })
  return { order, leaders, winner: leaders.at(-1)! }
}

/** How often one arm, at a place of its own each time, guesses who will be pulled. */
function guessed(
  arms: number,
  rounds: number,
  random: Random,
  guess: (place: number, order: readonly number[], leaders: readonly number[]) => number,
): number {
  let right = 0
  for (let round = 0; round < rounds; round++) {
    const { order, leaders, winner } = ring(arms, random)
    const place = order.indexOf(0)
    if (guess(place, order, leaders) === winner) right++
  }
  return right / rounds
}

export const ringExperiment: Experiment = {
  name: 'bandits-7-4-2',
  title: 'An arm of UCB-DS guesses who is pulled next: ½ + 1/(2K).',
  source: 'THESIS §7.4.2, theorem 7.4.2',
  run({ scale, seed }) {
    const rounds = scale === 'small' ? 200_000 : 1_000_000
    const random = seededRandom(seed)
    // What it passes on names the leader so far: that is its guess.
    const rows = [2, 5, 10].map(arms => {
      const expected = 0.5 + 1 / (2 * arms)
      return row(
        `K = ${arms}`,
        guessed(arms, rounds, random, (place, _, leaders) => leaders[place]!),
        expected,
        0.005,
      )
    })
    return {
      rows,
      pictures: [],
      notes: [`${rounds} rounds each; 0.005 is more than four standard errors (0.0045 at K = 10 and small scale).`],
    }
  },
}

export const ringErratum: Experiment = {
  name: 'errata-bandits-7-4-8',
  title: 'Theorem 7.4.8 is false: in UCB-DS2 an arm guesses who is pulled with (2K - 1)/K², not 1/K.',
  source: 'THESIS §7.4.4, theorem 7.4.8',
  run({ scale, seed }) {
    const rounds = scale === 'small' ? 200_000 : 1_000_000
    const random = seededRandom(seed)
    const rows = [2, 5, 10].map(arms => {
      const expected = (2 * arms - 1) / arms ** 2
      // It cannot read the leader's name, but knows when it took the lead, and who sent it the token.
      const guess = (place: number, order: readonly number[], leaders: readonly number[]) =>
        place === 0 || leaders[place] === order[place] ? order[place]! : order[place - 1]!
      return row(
        `K = ${arms} (the theorem: ${(1 / arms).toFixed(2)})`,
        guessed(arms, rounds, random, guess),
        expected,
        0.005,
      )
    })
    return {
      rows,
      pictures: [],
      notes: ['An arm that takes the lead guesses itself, any other the arm that it had the token from.'],
    }
  },
}
