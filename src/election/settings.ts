// What all members of an electorate must agree on, and what a member may choose for itself.

import type { Allowance, Millis } from '../core/index.ts'
import { type ElectionRules, electionRules } from './rules.ts'

/** Something by which members are compared. `joined` and `failures` come from the electorate, the others from the view. */
export interface Attribute {
  readonly name: string
  readonly best: 'small' | 'large'
  /** How far two members' views of one value may differ: measured values never agree to the last digit. */
  readonly tolerance: number
}

/** What all members of an election must agree on, and their patience. */
export interface ElectionSettings {
  readonly liars: number
  /** L: how long a grant or a renewal binds the member that gave it, by its own clock. */
  readonly promise: Millis
  /** Clock rates lie between 1 - drift and 1 + drift. */
  readonly drift: number
  /** What candidates are chosen by, the most important first: three at most, as the weights are 3, 2, 1. */
  readonly attributes: readonly Attribute[]
  /** This member's own order of importance, as places in `attributes`; the group's by default. */
  readonly priorities?: readonly number[]
  /** How long a candidate waits for ballots before it counts what it has, and anybody before saying something again. */
  readonly countAfter: Millis
  /** How long an attempt may take before the next begins; it doubles while attempts fail. */
  readonly attemptMax: Millis
  /** A claim that comes at most this long before a promise runs out is kept until then, instead of being refused. */
  readonly holdMax: Millis
  /** How many attempts in a row must fail before a member votes on a view that differs from its own. */
  readonly patience: number
  /**
   * The first election of a life waits until there was no news for this long about who is here and who stands: members
   * that begin on views of their own waste terms. 0: no wait.
   */
  readonly quiet: Millis
  /** How much of this member's time each other one may have; undefined: as much as it asks for. */
  readonly rateLimit: Allowance | undefined
  /** What is published of the ballots: `sealed` all of them, once they are counted; `secret` only the totals. */
  readonly mode: 'sealed' | 'secret'
  readonly rules: ElectionRules
}

/** Settings of a group that says nothing else. */
export const electionDefaults: ElectionSettings = {
  liars: 0,
  promise: 2_500,
  drift: 0.01,
  attributes: [
    { name: 'distance', best: 'small', tolerance: 0 },
    { name: 'joined', best: 'small', tolerance: 0 },
    { name: 'failures', best: 'small', tolerance: 0 },
  ],
  countAfter: 120,
  attemptMax: 400,
  holdMax: 150,
  patience: 3,
  // Gossip goes round every 100 ms.
  quiet: 100,
  // Sixty-four elections at once, with ballots said again; at rest it is three messages a second for each.
  rateLimit: { burst: 8_192, perSecond: 2_048 },
  mode: 'sealed',
  rules: electionRules,
}
