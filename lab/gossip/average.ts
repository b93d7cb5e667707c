// LECTURE, "Gossip-based coordination: aggregation": two nodes that gossip both take the mean of their values.
//
// How fast the values come together depends on who meets whom. Jelasity, Montresor and Babaoglu (2005) have the factor
// by which the variance falls in one round, in which N pairs meet:
// - perfect matchings: two of them, drawn at random, so that everybody meets twice: 1/4;
// - random pairs: N of them, drawn from all: 1/e;
// - in turn: every node starts one exchange with a random other (push-pull, as implementations do): 1/(2√e) = 0.3033.
// The third holds if the order of turns is drawn again in each round. If it stays the same, late nodes find their values
// better mixed and early ones worse, and the factor is 0.2935: `inTurnFactor` follows it through.
// The mean never changes, and so (1, 0, 0, …) ends with 1/N everywhere: the group has counted itself.
// These are rules in flat arrays. Members that ship meet by messages, at times of their own: they are asked, too.

import { lineChart } from '../chart.ts'
import { type Experiment, type Picture, type Row, type RunOptions, row } from '../experiment.ts'
import { bonferroni, meanTolerance, summarise } from '../statistics.ts'
import { Chance, shuffle } from './chance.ts'
import { averaged } from './members.ts'

const SIZE = { small: 10_000, full: 100_000 }
const RUNS = { small: 6, full: 20 }
/** Enough for a mean over rounds; later the few nodes that met nobody for long make up most of the variance. */
const ROUNDS = 8
const CONFIDENCE = 0.999

export interface Pairing {
  readonly name: string
  readonly factor: number
  readonly formula: string
  round(values: Float64Array, chance: Chance): void
}

function meet(values: Float64Array, a: number, b: number): void {
  const mean = (values[a]! + values[b]!) / 2
  values[a] = mean
  values[b] = mean
}

function other(node: number, size: number, chance: Chance): number {
  const drawn = chance.below(size - 1)
  return drawn < node ? drawn : drawn + 1
}

/**
 * What is left of the mean square after a round in turn, N large. `square[x]` belongs to the node whose turn comes at
 * x of the round. When its turn comes at time t it meets anybody: both then have (square[t] + mean)/4; everybody else
 * is met at rate 1. With a new order each round all start alike; with the same order the profile of the last round
 * stays, and the factor is what it settles to.
 */
export function inTurnFactor(order: 'new' | 'same', steps = 500): number {
  let square = new Float64Array(steps).fill(1)
  let factor = 1
  for (let round = 0; round < (order === 'new' ? 1 : 12); round++) {
    let mean = square.reduce((sum, one) => sum + one, 0) / steps
    const before = mean
    for (let turn = 0; turn < steps; turn++) {
      const both = (square[turn]! + mean) / 4
      const turning = square[turn]!
      for (let node = 0; node < steps; node++) square[node]! += ((square[node]! + turning) / 4 - square[node]!) / steps
      square[turn] = both
      mean = square.reduce((sum, one) => sum + one, 0) / steps
    }
    factor = mean / before
    square = square.map(one => one / mean)
  }
  return factor
}

export const pairings: readonly Pairing[] = [
  {
    name: 'perfect matchings',
    factor: 1 / 4,
    formula: '1/4',
    round(values, chance) {
      const order = Int32Array.from({ length: values.length }, (_, place) => place)
      for (let matching = 0; matching < 2; matching++) {
        shuffle(order, chance)
        for (let at = 0; at + 1 < order.length; at += 2) meet(values, order[at]!, order[at + 1]!)
      }
    },
  },
  {
    name: 'random pairs',
    factor: 1 / Math.E,
    formula: '1/e',
    round(values, chance) {
      for (let pair = 0; pair < values.length; pair++) {
        const node = chance.below(values.length)
        meet(values, node, other(node, values.length, chance))
      }
    },
  },
  {
    name: 'in turn, new order',
    factor: 1 / (2 * Math.sqrt(Math.E)),
    formula: '1/(2√e)',
    round(values, chance) {
      const order = Int32Array.from({ length: values.length }, (_, place) => place)
      shuffle(order, chance)
      for (const node of order) meet(values, node, other(node, values.length, chance))
    },
  },
  {
    name: 'in turn, same order',
    factor: inTurnFactor('same'),
    formula: '0.2935',
    round(values, chance) {
      for (let node = 0; node < values.length; node++) meet(values, node, other(node, values.length, chance))
    },
  },
]

export function variance(values: Float64Array): number {
  let mean = 0
  for (const value of values) mean += value
  mean /= values.length
  let sum = 0
  for (const value of values) sum += (value - mean) ** 2
  return sum / (values.length - 1)
}

/** The variance before the first round and after each. */
function fall(pairing: Pairing, size: number, chance: Chance): number[] {
  const values = Float64Array.from({ length: size }, () => chance.unit())
  const variances = [variance(values)]
  for (let round = 0; round < ROUNDS; round++) {
    pairing.round(values, chance)
    variances.push(variance(values))
  }
  return variances
}

export const gossipAverage: Experiment = {
  name: 'gossip-average',
  title: 'The variance of averaging by gossip falls by a constant factor a round; which one, the pairing decides.',
  source: 'LECTURE, "Gossip-based coordination: aggregation"',
  run({ scale, seed, progress }: RunOptions) {
    const size = SIZE[scale]
    const chance = new Chance(seed, 0xa7)
    const falls = pairings.map((pairing, at) => {
      progress(at / pairings.length, pairing.name)
      return Array.from({ length: RUNS[scale] }, () => fall(pairing, size, chance.fork(at)))
    })
    const confidence = bonferroni(CONFIDENCE, pairings.length)
    const rows = pairings.map((pairing, at) => factorRow(pairing, falls[at]!, size, confidence))
    rows.push(...countRows(size, chance), ...SHIPPED[scale].flatMap(members => memberRows(members, seed)))
    return { rows, pictures: [picture(falls)], notes: NOTES }
  },
}

// One run's factor is the mean over its rounds: the last variance over the first, one root for all rounds.
function factorRow(pairing: Pairing, runs: readonly number[][], size: number, confidence: number): Row {
  const factors = runs.map(variances => (variances.at(-1)! / variances[0]!) ** (1 / ROUNDS))
  // The factors are limits for large N; in a group of N the next term is of the order of 1/N, in `inTurnFactor` 1/500.
  const tolerance = meanTolerance(factors, confidence) + 4 / size + (pairing.name.endsWith('same order') ? 1 / 500 : 0)
  const what = `${pairing.name}: variance after a round, of that before, ${pairing.formula}`
  return row(what, summarise(factors).mean, pairing.factor, tolerance)
}

function countRows(size: number, chance: Chance): Row[] {
  const values = new Float64Array(size)
  values[0] = 1
  const inTurn = pairings[2]
  const needed = 60
  for (let round = 0; round < needed; round++) inTurn!.round(values, chance)
  const counts = [1 / Math.max(...values.subarray(0, 1000)), 1 / Math.min(...values.subarray(0, 1000))]
  return [
    row(`one 1, all others 0, ${needed} rounds: smallest 1/v`, Math.min(...counts), size, size * 1e-6, 'nodes'),
    row(`one 1, all others 0, ${needed} rounds: largest 1/v`, Math.max(...counts), size, size * 1e-6, 'nodes'),
  ]
}

const SHIPPED = { small: [16, 64], full: [16, 64, 256] }
/** Rounds that an aggregate has at the least once everybody takes part (member/aggregation.ts). */
const SHIPPED_ROUNDS = 24
/** Pairs drawn at random are the slowest of the pairings: 1/e a round for the variance, its root for the deviation. */
const SLOWEST = Math.exp(-1 / 2)
const DEVIATIONS = 5

/** Members that ship: what the one that asked is told. The pairs of members meet in a mixture of the pairings above. */
function memberRows(members: number, seed: number): Row[] {
  const { told, average, deviation } = averaged(members, seed)
  const what = `the member that ships, N = ${members}`
  const tolerance = DEVIATIONS * deviation * SLOWEST ** SHIPPED_ROUNDS
  return [
    row(`${what}: average of 1 … N that is told`, told?.average ?? Number.NaN, average, tolerance),
    row(`${what}: members that it counts`, told?.size ?? 0, members, 0, 'members'),
  ]
}

const NOTES = [
  'The lecture’s question "what happens if v_i = 1 and all others 0?": every node ends with 1/N, and so knows N.',
  'In turn: 1/(2√e) = 0.3033 is for an order of turns that is new in each round. With the same order in all rounds ' +
    'the factor is 0.2935; the measurements tell them apart.',
  'The member that ships (src/membership) is asked in a simulated world: member k has the value k, the first one asks. What ' +
    'its 24 rounds leave of the spread at the slowest of these factors is the tolerance, five times.',
  'Two perfect matchings a round are what the theory calls one round: N meetings, as in the other two.',
]

function picture(falls: readonly number[][][]): Picture {
  const mean = (runs: readonly number[][], round: number) =>
    summarise(runs.map(variances => variances[round]! / variances[0]!)).mean
  const rounds = Array.from({ length: ROUNDS + 1 }, (_, round) => round)
  return {
    name: 'gossip-average.svg',
    svg: lineChart({
      title: 'Variance of the values, of that at the start',
      x: { label: 'round', min: 0, max: ROUNDS },
      y: { label: 'variance', log: true },
      note: `Means of ${falls[0]!.length} runs.`,
      series: [
        ...pairings.map(({ name }, colour) => ({
          name,
          colour,
          line: false,
          points: rounds.map(round => [round, mean(falls[colour]!, round)] as const),
        })),
        ...pairings.map(({ formula, factor }, colour) => ({
          name: `(${formula})^round`,
          colour,
          dashed: true,
          points: rounds.map(round => [round, factor ** round] as const),
        })),
      ],
    }),
  }
}
