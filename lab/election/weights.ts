// SRCEA, equation 2: the weights as printed elect the least wanted candidate. How often, and how little it is wanted.

import { type NodeId, type Random, seededRandom } from '../../src/core/index.ts'
import { ATTRIBUTES, tally } from '../../src/papers/srcea/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { srceaCost } from './measure.ts'

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
  /** The literal winner is the least wanted. */
  readonly leastWanted: boolean
  /** The winner by 3, 2, 1 is the most wanted. */
  readonly mostWanted: boolean
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
  const wanted = wantedBy(ballots, places)
  const first = (winner: number) => ballots.filter(([best]) => best === winner).length / voters
  return {
    leastWanted: wanted[literal.winner] === Math.min(...wanted),
    mostWanted: wanted[meant.winner] === Math.max(...wanted),
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
    const machine = (['meant', 'literal'] as const).map(weights => machineRow(weights, MACHINES[scale], random))
    return { rows: [...rows, ...machine], pictures: [], notes: NOTES }
  },
}

const MACHINES = { small: 20, full: 200 }
const MEMBERS = 12

/** How much each is wanted, without any weights: how many others each voter would rather not have, summed up. */
function wantedBy(ballots: readonly (readonly number[])[], places: readonly number[]): number[] {
  return places.map(place => ballots.reduce((sum, ballot) => sum + ballot.length - 1 - ballot.indexOf(place), 0))
}

/** The machine of algorithm 2 elects: every member has priorities of its own, and with them one of three ballots. */
function machineRow(weights: 'literal' | 'meant', elections: number, random: Random): Row {
  // By `attributesOf`, who is best in the first priority is first, and the others follow in the order of their numbers.
  const BALLOTS = [
    [0, 1, 2],
    [1, 0, 2],
    [2, 0, 1],
  ]
  let right = 0
  for (let election = 0; election < elections; election++) {
    const first = Array.from({ length: MEMBERS }, () => random.below(ATTRIBUTES.length))
    const priorities = (member: NodeId) => {
      const mine = ATTRIBUTES[first[Number(member.split('-')[1]) - 1]!]!
      return [mine, ...ATTRIBUTES.filter(name => name !== mine)]
    }
    const { leader } = srceaCost(MEMBERS, 3, { priorities, weights })
    const wanted = wantedBy(
      first.map(choice => BALLOTS[choice]!),
      [0, 1, 2],
    )
    const due = weights === 'meant' ? Math.max(...wanted) : Math.min(...wanted)
    if (leader !== undefined && wanted[Number(leader.split('-')[1]) - 1] === due) right++
  }
  const whom =
    weights === 'meant' ? 'weights 3, 2, 1: elects the most wanted' : 'weights as printed: elects the least wanted'
  return row(`the machine, n = ${MEMBERS}, ${whom}`, right / elections, 1, 0, 'of elections')
}

function electorateRows(size: number, candidates: 2 | 3, elections: number, random: Random): Row[] {
  const outcomes = Array.from({ length: elections }, () => oneElection(size, candidates, random))
  const rate = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length / elections
  const mean = (of: (outcome: Outcome) => number) => outcomes.reduce((sum, one) => sum + of(one), 0) / elections
  const what = `n = ${size}, ${candidates} candidates`
  return [
    row(
      `${what}: weights 3, 2, 1 elect the most wanted`,
      rate(one => one.mostWanted),
      1,
      0,
      'of elections',
    ),
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
  'Wanted means: how many others each voter ranks below a candidate, summed over the voters. It is counted here, without ' +
    'the weights that are looked at.',
  'Electorates are drawn: a leaning between 0 and 1, a favourite order, and voters that follow it with that chance ' +
    'and otherwise rank at random.',
  'It is not a matter of chance: a vote of preference j gives j points as printed and 4 - j as meant, so the two ' +
    'sums of a candidate add up to four times the ballots, for everybody. They elect the same only in a tie.',
]
