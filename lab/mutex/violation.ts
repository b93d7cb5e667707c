// LECTURE, "Decentralized mutual exclusion": the twelve violation probabilities, exactly, and by simulation.
//
// The sum is computed with whole numbers, so nothing is rounded before the end. The simulation runs the protocol: one
// process enters with m votes, each of its coordinators resets with a given chance, a second asks everybody. Chances
// of 10^-43 never come up, so resets are drawn more often than they happen, and each run weighs as much less
// (importance sampling): the estimate has the right mean, and its spread is known, so Bernstein's bound applies.

import { type Random, seededRandom } from '../../src/core/index.ts'
import {
  choose,
  decentralised,
  type Fraction,
  resetsThatBreak,
  toNumber,
  violationProbability,
} from '../../src/papers/mutex/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { bonferroni } from '../statistics.ts'

export interface Printed {
  readonly coordinators: number
  readonly needed: number
  /** Seconds in an hour that a coordinator is being reset. */
  readonly seconds: number
  /** The lecture prints "< 10^exponent". */
  readonly exponent: number
}

const printed = (coordinators: number, needed: number, seconds: number, exponent: number): Printed => ({
  coordinators,
  needed,
  seconds,
  exponent,
})

export const printedRows: readonly Printed[] = [
  printed(8, 5, 3, -5),
  printed(8, 6, 3, -11),
  printed(16, 9, 3, -4),
  printed(16, 12, 3, -21),
  printed(32, 17, 3, -4),
  printed(32, 24, 3, -43),
  printed(8, 5, 30, -3),
  printed(8, 6, 30, -7),
  printed(16, 9, 30, -2),
  printed(16, 12, 30, -13),
  printed(32, 17, 30, -2),
  printed(32, 24, 30, -27),
]

const RUNS = { small: 240, full: 3_000 }
/** Runs without weights, where a violation comes up once in a few hundred: a few hundred runs would say nothing. */
const PLAIN_RUNS = { small: 0, full: 20_000 }
const PLAIN_LEAST = 1e-3
const CONFIDENCE = 0.999
const HOUR = 3_600n
const SECOND: Micros = 1_000_000

export const violationExperiment: Experiment = {
  name: 'violation-probability',
  title: 'How likely it is that m-of-N votes let two in, when coordinators forget.',
  source: 'LECTURE, "Decentralized mutual exclusion", twelve rows',
  run({ scale, seed, progress }: RunOptions) {
    const random = seededRandom(seed, 0x107e)
    const plain = PLAIN_RUNS[scale] === 0 ? [] : printedRows.filter(of => toNumber(exact(of)) >= PLAIN_LEAST)
    const full = printedRows.filter(of => of.seconds === 30)
    const confidence = bonferroni(CONFIDENCE, printedRows.length + plain.length + full.length)
    const rows = [...printedRows.map(exactRow), ...printedRows.slice(0, 6).flatMap(of => thresholdRows(of, random))]
    for (const [place, of] of printedRows.entries()) {
      progress(place / (printedRows.length + 6), nameOf(of))
      rows.push(simulatedRow(of, of.needed, RUNS[scale], confidence, random.fork(place)))
    }
    progress(0.7, 'without weights')
    for (const of of plain) rows.push(plainRow(of, PLAIN_RUNS[scale], confidence, random.fork(100 + of.coordinators)))
    progress(0.9, 'with all votes')
    for (const of of full) rows.push(simulatedRow(of, of.coordinators, RUNS[scale], confidence, random.fork(of.needed)))
    return { rows, pictures: [picture(rows, RUNS[scale])], notes: notes(RUNS[scale], PLAIN_RUNS[scale]) }
  },
}

function nameOf({ coordinators, needed, seconds }: Printed): string {
  return `N = ${coordinators}, m = ${needed}, ${seconds} s an hour`
}

function resetChance(of: Printed): Fraction {
  return { over: BigInt(of.seconds), under: HOUR }
}

export function exact(of: Printed, held = of.needed): Fraction {
  return violationProbability(of.coordinators, of.needed, resetChance(of), held)
}

// "< 10^-5" says that it lies in the decade below 10^-5: above, it is false; below, a smaller power was to be printed.
function exactRow(of: Printed): Row {
  const bound = Number(`1e${of.exponent}`)
  const measured = toNumber(exact(of))
  const within = measured < bound && measured >= bound / 10
  return { what: `${nameOf(of)}: the sum`, expected: bound, measured, tolerance: 0.9 * bound, within }
}

/** f ≥ 2m - N, by the protocol itself: with so many resets two are inside, with one fewer never. */
function thresholdRows(of: Printed, random: Random): Row[] {
  const breaking = resetsThatBreak(of.coordinators, of.needed, of.needed)
  const inside = (resets: number) => (oneRun(of, of.needed, resets, random).violated ? 2 : 1)
  const what = `N = ${of.coordinators}, m = ${of.needed}`
  return [
    row(`${what}, 2m - N = ${2 * of.needed - of.coordinators} resets: inside`, inside(breaking), 2, 0),
    row(`${what}, one reset fewer: inside`, inside(breaking - 1), 1, 0),
  ]
}

// With the chance at which just enough resets are the rule, every second run counts.
function simulatedRow(of: Printed, held: number, runs: number, confidence: number, random: Random): Row {
  const breaking = resetsThatBreak(of.coordinators, of.needed, held)
  const drawn = Math.min(0.9, breaking / held)
  const spread = weights(of, held, drawn)
  let sum = 0
  for (let run = 0; run < runs; run++) {
    const { resets, violated } = oneRun(of, held, drawn, random)
    if (violated) sum += spread.weight(resets)
  }
  const expected = toNumber(exact(of, held))
  const tolerance = bernstein(spread.variance, spread.largest, runs, confidence)
  const what = held === of.needed ? 'simulated' : 'simulated, holder has all N votes'
  return row(`${nameOf(of)}: ${what}`, sum / runs, expected, tolerance)
}

function plainRow(of: Printed, runs: number, confidence: number, random: Random): Row {
  const chance = of.seconds / Number(HOUR)
  let violations = 0
  for (let run = 0; run < runs; run++) if (oneRun(of, of.needed, chance, random).violated) violations++
  const expected = toNumber(exact(of))
  const tolerance = bernstein(expected * (1 - expected), 1, runs, confidence)
  return row(`${nameOf(of)}: simulated without weights`, violations / runs, expected, tolerance)
}

interface Weights {
  /** How much more likely this number of resets is in truth than as drawn. */
  weight(resets: number): number
  /** Of the weight of one run, counted as 0 without violation. The mean is the probability that is looked for. */
  readonly mean: number
  readonly variance: number
  readonly largest: number
}

export function weights(of: Printed, held: number, drawn: number): Weights {
  const chance = of.seconds / Number(HOUR)
  const weight = (resets: number) => (chance / drawn) ** resets * ((1 - chance) / (1 - drawn)) ** (held - resets)
  const least = resetsThatBreak(of.coordinators, of.needed, held)
  let mean = 0
  let square = 0
  for (let k = least; k <= held; k++) {
    const likely = Number(choose(held, k)) * drawn ** k * (1 - drawn) ** (held - k)
    mean += likely * weight(k)
    square += likely * weight(k) ** 2
  }
  return { weight, mean, variance: square - mean * mean, largest: weight(least) }
}

/** P(|mean - true mean| ≥ t) ≤ 2 exp(-n t² / (2 variance + 2 largest t / 3)), solved for t. */
function bernstein(variance: number, largest: number, runs: number, confidence: number): number {
  const doubt = Math.log(2 / (1 - confidence))
  const linear = (largest * doubt) / (3 * runs)
  return linear + Math.sqrt(linear * linear + (2 * variance * doubt) / runs)
}

/** The protocol itself: a holder with some votes, resets (a chance below 1, or how many), a second that asks all. */
export function oneRun(
  of: Printed,
  held: number,
  resetChance: number,
  random: Random,
): { readonly resets: number; readonly violated: boolean } {
  const { coordinators: count, needed } = of
  const world = new World({ seed: random.below(2 ** 32), network: calm })
  const coordinators = Array.from({ length: count }, (_, place) => `coordinator-${place + 1}`)
  const { protocol, vocabulary } = decentralised({ needed, asked: held })
  const asksAll = decentralised({ needed }).protocol
  for (const id of coordinators) world.add({ id, protocol, peers: coordinators, vocabulary })
  world.add({ id: 'holder', protocol, peers: coordinators, vocabulary })
  world.add({ id: 'second', protocol: asksAll, peers: coordinators, vocabulary })
  for (const id of [...coordinators, 'holder', 'second']) world.start(id)
  const inside = new Set<string>()
  let failed = false
  world.listen((node, event) => {
    const { kind } = event as { kind: string }
    if (kind === 'entered') inside.add(node.spec.id)
    if (kind === 'retrying') failed = true
  })
  world.command('holder', { kind: 'enter', id: 1 })
  world.run(SECOND / 100)
  let resets = 0
  for (const id of coordinators) {
    if (world.node(id).host!.state.votedFor === undefined) continue
    if (resetChance >= 1 ? resets >= resetChance : !random.chance(resetChance)) continue
    resets++
    world.crash(id)
    world.start(id)
  }
  world.command('second', { kind: 'enter', id: 1 })
  // One attempt decides: nothing changes after it.
  while (!failed && !inside.has('second')) world.run(world.now + 1_000)
  return { resets, violated: inside.size === 2 }
}

function notes(runs: number, plainRuns: number): readonly string[] {
  return [
    'p = Δt / T: 3 seconds an hour is 1/1200, 30 are 1/120. "< 10^-5" is read as: in the decade below 10^-5, which is ' +
      'the printed precision. All twelve hold.',
    `Simulated: ${runs} runs of the protocol a row, resets drawn with chance (2m-N)/m and weighed (importance ` +
      `sampling); without weights: ${plainRuns} runs (at full scale), where the probability is at least ${PLAIN_LEAST}. Tolerance: ` +
      `Bernstein’s bound with the exact variance, ${100 * CONFIDENCE} % for all rows together.`,
    'The lecture’s sum is for a holder with exactly m votes, and a second process that asks all. A process that asks ' +
      'all N, as the lecture’s own message count has it, holds N votes when nobody else wants in; then m of N must ' +
      'forget, and two are let in far more rarely: the rows with all N votes.',
    'The sum leaves out that a holder may stay inside for longer than Δt, and that resets may come together (one power ' +
      'cut). Our lock does not rest on it: a server that restarts waits until every lease it may have given is over.',
  ]
}

function picture(rows: readonly Row[], runs: number) {
  const simulated = (seconds: number, wide: boolean) => {
    const chosen = printedRows.filter(
      of => of.seconds === seconds && of.needed === (wide ? (3 * of.coordinators) / 4 : of.coordinators / 2 + 1),
    )
    const found = chosen.map(of => rows.find(one => one.what === `${nameOf(of)}: simulated`)!)
    return {
      line: false,
      points: chosen.map((of, at) => [of.coordinators, found[at]!.measured] as const),
      errors: found.map(one => one.tolerance ?? 0),
    }
  }
  const points = (seconds: number, quorum: (n: number) => number, all: boolean) =>
    [8, 12, 16, 20, 24, 28, 32].map(n => {
      const of = { coordinators: n, needed: quorum(n), seconds, exponent: 0 }
      return [n, toNumber(exact(of, all ? n : of.needed))] as const
    })
  const narrow = (n: number) => n / 2 + 1
  const wide = (n: number) => (3 * n) / 4
  const svg = lineChart({
    title: 'Two inside: probability by N and m',
    x: { label: 'N' },
    y: { label: 'probability', log: true },
    note: `Simulated: ${runs} weighed runs each; bars: what a row is judged by. Dashed: the sum.`,
    series: [
      { name: 'm = N/2 + 1, 30 s/h', points: points(30, narrow, false), dashed: true, colour: 0 },
      { name: 'm = N/2 + 1, 30 s/h, simulated', ...simulated(30, false), colour: 0 },
      { name: 'm = N/2 + 1, 3 s/h', points: points(3, narrow, false), dashed: true, colour: 1 },
      { name: 'm = N/2 + 1, 3 s/h, simulated', ...simulated(3, false), colour: 1 },
      { name: 'm = 3N/4, 30 s/h', points: points(30, wide, false), dashed: true, colour: 2 },
      { name: 'm = 3N/4, 30 s/h, simulated', ...simulated(30, true), colour: 2 },
      { name: 'm = 3N/4, 3 s/h', points: points(3, wide, false), dashed: true, colour: 3 },
      { name: 'm = 3N/4, 3 s/h, simulated', ...simulated(3, true), colour: 3 },
      { name: 'm = N/2 + 1, 30 s/h, N votes held', points: points(30, narrow, true), dashed: true, colour: 4 },
    ],
  })
  return { name: 'violation-probability.svg', svg }
}
