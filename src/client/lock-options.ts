// How a lock may be asked for.

import { flag, type Millis, oneWord, optionsSchema, SettingsError, whole } from '../core/index.ts'
import { type BackoffName, backoffNames } from '../lock/backoff.ts'
import { waitRules } from './waiting.ts'

/** How to take a lock, and how long to wait for it. */
export interface LockOptions {
  /** How long the lock outlives this process, in milliseconds; while the process runs, the lease is renewed. Default 10 s, or the group's ttlMax where that is less. */
  readonly ttl?: Millis
  /** How long to wait for the lock. Default: for ever. 0: now, or not. */
  readonly timeout?: Millis
  /** Gives up waiting when it fires. */
  readonly signal?: AbortSignal
  /** Renew by itself while held. Default true. */
  readonly renew?: boolean
  /** Wait in the order of coming (default), or by backing off: quicker where nobody else waits, and unfair. */
  readonly fair?: boolean
  /** With `fair: false`: how to back off. Default exponential; `none` for one client that contends again and again. */
  readonly strategy?: BackoffName
  /** Where this group object holds the lock already: share that lease instead of waiting for it. Counted. Default false. */
  readonly reentrant?: boolean
}

const { timeout: timeoutRule, signal: signalRule } = waitRules
const tryRules = {
  // Its range is the group's: see checkTtl.
  ttl: whole(0, Number.MAX_SAFE_INTEGER, 'milliseconds'),
  signal: signalRule,
  renew: flag,
  fair: flag,
  strategy: oneWord(backoffNames),
  reentrant: flag,
}
export const checkLockOptions = optionsSchema<LockOptions>({ ...tryRules, timeout: timeoutRule })
export const checkTryOptions = optionsSchema<Omit<LockOptions, 'timeout'>>(tryRules)

/** Who waits in order never backs off. */
export function checkStrategy(fair: boolean, strategy: BackoffName | undefined): void {
  if (strategy !== undefined && fair)
    throw new SettingsError(`strategy is '${strategy}', and who waits in order never backs off: set fair: false.`)
}
