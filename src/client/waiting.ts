// Waiting with an end: a call waits until it has what it waits for, its time is up, or its caller's signal fires. Every
// call of this library that waits does it here.

import { abortSignal, checkValue, type Millis, optionsSchema, type Rules, waitTime } from '../core/index.ts'

/** For every call that waits. */
export interface WaitOptions {
  /**
   * How long to wait, in milliseconds; days are fine. Default: for ever. 0 means "now, or not": the servers are asked, and
   * nobody else is waited for.
   */
  readonly timeout?: Millis
  /** Gives up waiting when it fires. */
  readonly signal?: AbortSignal
}

/** For the schemas of calls that wait and have other options, too. */
export const waitRules: Rules<WaitOptions> = { timeout: waitTime, signal: abortSignal }
export const checkWaiting = optionsSchema<WaitOptions>(waitRules)
/** For loops, which end with their signal. */
export const checkFollowing = optionsSchema<Pick<WaitOptions, 'signal'>>({ signal: abortSignal })

/** What "now" may take: the answers of the servers, and no wait for anybody else. */
export const NOW_MS: Millis = 5_000

/** Why a wait ended without what it waited for. */
export type WaitEnd = 'timeout' | 'cancelled'

/** The platform's longest timer. One that is asked for more fires at once: thirty days would be a millisecond. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** `cause`: the reason of the signal that fired. */
type Ended = (why: WaitEnd, cause?: unknown) => void

/**
 * Calls `ended` once, when the time is up or the signal fires; before it returns, where the signal has fired already.
 * Returns what stops the wait: after that `ended` is not called. Stopping twice does no harm.
 */
export function onWaitEnd({ timeout, signal }: WaitOptions, ended: Ended): () => void {
  checkTimeout(timeout)
  if (signal?.aborted) {
    ended('cancelled', signal.reason)
    return () => {}
  }
  const end: Ended = (why, cause) => {
    stop()
    ended(why, cause)
  }
  const cancel = () => end('cancelled', signal?.reason)
  const stopTimer = startTimer(timeout === 0 ? NOW_MS : timeout, () => end('timeout'))
  signal?.addEventListener('abort', cancel, { once: true })
  const stop = () => {
    stopTimer()
    signal?.removeEventListener('abort', cancel)
  }
  return stop
}

/** What the promise brings, unless the wait ends first: then it rejects with the error that `failure` makes. */
export function within<T>(
  waiting: Promise<T>,
  options: WaitOptions,
  failure: (why: WaitEnd, cause?: unknown) => Error,
): Promise<T> {
  if (options.timeout === undefined && options.signal === undefined) return waiting
  return new Promise((resolve, reject) => {
    const stop = onWaitEnd(options, (why, cause) => reject(failure(why, cause)))
    waiting.then(resolve, reject).finally(stop)
  })
}

/** For a call of several steps: what is left for the next of them, of the time that was given for all. */
export function leftOf({ timeout, signal }: WaitOptions): () => WaitOptions {
  const cancelled = signal === undefined ? {} : { signal }
  if (timeout === undefined || timeout === Number.POSITIVE_INFINITY) return () => cancelled
  const end = performance.now() + (timeout === 0 ? NOW_MS : timeout)
  // Never 0: that would be another five seconds.
  return () => ({ ...cancelled, timeout: Math.max(1, Math.ceil(end - performance.now())) })
}

export function checkTimeout(timeout: Millis | undefined): void {
  if (timeout !== undefined) checkValue('timeout', waitTime, timeout)
}

/** A timer of any length: a long one is several of the platform's, one after another. Returns what stops it. */
export function startTimer(delay: Millis | undefined, due: () => void): () => void {
  if (delay === undefined || delay === Number.POSITIVE_INFINITY) return () => {}
  let left = delay
  let timer: NodeJS.Timeout | undefined
  const next = () => {
    const step = Math.min(left, TIMER_MAX_MS)
    left -= step
    timer = setTimeout(left > 0 ? next : due, step)
  }
  next()
  return () => clearTimeout(timer)
}
