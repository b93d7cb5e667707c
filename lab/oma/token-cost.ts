// What a round costs (OMA §5.2 to §5.4): counted in the simulator, and beside it what the figures say. The paper
// gives no counts; these follow from its pseudo-code, corrected.

import { lineChart } from '../chart.ts'
import { type Experiment, type Result, type RunOptions, row } from '../experiment.ts'
import { MESSAGE, makeRing } from './ring.ts'

const SIZES = { small: [3, 4, 8], full: [3, 4, 5, 6, 8, 12, 16, 24, 32] }
/** The round that is looked at: the first has keys to exchange. */
const ROUND = 2
const BEAT = 20

interface Cost {
  readonly messages: number
  /** From the news of the round to the news of the next, without the beat, in message times. */
  readonly time: number
}

function roundCost(members: number, level: 'curious' | 'strong', fairness: 'rotating' | 'lottery'): Cost {
  const { world, sent, began } = makeRing({ members, settings: { slots: 1, level, fairness, beat: BEAT } })
  while (!began.has(ROUND + 2)) world.run(world.now + 1_000_000)
  const { request = 0, ask = 0, share = 0, release = 0, newRound = 0 } = sent.get(ROUND)!
  const time = (began.get(ROUND + 1)! - began.get(ROUND)!) / MESSAGE - BEAT
  return { messages: request + ask + share + release + newRound, time }
}

/** REQUEST n, NEW_ROUND n, a lap n; each that takes a ticket asks n - 1 others, who answer. */
export function messagesOfRound(members: number, lottery: boolean, laps = 1): number {
  const takers = lottery ? members : members - 1
  return (2 + laps) * members + 2 * takers * (members - 1)
}

/**
 * One message to the next coordinator, a lap of the request token, one of the release token; the lottery opens one
 * more.
 */
export function timeOfRound(members: number, lottery: boolean): number {
  return 1 + 2 * members + (lottery ? 2 : 0)
}

export const tokenCost: Experiment = {
  name: 'token-cost',
  title: 'Messages and time of a round against the number of members.',
  source: 'OMA §5.2 to §5.4, figures 1 to 3',
  run({ scale, progress }: RunOptions): Result {
    const sizes = SIZES[scale]
    const kinds = [
      ['curious', 'rotating'],
      ['curious', 'lottery'],
      ['strong', 'lottery'],
    ] as const
    const counted: [kind: string, members: number, messages: number][] = []
    const rows = sizes.flatMap((members, place) => {
      progress(place / sizes.length, `n = ${members}`)
      return kinds.flatMap(([level, fairness]) => {
        const { messages, time } = roundCost(members, level, fairness)
        const what = `n = ${members}, ${level}, ${fairness}`
        const lottery = fairness === 'lottery'
        counted.push([`${level}, ${fairness}`, members, messages])
        return [
          row(`${what}: messages, nobody holds`, messages, messagesOfRound(members, lottery), 0),
          row(`${what}: time`, time, timeOfRound(members, lottery), 0, 'message times'),
        ]
      })
    })
    return { rows, pictures: [picture(sizes, counted)], notes: NOTES }
  },
}

function picture(sizes: readonly number[], counted: readonly [kind: string, members: number, messages: number][]) {
  const kinds = [...new Set(counted.map(([kind]) => kind))]
  const svg = lineChart({
    title: 'Messages of a round, nobody holds',
    x: { label: 'n' },
    y: { label: 'messages', min: 0 },
    note: 'Counted in one run each: without chance, every run has the same.',
    series: [
      ...kinds.map((kind, colour) => ({
        name: `${kind}, counted`,
        line: false,
        colour,
        points: counted.filter(one => one[0] === kind).map(([, members, messages]) => [members, messages] as const),
      })),
      ...[false, true].map(lottery => ({
        name: `${lottery ? 'lottery' : 'rotating'}: ${lottery ? '3n + 2n(n-1)' : '3n + 2(n-1)²'}`,
        dashed: true,
        colour: lottery ? 1 : 0,
        points: sizes.map(n => [n, messagesOfRound(n, lottery)] as const),
      })),
      { name: 'one more lap', points: sizes.map(n => [n, n] as const), dashed: true, colour: 6 },
    ],
  })
  return { name: 'token-cost.svg', svg }
}

const NOTES = [
  'A round: n REQUEST, n NEW_ROUND, n TOKEN_RELEASE a lap, and 2(n - 1) key messages for each member ' +
    'that opens a ticket: ' +
    'n - 1 of them with the rotating coordinator, n with the lottery. While somebody holds, laps follow ' +
    'at a growing pause.',
  'Time in message times, with arithmetic that takes none, and without the beat before a round: 2n + ' +
    '1, and two more with ' +
    'the lottery, where the coordinator opens its ticket after the lap. The strong level costs the same: ' +
    'one ciphertext ' +
    'instead of up to n in a release message.',
]
