// The life of a subscription: when it is open, when it is over and why, and the signal that ends it. The same for those that servers
// serve and those among members.

import { because } from '../../core/index.ts'
import { EventRefused, SubscriptionLost } from './errors.ts'

/** From the call of `subscribe` to the end. */
export class Span {
  /** Resolves when it is open; rejects when it was over before. */
  readonly ready: Promise<void>
  /** Resolves when it was closed; rejects when it ended otherwise. */
  readonly closed: Promise<void>
  isOver = false
  /** Why it ended, unless it was closed. */
  failure: Error | undefined
  private readonly channel: string
  private readonly name: string
  private readonly ends: (() => void)[] = []
  private isReady!: () => void
  private isRefused!: (error: Error) => void
  private isClosed!: () => void
  private isLost!: (error: Error) => void

  /** Of a subscription to this channel, under this name or none. */
  constructor(channel: string, name = '') {
    this.channel = channel
    this.name = name
    this.ready = new Promise((resolve, reject) => {
      this.isReady = resolve
      this.isRefused = reject
    })
    this.closed = new Promise((resolve, reject) => {
      this.isClosed = resolve
      this.isLost = reject
    })
    // Whoever does not wait for them hears it from the loop, or not at all.
    this.ready.catch(() => {})
    this.closed.catch(() => {})
  }

  /** The signal ends it by `stop`, while it lasts. False where it has ended it already. */
  heeds(signal: AbortSignal | undefined, stop: () => void): boolean {
    if (signal?.aborted) return false
    signal?.addEventListener('abort', stop, { once: true })
    this.whenOver(() => signal?.removeEventListener('abort', stop))
    return true
  }

  /** It is open. */
  open(): void {
    this.isReady()
  }

  /** Called once when it is over. */
  whenOver(work: () => void): void {
    if (this.isOver) work()
    else this.ends.push(work)
  }

  /** An error as the user of a subscription is told it. */
  told(error: Error): Error {
    if (error instanceof EventRefused || error instanceof SubscriptionLost) return error
    return because(new SubscriptionLost(this.channel, this.name, error.message), error)
  }

  /** It is over, by an error or because it was closed. Says what whoever still waits for it is to be told. */
  end(why: Error | undefined): Error {
    const over = why ?? new SubscriptionLost(this.channel, this.name, 'it was closed.')
    this.isOver = true
    this.failure = why
    for (const work of this.ends.splice(0)) work()
    this.isRefused(over)
    if (why === undefined) this.isClosed()
    else this.isLost(why)
    return over
  }
}
