// LECTURE, "Election algorithms", and SRCEA: messages and time of every algorithm of the field, the top member down.

import type { NodeId } from '../../src/core/index.ts'
import { seededRandom } from '../../src/core/index.ts'
import {
  type AnyElectionAlgorithm,
  bully,
  expectedTries,
  leadingZeros,
  proofOfStake,
  proofOfWork,
  raft,
  raftDefaults,
  ring,
  ringOfTwo,
  solutionHash,
  wireless,
  workDefaults,
  zookeeper,
} from '../../src/papers/elections/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { bonferroni, meanTolerance, rateTolerance, summarise } from '../statistics.ts'
import { type Cost, electionCost, namesOf, ONE_RUN, type Situation, srceaCost } from './measure.ts'

const SIZES = { small: [4, 16, 33], full: [4, 8, 16, 32, 64, 128, 256] }
/** T: ten message times. A node that is silent for that long is down. */
const TIMEOUT_MS = 10
const DIFFICULTIES = { small: [2, 4, 6], full: [2, 4, 6, 8, 10, 12] }
const RACES = { small: 200, full: 1_000 }
const CONFIDENCE = 0.999

const numberOf = (member: NodeId) => Number(member.split('-')[1])

interface Line {
  readonly name: string
  readonly algorithm: AnyElectionAlgorithm
  readonly notices: Situation['notices']
  /** Where the count does not depend on chance. */
  messages?(size: number): number
  /** In message times, where it does not. T is the time-out. */
  time?(size: number): number
  /** The number of the member that must win, where it is not drawn. */
  winner?(size: number): number
}

/** T is 10 message times. */
const T = TIMEOUT_MS
/** The highest, the richest and the best are the same here, and down: the next one wins. */
const highestUp = (size: number) => size - 1

export const lines: readonly Line[] = [
  {
    name: 'bully, the lowest notices: n(n-1)',
    winner: highestUp,
    algorithm: bully({ timeoutMs: T }),
    notices: 'lowest',
    messages: size => size * (size - 1),
    // The highest that is up is asked at time 1, waits, and tells.
    time: () => T + 2,
  },
  {
    name: 'bully, the highest left notices: n',
    winner: highestUp,
    algorithm: bully({ timeoutMs: T }),
    notices: 'highest',
    messages: size => size,
    time: () => T + 1,
  },
  {
    name: 'bully, all notice: n(n-1)',
    winner: highestUp,
    algorithm: bully({ timeoutMs: T }),
    notices: 'all',
    messages: size => size * (size - 1),
    time: () => T + 1,
  },
  {
    name: 'ring, one notices: 4(n-1)+1',
    winner: highestUp,
    algorithm: ring({ timeoutMs: T }),
    notices: 'lowest',
    messages: size => 4 * (size - 1) + 1,
    // Two laps of those that are up, and one wait for the one that is not.
    time: size => 2 * (size - 1) + T,
  },
  {
    name: 'ZooKeeper, the lowest notices: (2n-3)(n-1)',
    winner: highestUp,
    algorithm: zookeeper({ settleMs: T, transaction: () => 0 }),
    notices: 'lowest',
    // All but the best tell all twice: their own vote, then the best.
    messages: size => (2 * size - 3) * (size - 1),
    time: () => T + 3,
  },
  {
    name: 'ZooKeeper, the second has the latest transaction',
    winner: () => 2,
    algorithm: zookeeper({ settleMs: T, transaction: member => (numberOf(member) === 2 ? 7 : 1) }),
    notices: 'lowest',
  },
  {
    name: 'Raft, one notices: 3n-4',
    // Who asks first is voted for by all: nobody has anything that another lacks.
    winner: () => 1,
    algorithm: raft({ ...raftDefaults, timeoutMs: T, spreadMs: 1 }),
    notices: 'lowest',
    messages: size => 3 * size - 4,
    time: () => 3,
  },
  {
    name: 'proof of work, K = 8, one notices',
    algorithm: proofOfWork({ ...workDefaults, settleMs: T, tries: () => 1 }),
    notices: 'lowest',
  },
  {
    name: 'proof of stake, one notices: 5n-7',
    algorithm: proofOfStake({ timeoutMs: T, tokens: numberOf }),
    notices: 'lowest',
    messages: size => 5 * size - 7,
    // Commitments are waited for until the time-out; then three more messages, one after the other.
    time: () => T + 3,
  },
  {
    name: 'wireless, four neighbours each',
    winner: highestUp,
    algorithm: wireless({ timeoutMs: T, capacity: numberOf, neighbours: ringOfTwo }),
    notices: 'lowest',
    messages: wirelessMessages,
  },
]

/** Every member up asks all neighbours but its parent, those that are up answer; then reports and results. */
function wirelessMessages(size: number): number {
  const members = namesOf(size)
  const up = new Set(members.slice(0, -1))
  const asked = [...up].flatMap(member => [...ringOfTwo(member, members)])
  const answered = asked.filter(member => up.has(member)).length
  const tree = up.size - 1
  return asked.length - tree + (answered - tree) + 2 * tree
}

export const electionsTable: Experiment = {
  name: 'elections-table',
  title: 'Messages and time of eight election algorithms, the top member down.',
  source: 'LECTURE, "Election algorithms"; SRCEA, algorithm 2',
  run({ scale, seed, progress }: RunOptions) {
    const sizes = SIZES[scale]
    const measured = sizes.flatMap((size, at) => {
      progress(at / (sizes.length + 1), `n = ${size}`)
      return lines.map(line => ({ line, size, cost: cost(line, size, seed) }))
    })
    const rows = measured.flatMap(({ line, size, cost: one }) => lineRows(line, size, one))
    progress(0.9, 'proof of work')
    const work = workRows(scale, seed)
    const srcea = sizes.flatMap(srceaRows)
    const stake = stakeRow(RACES[scale], seed)
    const pictures = scale === 'full' ? [{ name: 'elections-messages.svg', svg: chart(measured) }] : []
    return { rows: [...rows, ...srcea, stake, ...work], pictures, notes: NOTES }
  },
}

function cost({ algorithm, notices }: Line, size: number, seed: number): Cost {
  return electionCost(algorithm, { size, down: 1, notices, seed })
}

function lineRows(line: Line, size: number, { messages, time, leader }: Cost): Row[] {
  const judged = (what: string, value: number, expected: number | undefined, unit: string) =>
    row(what, value, expected ?? null, expected === undefined ? null : 0, unit)
  const what = `n = ${size}, ${line.name}`
  return [
    judged(`${what}`, messages, line.messages?.(size), 'messages'),
    judged(`${what}: until all know`, time, line.time?.(size), 'message times'),
    row(`${what}: all agree`, leader === undefined ? 0 : 1, 1, 0),
    winnerRow(what, line, size, leader),
  ]
}

/** Who wins: the one that must, or anybody that is up where chance decides. */
function winnerRow(what: string, line: Line, size: number, leader: NodeId | undefined): Row {
  const number = leader === undefined ? Number.NaN : numberOf(leader)
  if (line.winner !== undefined) return row(`${what}: the winner’s number`, number, line.winner(size), 0)
  return row(`${what}: the winner is up`, number >= 1 && number < size ? 1 : 0, 1, 0)
}

/** SRCEA's nodes notice by themselves and leave the failed one out: n - 1 take part. */
function srceaRows(size: number): Row[] {
  const left = size - 1
  if (left < 3) return []
  const { messages, leader } = srceaCost(left, 3)
  const what = `n = ${size}, SRCEA as printed, three candidates of ${left}`
  return [
    row(`${what}: 5(n-1)-7`, messages, 5 * left - 7, 0, 'messages'),
    row(`${what}: all agree`, leader === undefined ? 0 : 1, 1, 0),
  ]
}

/** Tokens of the four members; the fourth is down, and its tokens take no part. */
const TOKENS = [12, 3, 1, 64]

/** A member's chance is its share of the tokens of those that take part. */
function stakeRow(draws: number, seed: number): Row {
  const algorithm = proofOfStake({ timeoutMs: T, tokens: member => TOKENS[numberOf(member) - 1]! })
  const won = Array.from({ length: draws }, (_, draw) => {
    const { leader } = electionCost(algorithm, { size: TOKENS.length, down: 1, notices: 'lowest', seed: seed + draw })
    return leader === 'member-1' ? 1 : 0
  })
  const share = TOKENS[0]! / (TOKENS[0]! + TOKENS[1]! + TOKENS[2]!)
  const tolerance = rateTolerance(share, draws, CONFIDENCE)
  return row(
    'proof of stake, 12 of the 16 tokens that take part: wins',
    summarise(won).mean,
    share,
    tolerance,
    'of draws',
  )
}

function workRows(scale: 'small' | 'full', seed: number): Row[] {
  const random = seededRandom(seed, 0x70)
  const confidence = bonferroni(CONFIDENCE, DIFFICULTIES[scale].length)
  return DIFFICULTIES[scale].map(difficulty => {
    const tries = Array.from({ length: RACES[scale] }, (_, race) => {
      for (let count = 1; ; count++) {
        if (leadingZeros(solutionHash('member-1', race, random.bytes(32))) >= difficulty) return count
      }
    })
    const expected = expectedTries(difficulty)
    const what = `proof of work, K = ${difficulty}: tries until solved, 2^K`
    return row(what, summarise(tries).mean, expected, meanTolerance(tries, confidence), 'tries')
  })
}

function chart(measured: readonly { readonly line: Line; readonly size: number; readonly cost: Cost }[]): string {
  return lineChart({
    title: 'Messages of an election, the top member down',
    x: { label: 'n', log: true },
    y: { label: 'messages', log: true },
    note: ONE_RUN,
    series: lines
      .filter(line => !line.name.includes('all notice'))
      .map(line => ({
        name: line.name,
        points: measured
          .filter(one => one.line === line)
          .map(({ size, cost: { messages } }) => [size, messages] as const),
      })),
  })
}

const NOTES = [
  `Every message takes one message time; the time-out T, after which silence means "down", is ${T}. Messages to the ` +
    'member that is down are counted: they are sent.',
  'Ring: acknowledgements are counted, half of all messages; the lecture does not say how else a successor is known ' +
    'to be down. Raft is without heartbeats, and counts the announcement of the leader. ZooKeeper is read as its ' +
    'fast leader election: a node that changes its vote tells all.',
  'Bully’s n(n-1) is the same whether the lowest alone notices or everybody: every member asks all above it once.',
  'SRCEA pays 5n-7 for votes and a count; it is among the cheapest, and promises nothing when a message is lost ' +
    '(`errata` in its test). Of these algorithms only Raft never has two leaders in a term whatever is lost.',
  'Proof of work: what K = 64 costs at a million tries a second on each of 1,000 members: 2^64 / 10^9 s = 585 years.',
]
