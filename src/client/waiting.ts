// Waiting with an end: a call waits until it has what it waits for, its time is up, or its caller's signal fires. Every
// call of this library that waits does it here.

import { type Millis, SettingsError } from '../core/index.ts'

/** For every call that waits. */
export interface WaitOptions {
  /** How long to wait, in milliseconds. Default: for ever. */
  readonly timeout?: Millis
  /** Gives up waiting when it fires. */
  readonly signal?: AbortSignal
}

/** Why a wait ended without what it waited for. */
export type WaitEnd = 'timeout' | 'cancelled'

/** The platform's longest timer. One that is asked for more fires at once: thirty days would be a millisecond. */
const TIMER_MAX_MS = 2 ** 31 - 1

/**
 * Calls `ended` once, when the time is up or the signal fires; before it returns, where the signal has fired already.
 * Returns what stops the wait: after that `ended` is not called. Stopping twice does no harm.
 */
export function onWaitEnd({ timeout, signal }: WaitOptions, ended: (why: WaitEnd) => void): () => void {
  checkTimeout(timeout)
  if (signal?.aborted) {
    ended('cancelled')
    return () => {}
  }
  const end = (why: WaitEnd) => {
    stop()
    ended(why)
  }
  const cancel = () => end('cancelled')
  const stopTimer = startTimer(timeout, () => end('timeout'))
  signal?.addEventListener('abort', cancel, { once: true })
  const stop = () => {
    stopTimer()
    signal?.removeEventListener('abort', cancel)
  }
  return stop
}

/** What the promise brings, unless the wait ends first: then it rejects with the error that `failure` makes. */
export function within<T>(waiting: Promise<T>, options: WaitOptions, failure: (why: WaitEnd) => Error): Promise<T> {
  if (options.timeout === undefined && options.signal === undefined) return waiting
  return new Promise((resolve, reject) => {
    const stop = onWaitEnd(options, why => reject(failure(why)))
    waiting.then(resolve, reject).finally(stop)
  })
}

export function checkTimeout(timeout: Millis | undefined): void {
  if (timeout !== undefined && !(timeout >= 0)) {
    throw new SettingsError(`timeout is ${timeout}; it must be 0 or more.`)
  }
}

/** A timer of any length: a long one is several of the platform's, one after another. Returns what stops it. */
function startTimer(delay: Millis | undefined, due: () => void): () => void {
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
