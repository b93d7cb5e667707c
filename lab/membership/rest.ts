// What membership costs a member of a group in which nothing happens.

import { costAtRest } from '../../src/membership/proof/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'

const SIZES = { small: [10, 20], full: [10, 32, 100, 200] }
const SECONDS = { small: 20, full: 60 }
/** The promise for 100 members. */
const BYTES_MAX = 10_000

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
      rows.push(row(`${members} members: messages a second, in and out`, cost.messages, null, null, '1/s'))
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
