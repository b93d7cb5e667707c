// What membership costs a member of a group in which nothing happens.
//
// Three things are said: everybody asks somebody every beat; now and then views are compared; and distances that changed
// are told. The last depends on the network: here a message takes 0.5 to 1.5 ms, and the shortest of eight round trips
// still changes by more than a millisecond now and then. One distance reaches everybody by about twelve messages of each.

import { membershipBeat } from '../../src/membership/index.ts'
import { costAtRest, type RestCost } from '../../src/membership/proof/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Picture, type Row, type RunOptions, row } from '../experiment.ts'

const SIZES = { small: [10, 20], full: [10, 32, 100, 200] }
/** At full scale as long as it takes until every distance is looked at again. */
const SECONDS = { small: 20, full: membershipBeat.measureEvery / 1_000 }
/** The promise for 100 members. */
const BYTES_MAX = 10_000
/** A member asks somebody every beat and is asked once on average: two questions and two answers. */
const PROBES = 4_000 / membershipBeat.probeEvery
/** Views are compared after half to one and a half times `repairEvery`, one message each. */
const REPAIRS = 2_000 / membershipBeat.repairEvery
/** Groups beyond this compare less often, by the logarithm of how much larger they are. */
const REPAIRS_SLOWER_BEYOND = 64
/** How far a count of comparisons may be off: five deviations, each time between two being even over its range. */
const DEVIATIONS = 5
const DEVIATION_OF_ONE = 1 / Math.sqrt(12)

export const membershipRest: Experiment = {
  name: 'membership-rest',
  title: 'Bytes and messages of a member while nothing happens.',
  source: 'LECTURE, "Gossip-based coordination" (low coordination overhead)',
  run({ scale, seed, progress }: RunOptions) {
    const seconds = SECONDS[scale]
    const costs: [number, RestCost][] = []
    for (const [place, members] of SIZES[scale].entries()) {
      progress(place / SIZES[scale].length, `${members} members`)
      costs.push([members, costAtRest({ members, seconds, seed, settled: scale === 'full' })])
    }
    const rows = costs.flatMap(([members, cost]) => rowsOf(members, cost, seconds))
    return { rows, pictures: [picture(costs, seconds)], notes: NOTES }
  },
}

function rowsOf(members: number, cost: RestCost, seconds: number): Row[] {
  const who = `${members} members`
  const repairs = REPAIRS / Math.max(1, Math.log2((members + 1) / REPAIRS_SLOWER_BEYOND) + 1)
  const compared = (repairs / 2) * members * seconds
  const rows = [
    row(`${who}: bytes a second, in and out`, Math.round(cost.bytes), null, null, 'B/s'),
    // At either end of the time one question and its answer may be cut off.
    row(`${who}: questions and answers a second, in and out, four a probe`, cost.probes, PROBES, 4 / seconds, '1/s'),
    row(
      `${who}: comparisons of views a second, in and out`,
      cost.repairs,
      repairs,
      (DEVIATIONS * DEVIATION_OF_ONE * repairs) / Math.sqrt(compared),
      '1/s',
    ),
    row(`${who}: news a second, in and out: distances that changed`, cost.news, null, null, '1/s'),
    row(`${who}: news beyond what these distances may cost`, Math.max(0, cost.news - cost.newsMost), 0, 0, '1/s'),
  ]
  if (members <= 100) rows.push(row(`${who}: beyond ${BYTES_MAX} B/s`, beyond(cost.bytes), 0, 0, 'B/s'))
  return rows
}

function beyond(bytes: number): number {
  return Math.max(0, Math.round(bytes) - BYTES_MAX)
}

function picture(costs: readonly (readonly [number, RestCost])[], seconds: number): Picture {
  const line = (name: string, of: (cost: RestCost) => number) => ({
    name,
    points: costs.map(([members, cost]) => [members, of(cost)] as const),
  })
  const svg = lineChart({
    title: 'A group at rest: messages of one member a second, in and out',
    x: { label: 'members' },
    y: { label: 'messages a second', min: 0 },
    note: `One run of each size, ${seconds} s: the mean of all members.`,
    series: [
      line('questions and answers', cost => cost.probes),
      line('comparisons of views', cost => cost.repairs),
      line('distances that changed', cost => cost.news),
    ],
  })
  return { name: 'membership-rest.svg', svg }
}

const NOTES = [
  'Claims and messages by the wire codec, identities of 900 bytes; without what TLS adds.',
  'Questions cost the same in every group. Distances do not: there are five measurers for each member, so their number ' +
    'grows with the group, and everybody hears of each that changed. A change below a millisecond is not told.',
]
