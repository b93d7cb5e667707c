// How far a queue is, as it is saved.

import { encode } from '../../core/index.ts'
import { ENTRIES_MAX, eventsRecord, type Position } from '../wire.ts'
import type { Queue } from './state.ts'

/** The positions above the start, the newest sources last. */
export function positionsOf({ sources }: Queue): Position[] {
  const all = [...sources.values()].filter(({ done }) => done > 0)
  return all.map(({ source: { author, boot }, done }) => ({ author, boot, counter: done })).slice(-ENTRIES_MAX)
}

export function queueRecord(queue: Queue): Uint8Array {
  const { channel, name, owner } = queue
  return encode(eventsRecord, { kind: 'queue', channel, name, owner, entries: positionsOf(queue) })
}
