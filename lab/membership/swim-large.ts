// How SWIM scales: members that crash at once in groups of up to ten thousand, with messages lost.

import { membershipBeat, membershipDefaults, suspicionTime } from '../../src/membership/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { type FlatResult, flatSwim } from './flat.ts'

const SIZES = { small: [100, 400], full: [100, 1_000, 10_000] }
const LOSSES = { small: [0, 0.05], full: [0, 0.05] }
/** One in a hundred crashes, up to this many: news of each is what takes the time. */
const CRASHED_PART = 0.01
const CRASHED_MAX = 10
const TICKS_MAX = 600

export const swimLarge: Experiment = {
  name: 'swim-large',
  title: 'From a crash until everybody knows, in groups of up to ten thousand.',
  source: 'LECTURE, "Gossip-based coordination" (scales to tens of thousands, rounds grow with log N)',
  run({ scale, seed, progress }: RunOptions) {
    const rows: Row[] = []
    const cases = SIZES[scale].flatMap(members => LOSSES[scale].map(loss => ({ members, loss })))
    for (const [place, { members, loss }] of cases.entries()) {
      progress(place / cases.length, `${members} members, ${100 * loss} % lost`)
      const crashed = Math.min(CRASHED_MAX, Math.max(1, Math.round(members * CRASHED_PART)))
      const result = flatSwim({ members, crashed, loss, seed, ticksMax: TICKS_MAX })
      rows.push(...rowsOf(`${members} members, ${100 * loss} % lost`, members, crashed, result))
    }
    return { rows, pictures: [], notes: NOTES }
  },
}

/** Nobody is given up before a suspicion's least time is over; and no news takes much longer than a suspicion's most. */
function boundRows(what: string, members: number, { firstMs, lastMs }: FlatResult): Row[] {
  const least = suspicionTime(membershipBeat, membershipDefaults.lifeguard, members, members)
  const most = suspicionTime(membershipBeat, membershipDefaults.lifeguard, members, 0)
  const within = firstMs >= least && lastMs <= least + most
  const said = `${what}: first and last between ${least / 1_000} and ${(least + most) / 1_000} s (1 = yes)`
  return [row(said, within ? 1 : 0, 1, 0)]
}

function rowsOf(what: string, members: number, crashed: number, result: FlatResult): Row[] {
  const running = members - crashed
  const seconds = (result.ticks * 100) / 1_000
  return [
    row(`${what}: first knows`, result.firstMs / 1_000, null, null, 's'),
    row(`${what}: last knows`, result.lastMs / 1_000, null, null, 's'),
    row(`${what}: everybody knows in the end (1 = yes)`, Number.isFinite(result.lastMs) ? 1 : 0, 1, 0),
    ...boundRows(what, members, result),
    row(`${what}: messages a member and second`, result.messages / running / seconds, null, null, '1/s'),
    row(`${what}: running members given up`, result.mistaken, 0, 0),
  ]
}

const NOTES = [
  'One member in a hundred, at most ten, crash at the same moment; the time is until each of the others has given up each of them.',
  'A model in flat arrays (flat.ts) with the arithmetic of the product; answers take no time, signatures are left out.',
]
