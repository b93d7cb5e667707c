// Processor time, of this process and of others: it says what work costs also on a machine that is busy with other things.

import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

/** Milliseconds of processor time that these processes have used, and this one. */
export function processorMs(pids: readonly number[]): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + pids.reduce((sum, pid) => sum + usedBy(pid), 0)
}

function usedBy(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
