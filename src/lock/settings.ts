// What all members of a group must agree on, and what a client may choose for itself.

import type { Millis } from '../core/index.ts'
import type { BackoffName } from './backoff.ts'
import { type LockRules, lockRules } from './rules.ts'

/** What servers and clients of a lock must agree on. */
export interface LockSettings {
  readonly liars: number
  /** The longest lease that a server grants, and so the time that a restarted server waits. */
  readonly ttlMax: Millis
  /** How far above its own wall clock a server takes a token: beyond it one request would end all locks for good. */
  readonly tokenAheadMax: Millis
  /** Clock rates lie between 1 - drift and 1 + drift. */
  readonly drift: number
  /** How long a client waits for the answers to one try. */
  readonly answerMax: Millis
  /** The backoff's base and bound. */
  readonly backoffBase: Millis
  readonly backoffMax: Millis
  /** How those who do not wait in the list back off, unless they choose for themselves. */
  readonly strategy: BackoffName
  /** How many times a try that only had too low a token is repeated at once, before it backs off as well. */
  readonly quickTries: number
  readonly rules: LockRules
  /** Whether a client tells of servers whose words prove a lie. It decides nothing: the explorer leaves it out. */
  readonly accuses: boolean
  /** The certificate names of clients that may take a lock from its holder. */
  readonly operators: readonly string[]
  /** For servers: nothing is granted until the command `go` or `lost` says whether others know of a later life. */
  readonly holds: boolean
}

/** Settings of a group that says nothing else. */
export const lockDefaults: LockSettings = {
  liars: 0,
  ttlMax: 60_000,
  tokenAheadMax: 24 * 60 * 60 * 1000,
  drift: 0.01,
  answerMax: 1_000,
  backoffBase: 2,
  backoffMax: 500,
  strategy: 'exponential',
  quickTries: 3,
  rules: lockRules,
  accuses: true,
  operators: ['admin'],
  holds: false,
}
