// A client's session of one object: opened by the first operation that needs it, opened anew after it was lost.
// Whoever has something bound to a session (an ephemeral entry) asks for its `signal`.

import { type Millis, NotAnswered } from '../../core/index.ts'
import { type Orders, timerOf, type WaitOptions } from './orders.ts'

export class Session {
  private readonly orders: Orders
  private readonly object: string
  private readonly ttl: Millis
  private opening: Promise<string> | undefined
  private controller = new AbortController()

  constructor(orders: Orders, object: string, ttl: Millis) {
    this.orders = orders
    this.object = object
    this.ttl = ttl
  }

  /** The session's id. */
  ready(options: WaitOptions = {}): Promise<string> {
    if (this.opening === undefined) {
      // Everybody waits for one opening: it is not the first caller's to cancel.
      this.controller = new AbortController()
      this.opening = this.orders.open(this.object, this.ttl, () => this.lost())
      this.opening.catch(() => {
        this.opening = undefined
      })
    }
    return patient(this.object, this.opening, options)
  }

  /** Fires when what is bound to the session may be gone. */
  get signal(): AbortSignal {
    return this.controller.signal
  }

  async end(): Promise<void> {
    const { opening } = this
    if (opening === undefined) return
    this.opening = undefined
    await opening.catch(() => {})
    await this.orders.end(this.object, { timeout: END_MAX_MS })
  }

  private lost(): void {
    this.opening = undefined
    this.controller.abort(new NotAnswered(this.object, 'no session', 'may have happened'))
  }
}

/** A clean end is a courtesy: a session that is not ended runs out. */
const END_MAX_MS = 2_000

/** Waits for a promise, but no longer than the caller wants to. */
function patient<T>(object: string, promise: Promise<T>, { timeout, signal }: WaitOptions): Promise<T> {
  if (timeout === undefined && signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const give = (error: Error) => {
      over()
      reject(error)
    }
    const cancel = () => give(new NotAnswered(object, 'cancelled', 'did not happen'))
    const timer = timerOf(timeout, () => cancel())
    const over = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
    if (signal?.aborted) return cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    promise.then(value => {
      over()
      resolve(value)
    }, give)
  })
}
