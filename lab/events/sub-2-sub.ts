// LECTURE, "Sub-2-Sub" (Voulgaris and others 2006, reconstructed): members find those who want something of the same by gossip alone,
// and events go round the rings that they form. How much of what is wanted comes after so many rounds, what it costs, and what is
// left when a third of them dies at once.

import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { bonferroni, sameMeanTolerance, summarise } from '../statistics.ts'
import { Crowd, type Spread } from './crowd.ts'
import { ringPicture } from './drawn/ring-picture.ts'

interface Size {
  readonly members: number
  /** So long that about 21 members want an event. Events lie where somebody wants something. */
  readonly side: number
  readonly seeds: number
  readonly events: number
}

const FEW: Size = { members: 120, side: 0.065, seeds: 2, events: 60 }
const MANY: Size = { members: 1_000, side: 0.0185, seeds: 5, events: 300 }
const ROUNDS = [5, 10, 15, 20]
const DEAD = 0.3
/** Rounds after which the dead are forgotten. */
const LATER = 30
/** What the simulator demands after twenty rounds, in percent. */
const AIM = 99

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
      progress((at + round / 24) / seeds, `${members} members, crowd ${at + 1}, round ${round}`)
    }
    crowd.kill(DEAD)
    atOnce.push(percent(crowd.publish(events)))
    crowd.rounds(LATER)
    later.push(percent(crowd.publish(events)))
  }
  return { hits, costs, atOnce, later }
}

/** What the construction's table has: the least and the most of its five seeds, as printed. */
interface Table {
  readonly hits: ReadonlyMap<number, Printed>
  readonly cost: Printed
  readonly atOnce: Printed
  readonly later: Printed
}

type Printed = readonly [least: number, most: number]

const TABLE: Table = {
  hits: new Map([
    [5, [96.2, 96.9]],
    [10, [99.7, 99.9]],
    [15, [100, 100]],
    [20, [100, 100]],
  ]),
  cost: [2.4, 2.4],
  atOnce: [99.0, 99.6],
  later: [100, 100],
}
const THEIR_SEEDS = 5
/** Half of the last digit that was printed. */
const ROUNDING = 0.05
/** All figures hold together with this confidence. */
const CONFIDENCE = 0.99
const FIGURES = 3 + TABLE.hits.size

/** Their mean lies between their least and their most; ours may be off by chance, and theirs too. */
function judged(what: string, values: readonly number[], printed: Printed | undefined, unit?: string): Row {
  const { mean } = summarise(values)
  if (printed === undefined) return row(what, mean, null, null, unit)
  const [least, most] = printed
  const chance = sameMeanTolerance(values, THEIR_SEEDS, bonferroni(CONFIDENCE, FIGURES), ROUNDING)
  return row(what, mean, (least + most) / 2, (most - least) / 2 + chance, unit)
}

function told({ members }: Size, { hits, costs, atOnce, later }: Measured, table?: Table): Row[] {
  const of = `${members} members`
  return [
    ...[...hits].map(([round, values]) =>
      judged(`${of}, round ${round}: so much comes`, values, table?.hits.get(round), '%'),
    ),
    judged(`${of}: messages for each that wants an event`, costs, table?.cost),
    judged(`${of}, 30 % die at once: so much comes at once`, atOnce, table?.atOnce, '%'),
    judged(`${of}, thirty rounds later: so much comes`, later, table?.later, '%'),
  ]
}

/** By how much the worst seed is below the aim. */
function below(what: string, values: readonly number[]): Row {
  return row(`${what}, the worst seed: below ${AIM} % by`, Math.max(0, AIM - Math.min(...values)), 0, 0, '%')
}

const draw = (seed: number) => [ringPicture(seed)]

function run(options: RunOptions) {
  const few = measure(FEW, options)
  const rows: Row[] = [
    ...told(FEW, few),
    ...[10, 15, 20].map(round => below(`round ${round}`, few.hits.get(round)!)),
    below('thirty rounds after 30 % died', few.later),
  ]
  if (options.scale === 'full') rows.push(...told(MANY, measure(MANY, options), TABLE))
  return { rows, pictures: draw(options.seed), notes: NOTES }
}

const NOTES = [
  'One attribute; an interval is drawn between nothing and twice its average, and an event lies where a member drawn at random wants something. A round is one turn of each member; messages arrive at once; who does not say that an event came is given up, and the next is sent it. At the start each knows 20 others, drawn at random, and what they want, as peer sampling would have told it.',
  'Expected for 1,000 members is the table of the construction (protocols/events H5), from another program with five seeds: 96.2 to 96.9 % after 5 rounds, 99.7 to 99.9 % after 10, 100 % from 15; 2.4 messages; 99.0 to 99.6 % at once after 30 % had died, 100 % thirty rounds later. Tolerance: half of that range, in which its mean lies; half of its last digit; and how far the means of our seeds and of its five may be apart by chance (the t of Student with the spread of ours, 99 % for all figures together).',
  'What kept an earlier version of this experiment from the table (34 % after 5 rounds): intervals so short that 12 wanted an event, not 21; members that began with names alone, so that the first rounds were spent to learn what anybody wants; and one exchange a round where the construction has peer sampling besides. A member has two exchanges a round, one with a link or anybody, one with anybody.',
  'More than two attributes are not measured.',
]

export const sub2Sub: Experiment = {
  name: 'sub-2-sub',
  title: 'Events by gossip among those who want the same: how much comes, after how many rounds',
  source: 'LECTURE, Sub-2-Sub',
  draw,
  run,
}
