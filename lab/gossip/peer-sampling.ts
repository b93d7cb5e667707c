// LECTURE, "Gossip-based coordination: peer sampling", and "gathering statistics": how many lists a node is in.
//
// The lecture says that picking from the local list is indistinguishable from picking from all. That is two claims:
// that every node is in about as many lists (the in-degree), and that picks add up evenly over time. The second is
// measured by everybody picking once a round: with fair picks the number of times that a node was picked has a variance
// equal to its mean (dispersion 1). A rule that favours some nodes for long shows more.

import { lineChart, type Series } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row, type Scale } from '../experiment.ts'
import { Brahms } from './brahms.ts'
import { Chance } from './chance.ts'
import { inDegreesOf, shipped } from './shipped.ts'
import { type Rule, Views } from './views.ts'

const SIZE = { small: 2_000, full: 100_000 }
const LENGTH = { small: 20, full: 30 }
/** Cyclon is given the 300 rounds of the lecture's attack; it is what the time and the memory are measured with. */
const ROUNDS: Record<Scale, Partial<Record<Rule, number>>> = {
  small: { 'swap-oldest': 40, 'swap-random': 40, newest: 40, blind: 40 },
  full: { 'swap-oldest': 300, 'swap-random': 100, newest: 100, blind: 100 },
}
const BRAHMS = {
  small: { size: 1_000, view: 20, samplers: 20, attackers: 0, rounds: 40 },
  full: { size: 3_000, view: 30, samplers: 30, attackers: 0, rounds: 60 },
}
const NAMES: Partial<Record<Rule, string>> = {
  'swap-oldest': 'Cyclon (swap, oldest partner)',
  'swap-random': 'swap, random partner',
  newest: 'Newscast (keep the newest)',
  blind: 'keep any',
}

/**
 * The deviation of the in-degree and the dispersion of picks, by rule: means of six runs at small scale, of one at full.
 * The first says whether anybody exchanges at all: where nobody does, it stays the random graph's.
 */
const EXPECTED: Record<Scale, Partial<Record<Rule, readonly [deviation: number, dispersion: number]>>> = {
  small: { 'swap-oldest': [2.16, 1.07], 'swap-random': [3.53, 1.5], newest: [9.57, 1.75], blind: [16.3, 12.6] },
  full: { 'swap-oldest': [1.1, 0.97], 'swap-random': [3.89, 1.64], newest: [14.6, 1.93], blind: [29.3, 41.6] },
}
/** Deviations of N equal counts vary by 1/√(2N) of themselves, their squares by twice that; these are less equal. */
const DEVIATIONS = 8
const SHARE_LEAST = 0.05

function shareOf(size: number): number {
  return Math.max(SHARE_LEAST, DEVIATIONS / Math.sqrt(2 * size))
}

interface Spread {
  readonly mean: number
  readonly deviation: number
  readonly most: number
}

export function spreadOf(counts: Int32Array): Spread {
  let sum = 0
  let squares = 0
  let most = 0
  for (const count of counts) {
    sum += count
    squares += count * count
    if (count > most) most = count
  }
  const mean = sum / counts.length
  return { mean, deviation: Math.sqrt(squares / counts.length - mean * mean), most }
}

interface Sampled {
  readonly name: string
  readonly degrees: Int32Array
  readonly rows: readonly Row[]
}

function sample(rule: Rule, rounds: number, scale: Scale, chance: Chance): Sampled {
  const size = SIZE[scale]
  const length = LENGTH[scale]
  const views = new Views(size, length, rule, chance.fork(1))
  const picks = new Int32Array(size)
  const start = process.cpuUsage()
  for (let round = 0; round < rounds; round++) {
    views.runRound()
    // After some rounds, when the random start is forgotten.
    if (round < rounds / 4) continue
    for (let node = 0; node < size; node++) picks[views.links[node * length + chance.below(length)]!]!++
  }
  // Of this process alone, whatever else the machine does.
  const { user, system } = process.cpuUsage(start)
  const seconds = (user + system) / 1e6
  const degrees = views.inDegrees()
  const name = NAMES[rule]!
  const picked = spreadOf(picks)
  const [deviation, dispersion] = EXPECTED[scale][rule]!
  const share = shareOf(size)
  const rows = [
    ...degreeRows(name, degrees, length, [deviation, share * deviation]),
    row(
      `${name}: dispersion of picks, 1 if fair`,
      picked.deviation ** 2 / picked.mean,
      dispersion,
      2 * share * dispersion,
    ),
    row(`${name}: ${size} nodes × ${rounds} rounds`, seconds, null, null, 's of CPU'),
  ]
  return { name, degrees, rows }
}

/** Every list is full, so the mean is c. */
function degreeRows(
  name: string,
  degrees: Int32Array,
  length: number,
  [expected, tolerance]: readonly [number | null, number | null] = [null, null],
): Row[] {
  const { mean, deviation, most } = spreadOf(degrees)
  return [
    row(`${name}: mean in-degree`, mean, length, 1e-9),
    row(`${name}: deviation of the in-degree`, deviation, expected, tolerance),
    row(`${name}: largest in-degree`, most, null, null),
  ]
}

export const peerSampling: Experiment = {
  name: 'peer-sampling',
  title: 'How many lists each node is in, and how fair picks from the local list are, for five rules of exchange.',
  source: 'LECTURE, "Gossip-based coordination: peer sampling"; "gathering statistics", in-degree distribution',
  run({ scale, seed, progress }: RunOptions) {
    const chance = new Chance(seed, 0x9e)
    const plan = Object.entries(ROUNDS[scale]) as [Rule, number][]
    const start = randomStart(scale, chance)
    const sampled = plan.map(([rule, rounds], at) => {
      progress(at / (plan.length + 1), NAMES[rule]!)
      return sample(rule, rounds, scale, chance.fork(at))
    })
    progress(0.9, 'Brahms')
    const brahms = sampleBrahms(scale, chance)
    const rows = [
      ...start.rows,
      ...sampled.flatMap(one => one.rows),
      ...brahms.rows,
      ...shippedRows(scale, seed),
      memoryRow(),
    ]
    const drawn = [start, ...sampled, ...(scale === 'small' ? [] : [brahms])]
    return { rows, pictures: [{ name: 'peer-sampling.svg', svg: chart(drawn) }], notes: NOTES }
  },
}

/** A random graph: binomial in-degrees, and the reference for the others. */
function randomStart(scale: Scale, chance: Chance): Sampled {
  const size = SIZE[scale]
  const length = LENGTH[scale]
  const degrees = new Views(size, length, 'swap-random', chance.fork(99)).inDegrees()
  const expected = Math.sqrt(length * (1 - length / (size - 1)))
  const name = 'random graph'
  const rows = [
    row(
      `${name}: deviation of the in-degree, √c`,
      spreadOf(degrees).deviation,
      expected,
      (5 * expected) / Math.sqrt(2 * size),
    ),
  ]
  return { name, degrees, rows }
}

function sampleBrahms(scale: Scale, chance: Chance): Sampled {
  const { rounds, ...options } = BRAHMS[scale]
  const brahms = new Brahms(options, chance.fork(98))
  for (let round = 0; round < rounds; round++) brahms.runRound()
  const degreesOf = (references: Int32Array) => {
    const degrees = new Int32Array(options.size)
    for (const id of references) degrees[id]!++
    return degrees
  }
  const views = degreesOf(brahms.views)
  const samples = degreesOf(brahms.samples)
  const name = `Brahms, N = ${options.size}`
  const expected = Math.sqrt(options.samplers)
  const rows = [
    ...degreeRows(`${name}, views`, views, options.view),
    // Samplers that have seen everybody pick anybody: binomial again.
    row(
      `${name}, samples: deviation of the in-degree, √l2`,
      spreadOf(samples).deviation,
      expected,
      (6 * expected) / Math.sqrt(2 * options.size),
    ),
  ]
  return { name, degrees: views, rows }
}

/** `seen`: the deviation of the in-degree in other runs, small 40 of them and full 16: its mean, and that of one run. */
const SHIPPED = {
  small: { size: 200, rounds: 40, seen: [3.97, 0.216] },
  full: { size: 1_000, rounds: 100, seen: [4.07, 0.093] },
} as const
/** One run may be this many of its deviations away: once in two million. */
const RUN_DEVIATIONS = 5

/**
 * The machine that ships, from a ring on which everybody knows the next ten. How even its in-degrees become depends on how
 * often two lists hold the same reference, about c²/N in an exchange: what both have cannot be swapped, so one reference
 * is copied and another lost. The flat arrays show it too: at N = 1,000 Cyclon's deviation is 4.5, at 100,000 it is 1.1.
 */
function shippedRows(scale: Scale, seed: number): Row[] {
  const { size, rounds, seen } = SHIPPED[scale]
  const length = LENGTH[scale]
  const degrees = inDegreesOf(shipped({ size, rounds, seed, settings: { view: length, exchange: length / 2 } }))
  const name = `the service that ships, N = ${size}`
  return degreeRows(name, degrees, length, [seen[0], RUN_DEVIATIONS * seen[1]])
}

function memoryRow(): Row {
  return row('memory of the process', Math.round(process.memoryUsage().rss / 1e6), null, null, 'MB')
}

function chart(sampled: readonly Sampled[]): string {
  const points = (degrees: Int32Array): Series['points'] => {
    const most = Math.min(120, spreadOf(degrees).most)
    const shares = new Float64Array(most + 1)
    for (const degree of degrees) if (degree <= most) shares[degree]! += 1 / degrees.length
    return [...shares].map((share, degree) => [degree, share] as const)
  }
  return lineChart({
    title: 'In-degree distribution',
    x: { label: 'lists that a node is in', min: 0 },
    y: { label: 'share of nodes', min: 0 },
    note: 'One run of each rule: every node is counted.',
    series: sampled.map(({ name, degrees }, place) => ({ name, points: points(degrees), dashed: place === 0 })),
  })
}

const NOTES = [
  'The rules are run in flat arrays; the service that ships (Cyclon, src/membership/services) as its own machine in a ' +
    'simulated world, from a ring on which everybody knows the next ten.',
  'Mean in-degrees are c because every list is full. Swaps keep in-degrees closer together than a random graph does; ' +
    'keeping the newest, or any, lets some nodes be in many lists and others in few.',
  'In small groups swaps are less even than in large ones: where two lists hold the same reference it cannot be swapped. ' +
    'With c = 30 the deviation under Cyclon is 1.1 at N = 100,000 and above 4 at N = 1,000, the random graph’s 5.4.',
  'So the lecture’s "indistinguishable" holds for swaps; with the others some are picked too often.',
]
