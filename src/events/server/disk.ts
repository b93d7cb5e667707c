// What this server has written: what is dead of it is dropped by an account of everything that is alive (cutting.ts).
//
// The obvious count is that of events which were cut. But a cursor that is saved each second leaves its elders behind, and
// so does how far a queue is: a disk on which nothing is ever cut would be full one day. So every record is counted, and
// an account is due when there are twice as many bytes as the last one wrote.

import type { ServerScene, ServerState } from './state.ts'

/** Bytes that nobody needs before a new account is worth it, beside as many as are needed. */
export const DEAD_BYTES_MIN = 8_000_000

interface How {
  readonly lazy?: true
  readonly begins?: true
}

/** Every record of this machine is written here. */
export function write({ state: { disk, account }, turn }: ServerScene, record: Uint8Array, how: How = {}): void {
  disk.bytes += record.length
  if (account !== undefined) disk.account += record.length
  turn.do({ kind: 'save', record, ...how })
}

/** What a start finds: what of it is alive is about what is in memory. Little does not count. */
export function foundOnDisk(state: ServerState, records: readonly Uint8Array[]): void {
  state.disk.bytes = records.reduce((sum, { length }) => sum + length, 0)
  const alive = state.bytes + state.shared
  state.disk.needed = alive < DEAD_BYTES_MIN ? 0 : alive
}

/** Whether enough is dead: since the last account as much was written as it had, or as much was cut as there is. */
export function isAccountDue({ disk, dead, bytes }: ServerState): boolean {
  if (disk.bytes - disk.needed >= Math.max(DEAD_BYTES_MIN, disk.needed)) return true
  return dead >= Math.max(DEAD_BYTES_MIN, bytes)
}

/** The account is whole: what stands before it goes. */
export function forgetBefore({ state: { disk }, turn }: ServerScene): void {
  disk.bytes = disk.account
  disk.needed = disk.account
  disk.account = 0
  turn.do({ kind: 'forget' })
}
