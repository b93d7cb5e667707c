// What membership costs a member of a group in which nothing happens.

import { membershipBeat } from '../../src/membership/index.ts'
import { costAtRest } from '../../src/membership/proof/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'

const SIZES = { small: [10, 20], full: [10, 32, 100, 200] }
const SECONDS = { small: 20, full: 60 }
/** The promise for 100 members. */
const BYTES_MAX = 10_000
/** A member asks somebody every beat and is asked once on average: two questions and two answers. */
const MESSAGES = 4_000 / membershipBeat.probeEvery
/** Repair, which asks one other now and then for what was missed, comes on top. */
const SHARE = 0.1

export const membershipRest: Experiment = {
  name: 'membership-rest',
  title: 'Bytes and messages of a member while nothing happens.',
  source: 'LECTURE, "Gossip-based coordination" (low coordination overhead)',
  run({ scale, seed, progress }: RunOptions) {
    const rows: Row[] = []
    for (const [place, members] of SIZES[scale].entries()) {
      progress(place / SIZES[scale].length, `${members} members`)
      const cost = costAtRest(members, SECONDS[scale], seed)
      rows.push(row(`${members} members: bytes a second, in and out`, Math.round(cost.bytes), null, null, 'B/s'))
      const said = `${members} members: messages a second, in and out, four a probe`
      rows.push(row(said, cost.messages, MESSAGES, SHARE * MESSAGES, '1/s'))
      if (members <= 100) rows.push(row(`${members} members: beyond ${BYTES_MAX} B/s`, beyond(cost.bytes), 0, 0, 'B/s'))
    }
    return {
      rows,
      pictures: [],
      notes: ['Claims and messages by the wire codec, identities of 900 bytes; without what TLS adds.'],
    }
  },
}

function beyond(bytes: number): number {
  return Math.max(0, Math.round(bytes) - BYTES_MAX)
}
