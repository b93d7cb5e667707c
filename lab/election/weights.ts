// SRCEA, equation 2: the weights as printed elect the least wanted candidate. How often, and how little it is wanted.

import { type Random, seededRandom } from '../../src/core/index.ts'
import { tally } from '../../src/papers/srcea/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'

const SIZES = { small: [50], full: [10, 50, 100, 500] }
const ELECTIONS = { small: 400, full: 5_000 }
const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
]

interface Outcome {
  /** The literal winner has the fewest points by the weights that are meant. */
  readonly leastWanted: boolean
  readonly same: boolean
  /** The share of voters that have the winner first. */
  readonly literalFirst: number
  readonly meantFirst: number
}

// One leaning for a whole electorate, so that some candidate is really wanted: every voter is of one of two minds.
function oneElection(voters: number, candidates: 2 | 3, random: Random): Outcome {
  const ranked =
    candidates === 3
      ? ORDERS
      : [
          [0, 1],
          [1, 0],
        ]
  const favourite = ranked[random.below(ranked.length)]!
  const leaning = random.unit()
  const ballots = Array.from({ length: voters }, () =>
    random.chance(leaning) ? favourite : ranked[random.below(ranked.length)]!,
  )
  const places = candidates === 3 ? [0, 1, 2] : [0, 1]
  const literal = tally(places, ballots, voters, 'literal')
  const meant = tally(places, ballots, voters, 'meant')
  const first = (winner: number) => ballots.filter(([best]) => best === winner).length / voters
  return {
    leastWanted: meant.points[literal.winner] === Math.min(...meant.points),
    same: literal.winner === meant.winner,
    literalFirst: first(literal.winner),
    meantFirst: first(meant.winner),
  }
}

export const weightsErratum: Experiment = {
  name: 'errata-srcea-weights',
  title: 'Equation 2 as printed elects the least wanted candidate; with the weights 3, 2, 1 the most wanted.',
  source: 'SRCEA §3.2, equation 2; algorithm 2, lines 32–34',
  run({ scale, seed, progress }: RunOptions) {
    const random = seededRandom(seed, 0xe2)
    const sizes = SIZES[scale]
    const rows = sizes.flatMap((size, at) => {
      progress(at / sizes.length, `n = ${size}`)
      return ([2, 3] as const).flatMap(candidates => electorateRows(size, candidates, ELECTIONS[scale], random))
    })
    return { rows, pictures: [], notes: NOTES }
  },
}

function electorateRows(size: number, candidates: 2 | 3, elections: number, random: Random): Row[] {
  const outcomes = Array.from({ length: elections }, () => oneElection(size, candidates, random))
  const rate = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length / elections
  const mean = (of: (outcome: Outcome) => number) => outcomes.reduce((sum, one) => sum + of(one), 0) / elections
  const what = `n = ${size}, ${candidates} candidates`
  return [
    // The two sums of a candidate add up to the same for all: the largest of one is the smallest of the other.
    row(
      `${what}: literal weights elect the least wanted`,
      rate(one => one.leastWanted),
      1,
      0,
      'of elections',
    ),
    row(
      `${what}: literal and meant weights elect the same`,
      rate(one => one.same),
      null,
      null,
      'of elections',
    ),
    row(
      `${what}: voters that have the winner first, literal`,
      mean(one => one.literalFirst),
      null,
      null,
      'of voters',
    ),
    row(
      `${what}: voters that have the winner first, 3, 2, 1`,
      mean(one => one.meantFirst),
      null,
      null,
      'of voters',
    ),
  ]
}

const NOTES = [
  'Electorates are drawn: a leaning between 0 and 1, a favourite order, and voters that follow it with that chance ' +
    'and otherwise rank at random.',
  'It is not a matter of chance: a vote of preference j gives j points as printed and 4 - j as meant, so the two ' +
    'sums of a candidate add up to four times the ballots, for everybody. They elect the same only in a tie.',
]
