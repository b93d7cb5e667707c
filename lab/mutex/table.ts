// LECTURE, "Mutual exclusion: comparison": messages per entry and exit, and delay before entry, beside its formulas.
//
// The lecture's delay counts messages one after the other. So two delays are shown: the messages sent before the
// entry, which is what its formulas count, and the message times that pass when messages travel side by side.
// All are whole numbers in a world where every message takes one message time: the tolerance is 0.

import { centralised, majority, ricartAgrawala } from '../../src/papers/mutex/index.ts'
import { lineChart, type Series } from '../chart.ts'
import { type Experiment, type Picture, type Row, type RunOptions, row } from '../experiment.ts'
import { alone, byLock, byVotes, type Crowd, crowdByLock, crowdByVotes, crowdOf, type Entry } from './measure.ts'
import { messagesPerEntry, ringDelay } from './ring.ts'

const SIZES = { small: [2, 3, 8], full: [2, 3, 4, 8, 16, 32, 64] }
const CHART_SIZES = [2, 4, 8, 16, 32, 64]
/** Laps that nobody wants in, for the "∞" of the token ring: any other number would do. */
const IDLE_LAPS = 10

export interface Line {
  readonly name: string
  measure(size: number): Entry
  /** What the lecture says, or what follows where it is wrong or says nothing. */
  expected(size: number): Entry
}

const asksAll = (size: number, attempts: number, against: number) =>
  byVotes({ coordinators: size, needed: majority(size), asked: size, attempts, against })

/** The lecture's formula with the votes that there are: m - 1 given back after a failure, m in the end. */
function corrected(size: number, attempts: number): Entry {
  const needed = majority(size)
  const before = 2 * attempts * size + (attempts - 1) * (needed - 1)
  return { messages: before + needed, before, delay: 2 }
}

export const lines: readonly Line[] = [
  {
    name: 'centralised',
    measure: size => alone(centralised, size),
    expected: () => ({ messages: 3, before: 2, delay: 2 }),
  },
  {
    name: 'Ricart–Agrawala',
    measure: size => alone(ricartAgrawala, size),
    expected: size => ({ messages: 2 * (size - 1), before: 2 * (size - 1), delay: 2 }),
  },
  {
    name: 'decentralised, all N vote for it',
    measure: size => asksAll(size, 1, 0),
    expected: size => ({ messages: 3 * size, before: 2 * size, delay: 2 }),
  },
  {
    name: 'decentralised, m of N vote for it',
    measure: size => asksAll(size, 1, size - majority(size)),
    expected: size => corrected(size, 1),
  },
  {
    name: 'decentralised, asks m only',
    measure: size =>
      byVotes({ coordinators: size, needed: majority(size), asked: majority(size), attempts: 1, against: 0 }),
    expected: size => ({ messages: 3 * majority(size), before: 2 * majority(size), delay: 2 }),
  },
  {
    name: 'our lock, n = N servers',
    measure: byLock,
    expected: size => ({ messages: 3 * size, before: 2 * size, delay: 2 }),
  },
]

export const mutexTable: Experiment = {
  name: 'mutex-table',
  title: 'Messages per entry and exit, and delay before entry, of five algorithms for mutual exclusion.',
  source: 'LECTURE, "Mutual exclusion: comparison"',
  run({ scale, seed, progress }: RunOptions) {
    const sizes = SIZES[scale]
    const rows = sizes.flatMap((size, place) => {
      progress(place / sizes.length, `N = ${size}`)
      return [...lines.flatMap(line => lineRows(line, size)), ...attemptRows(size), ...ringRows(size)]
    })
    rows.push(...crowds.flatMap(([name, crowd]) => crowdRows(name, crowd, seed)))
    return { rows, pictures: scale === 'full' ? pictures() : [], notes: NOTES }
  },
}

function lineRows(line: Line, size: number): Row[] {
  const measured = line.measure(size)
  const expected = line.expected(size)
  const what = `N = ${size}, ${line.name}`
  return [
    row(`${what}: entry and exit`, measured.messages, expected.messages, 0, 'messages'),
    row(`${what}: before entry`, measured.before, expected.before, 0, 'messages'),
    row(`${what}: delay, side by side`, measured.delay, expected.delay, 0, 'message times'),
  ]
}

// Only whole attempts are judged: how long the backoff between them takes is drawn at random.
function attemptRows(size: number): Row[] {
  return [2, 3].flatMap(attempts => {
    const measured = asksAll(size, attempts, size - majority(size))
    const expected = corrected(size, attempts)
    const what = `N = ${size}, decentralised, k = ${attempts} attempts`
    return [
      row(`${what}: entry and exit`, measured.messages, expected.messages, 0, 'messages'),
      row(`${what}: before entry`, measured.before, expected.before, 0, 'messages'),
      row(
        `${what}: the lecture’s formula counts too many`,
        lectureCount(size, attempts) - measured.messages,
        null,
        null,
      ),
    ]
  })
}

/** As printed: 2kN + (k-1)N/2 + N. */
export function lectureCount(size: number, attempts: number): number {
  return 2 * attempts * size + ((attempts - 1) * size) / 2 + size
}

const CROWD_SIZES = [3, 4, 6]
const CROWD_RUNS = 8
const crowds: readonly (readonly [name: string, crowd: Crowd])[] = [
  ['centralised', crowdOf(centralised)],
  ['Ricart–Agrawala', crowdOf(ricartAgrawala)],
  ['decentralised', crowdByVotes(majority)],
  ['our lock', crowdByLock],
]

/** A lone entry costs the same with one grant too few. What that breaks shows where several want in at once. */
function crowdRows(name: string, crowd: Crowd, seed: number): Row[] {
  const runs = CROWD_SIZES.flatMap(size =>
    Array.from({ length: CROWD_RUNS }, (_, run) => crowd(size, seed * 100 + run)),
  )
  const what = `${name}, several at once, N = ${CROWD_SIZES.join(', ')}, ${CROWD_RUNS} runs each`
  return [
    row(`${what}: inside together, at most`, Math.max(...runs.map(({ most }) => most)), 1, 0),
    row(
      `${what}: never let in`,
      runs.reduce((sum, { waiting }) => sum + waiting, 0),
      0,
      0,
    ),
  ]
}

function ringRows(size: number): Row[] {
  const what = `N = ${size}, token ring`
  const idle = messagesPerEntry(size, { lapsBetween: IDLE_LAPS })
  return [
    row(`${what}, all want in: per entry`, messagesPerEntry(size, 'all'), 1, 0, 'messages'),
    row(`${what}, one wants in: per entry`, messagesPerEntry(size, { lapsBetween: 1 }), size, 0, 'messages'),
    row(`${what}, one, every ${IDLE_LAPS} laps: per entry`, idle, IDLE_LAPS * size, 0, 'messages'),
    row(`${what}, asked as the token comes: delay`, ringDelay(size, 'token comes'), 0, 0, 'message times'),
    row(`${what}, token at the next: delay`, ringDelay(size, 'token at the next'), size - 1, 0, 'message times'),
    row(`${what}, token just passed on: delay`, ringDelay(size, 'token just gone'), size, 0, 'message times'),
  ]
}

const NOTES = [
  'The world is exact (every message takes one message time, one process wants in unless said otherwise), so the ' +
    'tolerance is 0.',
  '"Before entry" is the delay as the lecture counts it, one message after the other: 2, 2(N-1), 2kN + (k-1)N/2. ' +
    'Where messages travel side by side, every algorithm that asks waits two message times, whatever N is; the ' +
    'lecture’s 2(N-1) and 2kN are the load on the asking process, not time.',
  'Erratum, decentralised: the lecture releases N votes in the end and N/2 after a failure. Only votes that were ' +
    'given need a release: m - 1 at most after a failure (⌊N/2⌋ with the smallest majority, so N/2 holds for even N), ' +
    'and from m to N in the end. So 2kN + (k-1)(m-1) + m when the vote is close; the printed count only when ' +
    'nobody else was voted for. Asking m coordinators instead of N costs 3m when nobody else is there.',
  'Token ring: the lecture’s delay ends at N-1, the token being at the next member. Asked right after it was passed ' +
    'on, it is N. Its messages have no upper bound: each idle lap adds N.',
  'The centralised figures are for a member that does not coordinate; the coordinator itself enters without a message.',
  'Our lock asks all its servers, counts ⌈(n+1)/2⌉ grants, and releases at all of them, held or not: 3N. Unlike the four it ' +
    'has a lease, so a crashed holder blocks nobody for ever, and it stays safe when a server restarts.',
]

function points(of: (size: number) => number): Series['points'] {
  return CHART_SIZES.map(size => [size, of(size)] as const)
}

function pictures(): Picture[] {
  return [
    { name: 'mutex-messages.svg', svg: messagesChart() },
    { name: 'mutex-delay.svg', svg: delayChart() },
  ]
}

function messagesChart(): string {
  const measured = lines.map((line, colour) => ({
    name: line.name,
    colour,
    line: false,
    points: points(size => line.measure(size).messages),
  }))
  const formula = (name: string, colour: number, of: (size: number) => number): Series => ({
    name,
    dashed: true,
    colour,
    points: points(of),
  })
  return lineChart({
    title: 'Messages per entry and exit, one attempt',
    x: { label: 'N', log: true },
    y: { label: 'messages', log: true },
    note: 'Counted, one run for each mark: without chance, every run has the same.',
    series: [
      ...measured,
      { name: 'token ring, all want in', colour: 6, points: points(size => messagesPerEntry(size, 'all')) },
      {
        name: 'token ring, one wants in',
        colour: 7,
        points: points(size => messagesPerEntry(size, { lapsBetween: 1 })),
      },
      formula('3', 0, () => 3),
      formula('2(N-1)', 1, size => 2 * (size - 1)),
      formula('3N (the lecture, k = 1)', 2, size => lectureCount(size, 1)),
      formula('2N + m', 3, size => 2 * size + majority(size)),
      formula('3m', 4, size => 3 * majority(size)),
    ],
  })
}

function delayChart(): string {
  const slowest = (size: number) => Math.max(...lines.map(line => line.measure(size).delay))
  return lineChart({
    title: 'Delay before entry, messages side by side',
    x: { label: 'N', min: 0 },
    y: { label: 'message times', min: 0 },
    note: 'Counted, one run for each mark: without chance, every run has the same.',
    series: [
      { name: 'token ring, worst', points: points(size => ringDelay(size, 'token just gone')) },
      { name: 'token ring, best', points: points(size => ringDelay(size, 'token comes')) },
      { name: 'the others, first attempt', points: points(slowest) },
      { name: '2(N-1): one by one', dashed: true, points: points(size => 2 * (size - 1)) },
    ],
  })
}
