// LECTURE, "Gossip-based coordination": information reaches everybody "in logarithmic rounds". How many exactly?
//
// In every round every node calls one other, drawn at random. Push: who knows tells. Pull: who does not know asks.
// Theory: push takes log2 N + ln N + O(1) rounds (Pittel 1987): first the number of knowers doubles, then the last
// ones must be hit by chance. Pull ends much faster, since the share that does not know is squared in each round.
// Push and pull together: log3 N + O(log log N) (Karp et al. 2000). The O(1) is not known beforehand, so two things are
// judged: what one doubling of N adds (1 + ln 2 = 1.693 rounds for push), and, for a small group, the rounds themselves,
// whose exact expectation follows from the chain of how many know (`exactRounds`).
//
// The member that ships pushes to three in each beat, and news rides on questions and answers besides. With f pushes a
// round it takes log_{f+1} N + (ln N)/f + O(1).

import { membershipBeat } from '../../src/membership/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row, type Scale } from '../experiment.ts'
import { bonferroni, meanTolerance, rateTolerance, summarise } from '../statistics.ts'
import { Chance } from './chance.ts'
import { heard, missRate } from './members.ts'

const EXPONENTS = { small: [8, 10, 12, 14], full: [8, 10, 12, 14, 16, 17] }
const RUNS = { small: 30, full: 60 }
const CONFIDENCE = 0.999
/** Twenty times what push takes for a million nodes: whatever takes longer is a bug. */
const ROUNDS_MAX = 1_000

export const WAYS = ['push', 'pull', 'push-pull'] as const
export type Way = (typeof WAYS)[number]

/** Rounds until everybody knows what one node knew. */
export function spreadRounds(size: number, way: Way, chance: Chance): number {
  const knows = new Uint8Array(size)
  const next = new Uint8Array(size)
  knows[0] = 1
  let knowing = 1
  let rounds = 0
  while (knowing < size && rounds < ROUNDS_MAX) {
    next.set(knows)
    for (let node = 0; node < size; node++) {
      if (way === 'push' && knows[node] === 0) continue
      if (way === 'pull' && knows[node] === 1) continue
      const drawn = chance.below(size - 1)
      const called = drawn < node ? drawn : drawn + 1
      // What was known at the beginning of the round: news does not travel two steps in one.
      if (way !== 'pull' && knows[node] === 1) next[called] = 1
      if (way !== 'push' && knows[called] === 1) next[node] = 1
    }
    knows.set(next)
    knowing = 0
    for (const one of knows) knowing += one
    rounds++
  }
  return rounds
}

/** The group whose exact expectation is worked out, and how often its gossip is run beside it. */
const EXACT_SIZE = 128
const EXACT_RUNS = { small: 2_000, full: 20_000 }

/**
 * The expected rounds, exactly: how many know is a Markov chain. With k of N knowing, each of the k hits some other by
 * push, one ball after the other into N - k urns of N - 1; each that was not hit asks, and finds a knower with k/(N-1).
 */
export function exactRounds(size: number, way: Way): number {
  const expected = new Float64Array(size + 1)
  for (let knowing = size - 1; knowing >= 1; knowing--) {
    const next = learners(size, knowing, way)
    let sum = 1
    for (let more = 1; more <= size - knowing; more++) sum += next[more]! * expected[knowing + more]!
    expected[knowing] = sum / (1 - next[0]!)
  }
  return expected[1]!
}

/** The chances that 0, 1, 2, … learn in the next round. */
function learners(size: number, knowing: number, way: Way): Float64Array {
  const others = size - knowing
  const chances = new Float64Array(others + 1)
  chances[0] = 1
  if (way !== 'pull') {
    for (let call = 0; call < knowing; call++) {
      for (let hit = Math.min(call + 1, others); hit >= 0; hit--) {
        const misses = 1 - (others - hit) / (size - 1)
        chances[hit] = chances[hit]! * misses + (hit > 0 ? (chances[hit - 1]! * (others - hit + 1)) / (size - 1) : 0)
      }
    }
  }
  if (way === 'push') return chances
  // Who was not hit asks, one after the other; who learned by asking is counted beside those that were hit.
  const finds = knowing / (size - 1)
  const both = new Float64Array(others + 1)
  if (finds === 1) {
    both[others] = 1
    return both
  }
  for (let hit = 0; hit <= others; hit++) {
    let ways = chances[hit]! * (1 - finds) ** (others - hit)
    for (let found = 0; found <= others - hit; found++) {
      both[hit + found]! += ways
      ways *= ((others - hit - found) / (found + 1)) * (finds / (1 - finds))
    }
  }
  return both
}

function exactRow(way: Way, runs: number, chance: Chance): Row {
  const rounds = Array.from({ length: runs }, () => spreadRounds(EXACT_SIZE, way, chance))
  const tolerance = meanTolerance(rounds, bonferroni(CONFIDENCE, WAYS.length))
  const what = `${way}, N = ${EXACT_SIZE}: rounds, by the exact chain`
  return row(what, summarise(rounds).mean, exactRounds(EXACT_SIZE, way), tolerance, 'rounds')
}

interface Measured {
  readonly exponent: number
  readonly rounds: readonly number[]
}

export const gossipSpread: Experiment = {
  name: 'gossip-spread',
  title: 'Rounds until gossip has reached everybody, against log N.',
  source: 'LECTURE, "Gossip-based coordination": logarithmic rounds',
  run({ scale, seed, progress }: RunOptions) {
    const chance = new Chance(seed, 0x5b)
    const exponents = EXPONENTS[scale]
    const lines = WAYS.map((way, at) => {
      const measured = exponents.map(exponent => {
        progress((at + exponent / 20) / WAYS.length, `${way}, N = 2^${exponent}`)
        const rounds = Array.from({ length: RUNS[scale] }, () => spreadRounds(2 ** exponent, way, chance))
        return { exponent, rounds }
      })
      return { way, measured }
    })
    const members = SHIPPED.sizes[scale].map(exponent => {
      const runs = Array.from({ length: SHIPPED.runs[scale] }, (_, run) => heard(2 ** exponent, seed + run))
      return {
        exponent,
        rounds: runs.map(({ beats }) => beats),
        missed: runs.reduce((sum, { missed }) => sum + missed, 0),
      }
    })
    const rows = lines.flatMap(({ way, measured }) => [
      ...measured.map(({ exponent, rounds }) =>
        row(`${way}, N = 2^${exponent}: rounds`, summarise(rounds).mean, null, null, 'rounds'),
      ),
      ...slopeRow(way, measured, bonferroni(CONFIDENCE, 2)),
      exactRow(way, EXACT_RUNS[scale], chance.fork(WAYS.indexOf(way))),
    ])
    rows.push(...memberRows(members, scale))
    return { rows, pictures: [{ name: 'gossip-spread.svg', svg: chart(lines, members) }], notes: NOTES }
  },
}

/** What a doubling of N adds, between the smallest and the largest group. */
function slopeOf(measured: readonly Measured[], confidence: number): { slope: number; tolerance: number } {
  const first = measured[0]!
  const last = measured.at(-1)!
  const doublings = last.exponent - first.exponent
  const slope = (summarise(last.rounds).mean - summarise(first.rounds).mean) / doublings
  // The theorem's O(1) may differ between the two sizes, by one round say.
  const means = meanTolerance(first.rounds, confidence) + meanTolerance(last.rounds, confidence)
  return { slope, tolerance: (means + 1) / doublings }
}

function slopeRow(way: Way, measured: readonly Measured[], confidence: number): Row[] {
  const { slope, tolerance } = slopeOf(measured, confidence)
  const what = `${way}: rounds that a doubling of N adds`
  if (way === 'push') return [row(`${what}, 1 + ln 2`, slope, 1 + Math.LN2, tolerance, 'rounds')]
  // Between nothing and one: at most as fast as the knowers can triple, at least as slow as they double.
  return [row(`${what}; push-pull tends to log3 2 = 0.63`, slope, null, null, 'rounds')]
}

const SHIPPED = { sizes: { small: [4, 6], full: [4, 6, 8] }, runs: { small: 5, full: 20 } }

/** What a doubling of N adds where everybody pushes to so many in a round. */
const doublingAdds = (pushes: number) => 1 / Math.log2(pushes + 1) + Math.LN2 / pushes

/** The least and the most that a member pushes in a beat: by gossip alone, and with a question and an answer each probe. */
const PUSHES = [
  membershipBeat.gossipFanout,
  membershipBeat.gossipFanout + (2 * membershipBeat.gossipEvery) / membershipBeat.probeEvery,
] as const

/** Between the sizes of the small scale there are two doublings, which one round more or less hides: not judged there. */
function memberRows(measured: readonly (Measured & { readonly missed: number })[], scale: Scale): Row[] {
  const what = 'the member that ships'
  const [slow, fast] = PUSHES.map(doublingAdds) as [number, number]
  const { slope, tolerance } = slopeOf(measured, CONFIDENCE)
  // Events are told a limited number of times and are not repaired: now and then one misses somebody.
  const told = measured.map(({ exponent, rounds }) => rounds.length * (2 ** exponent - 1))
  const trials = told.reduce((sum, one) => sum + one, 0)
  const rate = measured.reduce((sum, { exponent }, at) => sum + told[at]! * missRate(2 ** exponent), 0) / trials
  const missed = measured.reduce((sum, one) => sum + one.missed, 0)
  return [
    ...measured.map(({ exponent, rounds }) =>
      row(`${what}, N = 2^${exponent}: beats`, summarise(rounds).mean, null, null, 'rounds'),
    ),
    row(
      `${what}: members that an event misses, (1 - 1/(N-1))^(told · (N-1))`,
      missed / trials,
      rate,
      rateTolerance(rate, trials, CONFIDENCE),
      'of members',
    ),
    row(
      `${what}: beats that a doubling of N adds, 1/log2(f + 1) + (ln 2)/f`,
      slope,
      scale === 'full' ? (slow + fast) / 2 : null,
      (slow - fast) / 2 + tolerance,
      'rounds',
    ),
  ]
}

function chart(
  lines: readonly { readonly way: Way; readonly measured: readonly Measured[] }[],
  members: readonly Measured[],
): string {
  const exponents = lines[0]!.measured.map(({ exponent }) => exponent)
  const all = [...lines.map(({ way, measured }) => ({ name: way as string, measured }))]
  all.push({ name: 'members that ship, beats', measured: members })
  return lineChart({
    title: 'Rounds until everybody knows',
    x: { label: 'log2 N' },
    y: { label: 'rounds', min: 0 },
    note: `Means of ${lines[0]!.measured[0]!.rounds.length} runs, of members ${members[0]!.rounds.length}; bars: two deviations of the mean.`,
    series: [
      ...all.map(({ name, measured }) => ({
        name,
        points: measured.map(({ exponent, rounds }) => [exponent, summarise(rounds).mean] as const),
        errors: measured.map(({ rounds }) => (2 * summarise(rounds).deviation) / Math.sqrt(rounds.length)),
      })),
      {
        name: 'log2 N + ln N',
        dashed: true,
        colour: 0,
        points: exponents.map(exponent => [exponent, exponent + exponent * Math.LN2] as const),
      },
      {
        name: 'log3 N',
        dashed: true,
        colour: 2,
        points: exponents.map(exponent => [exponent, exponent / Math.log2(3)] as const),
      },
    ],
  })
}

const NOTES = [
  'The member that ships (src/membership) publishes in a simulated world. A beat is a tenth of a second; it pushes to three in ' +
    'each, and news rides on a question and an answer each probe, so that f is between 3 and 3.7. Each tells an event ' +
    'λ ⌈log10(N + 1)⌉ times, and nothing repairs it: among 64 one in fifty misses somebody.',
  'In every round every node calls one other, drawn at random from all. News travels one step a round.',
  '"Logarithmic rounds" holds for all three; the factor differs by almost three between push and push-pull.',
]
