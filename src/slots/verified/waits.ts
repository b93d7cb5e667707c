// How long a member waits outside, and how much of that is forgiven: arithmetic for returning.ts.

import type { Millis } from '../../core/index.ts'

/** A member that went and may have come back. */
export interface Goer {
  /** How often, less what was forgiven. */
  readonly times: number
  /** When it came in again, as far as it did. */
  readonly backAt: Millis | undefined
}

/** The longest wait is this often doubled: sixteen times `settle`. An honest member on a bad machine must not be out for days. */
export const DOUBLED_MAX = 4
/** So many of its last waits must a member stay for one of its goings to be forgiven. */
export const FORGIVEN_AFTER = 4

/** How long a member that went so often waits outside. */
export function waitAfter(times: number, settle: Millis): Millis {
  return settle * 2 ** Math.min(Math.max(0, times - 1), DOUBLED_MAX)
}

/** How often a member went, when it goes again after it had stayed for so long. */
export function timesAfter(times: number, stayed: Millis, settle: Millis): number {
  const forgiven = Math.floor(stayed / (FORGIVEN_AFTER * waitAfter(times, settle)))
  return Math.max(1, Math.min(times, DOUBLED_MAX + 1) + 1 - forgiven)
}
