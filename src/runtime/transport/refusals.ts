// Each refusal is logged with its reason, but a stranger must not be able to fill our disk with reasons.

import type { Log } from './transport.ts'

/** Enough to see what goes on; beyond it one line a second says how many more there were. */
export const REFUSALS_PER_SECOND_MAX = 20

const SECOND_MS = 1_000

export type LogRefusal = (why: string, fields: Readonly<Record<string, unknown>>) => void

export function limitRefusals(log: Log, now: () => number = () => performance.now()): LogRefusal {
  let second = Number.NEGATIVE_INFINITY
  let logged = 0
  let unlogged = 0
  return (why, fields) => {
    if (now() - second >= SECOND_MS) {
      if (unlogged > 0) log('warn', 'more connections refused', { count: unlogged })
      second = now()
      logged = 0
      unlogged = 0
    }
    if (logged < REFUSALS_PER_SECOND_MAX) {
      logged++
      log('warn', 'connection refused', { why, ...fields })
    } else unlogged++
  }
}
