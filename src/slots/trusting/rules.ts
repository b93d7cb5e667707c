// The lines on which `curious` and `strong` rest besides those of `verified` (leases, quiet, quorums) and of the
// ring itself. Each says the smallest story that goes wrong without it; planted.ts breaks each, and a checker must notice.

import type { Millis } from '../../core/index.ts'

/** The lines that tests may break, one by one. */
export interface TrustingRules {
  /** Whether a member whose ticket is open may believe that it has a seat; `lap` is that of the release token. */
  mayBelieve(coordinates: boolean, lap: number): boolean
  /** Whether a ring that stood still for `stood` is given up. */
  isStill(stood: Millis, patience: Millis): boolean
}

/** The rules that ship. */
export const trustingRules: TrustingRules = {
  // A rotating coordinator knows its ticket before anybody else has heard of the round. Cut off, with the others gone on
  // to the next epoch, it would give itself a slot that they deal too. When the token has come back, everybody has
  // passed it on, and nobody had signed a successor by then.
  mayBelieve: (coordinates, lap) => !coordinates || lap > 0,

  // Everybody is there and hears everybody but its neighbour in the ring: nobody is silent, and nothing moves.
  isStill: (stood, patience) => stood > patience,
}
