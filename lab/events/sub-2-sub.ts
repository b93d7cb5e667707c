// LECTURE, "Sub-2-Sub" (Voulgaris and others 2006, reconstructed): members find those who want something of the same by gossip alone,
// and events go round the rings that they form. How much of what is wanted comes after so many rounds, what it costs, and what is
// left when a third of them dies at once.

import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { Crowd, type Spread } from './crowd.ts'

interface Size {
  readonly members: number
  /** Of one attribute: so long that about 21 members want an event. Events lie where somebody wants something. */
  readonly side: number
  readonly seeds: number
  readonly events: number
}

const SIZES: Readonly<Record<'small' | 'full', Size>> = {
  small: { members: 120, side: 0.065, seeds: 2, events: 60 },
  full: { members: 1_000, side: 0.0105, seeds: 3, events: 300 },
}
const ROUNDS = [5, 10, 15, 20]
/** Of a program that was written before this was built: least and most of five seeds, N = 1,000, in percent. */
const BEFORE: Readonly<Record<number, readonly [number, number]>> = {
  5: [96.2, 96.9],
  10: [99.7, 99.9],
  15: [100, 100],
  20: [100, 100],
}
const BEFORE_MESSAGES = 2.4
/** The least of what came at once when a third had died. Ours sends to the next nearest within the same event, and may do better. */
const BEFORE_DEAD = 99
const DEAD = 0.3
/** Student's t for 99 % and three seeds: how far their mean may be from the truth, in standard errors. */
const T_THREE = 9.925

interface Measured {
  readonly hits: ReadonlyMap<number, readonly number[]>
  readonly costs: readonly number[]
  readonly atOnce: readonly number[]
  readonly later: readonly number[]
}

function percent({ came, wanted }: Spread): number {
  return (100 * came) / wanted
}

function measure({ members, side, seeds, events }: Size, { seed, progress }: RunOptions): Measured {
  const hits = new Map<number, number[]>(ROUNDS.map(round => [round, []]))
  const costs: number[] = []
  const atOnce: number[] = []
  const later: number[] = []
  for (let at = 0; at < seeds; at++) {
    const crowd = new Crowd({ members, attributes: 1, side, entries: 1, fans: 1, seed: seed + at })
    let done = 0
    for (const round of ROUNDS) {
      crowd.rounds(round - done)
      done = round
      const spread = crowd.publish(events)
      hits.get(round)!.push(percent(spread))
      if (round === ROUNDS.at(-1)) costs.push(spread.messages / spread.came)
      progress((at + round / 24) / seeds, `crowd ${at + 1}, round ${round}`)
    }
    crowd.kill(DEAD)
    atOnce.push(percent(crowd.publish(events)))
    crowd.rounds(20)
    later.push(percent(crowd.publish(events)))
  }
  return { hits, costs, atOnce, later }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The mean, beside the range that was found before; it may be off by what few seeds leave open. */
function beside(what: string, values: readonly number[], [least, most]: readonly [number, number], unit?: string): Row {
  const average = mean(values)
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1))
  const error = (T_THREE * spread) / Math.sqrt(values.length)
  // Its figures have one digit behind the point.
  return row(what, average, (least + most) / 2, (most - least) / 2 + error + 0.05, unit)
}

function run(options: RunOptions) {
  const size = SIZES[options.scale]
  const { hits, costs, atOnce, later } = measure(size, options)
  const isFull = options.scale === 'full'
  const rows: Row[] = []
  for (const [round, values] of hits) {
    const what = `${size.members} members, round ${round}: of what is wanted, so much comes`
    rows.push(isFull ? beside(what, values, BEFORE[round]!, '%') : row(what, mean(values), null, null, '%'))
  }
  const least = Math.min(...hits.get(20)!)
  rows.push(row('round 20, the worst seed: below 99 % by', Math.max(0, 99 - least), 0, 0, '%'))
  const cost = 'messages for each that wants an event'
  rows.push(isFull ? beside(cost, costs, [BEFORE_MESSAGES, BEFORE_MESSAGES]) : row(cost, mean(costs), null, null))
  const dead = '30 % die at once, nobody is told: of what the others want, so much comes at once'
  rows.push(row(dead, mean(atOnce), null, null, '%'))
  rows.push(row('the same, the worst seed: below 99 % by', Math.max(0, BEFORE_DEAD - Math.min(...atOnce)), 0, 0, '%'))
  rows.push(row('twenty rounds later, the worst seed: below 99 % by', Math.max(0, 99 - Math.min(...later)), 0, 0, '%'))
  return { rows, pictures: [], notes: NOTES }
}

const NOTES = [
  'One attribute; an interval is drawn between nothing and twice its average, and an event lies where a member drawn at random wants something. A round is one exchange of each member; messages arrive at once; who does not say that an event came is given up, and the next is sent it.',
  "The figures to compare with are the ranges of a program that was written before, of five seeds. A mean may be off the range's middle by half the range, by what its own seeds leave open (99 %, Student), and by the last digit that was written down.",
  'More than two attributes are not measured.',
]

export const sub2Sub: Experiment = {
  name: 'sub-2-sub',
  title: 'Events by gossip among those who want the same: how much comes, after how many rounds',
  source: 'LECTURE, Sub-2-Sub',
  run,
}
