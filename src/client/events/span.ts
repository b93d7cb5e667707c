// The life of a subscription: when it is open, when it is over and why, and the signal that ends it. The same for those that servers
// serve and those among members.

import { because } from '../../core/index.ts'
import { EventRefused, SubscriptionLost } from './errors.ts'
import { Warning } from './handling.ts'

/** From the call of `subscribe` to the end. */
export class Span {
  isOver = false
  /** Why it ended, unless it was closed. */
  failure: Error | undefined
  private readonly channel: string
  private readonly name: string
  /** Somebody asked for a promise that tells of the end, or reads the loop, which throws. */
  isHeeded = false
  private isAwaited = false
  private wasOpen = false
  private readonly opening: Promise<void>
  private readonly closing: Promise<void>
  private readonly ends: (() => void)[] = []
  private controller: AbortController | undefined
  private isReady!: () => void
  private isRefused!: (error: Error) => void
  private isClosed!: () => void
  private isLost!: (error: Error) => void

  /** Of a subscription to this channel, under this name or none. */
  constructor(channel: string, name = '') {
    this.channel = channel
    this.name = name
    this.opening = new Promise((resolve, reject) => {
      this.isReady = resolve
      this.isRefused = reject
    })
    this.closing = new Promise((resolve, reject) => {
      this.isClosed = resolve
      this.isLost = reject
    })
    // Whoever does not wait for them hears it from the loop, or by a warning.
    this.opening.catch(() => {})
    this.closing.catch(() => {})
  }

  /** Resolves when it is open; rejects when it was over before. */
  get ready(): Promise<void> {
    this.isAwaited = true
    return this.opening
  }

  /** Resolves when it was closed; rejects when it ended otherwise. */
  get closed(): Promise<void> {
    this.isHeeded = true
    return this.closing
  }

  /** Fires when it ended otherwise than by being closed; its reason says why. Whoever asks for it is told. */
  get signal(): AbortSignal {
    this.isHeeded = true
    this.controller ??= new AbortController()
    if (this.failure !== undefined) this.controller.abort(this.failure)
    return this.controller.signal
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
    this.wasOpen = true
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
    if (why !== undefined) this.controller?.abort(why)
    for (const work of this.ends.splice(0)) work()
    this.isRefused(over)
    if (why === undefined) this.isClosed()
    else this.lost(why)
    return over
  }

  private lost(why: Error): void {
    this.isLost(why)
    // Whoever waits for `ready` has its error a moment later.
    if (this.isHeeded || (this.isAwaited && !this.wasOpen)) return
    new Warning().say(`${why.message.replace(/([^.])$/, '$1.')} Wait for its \`closed\`, which rejects, to be told.`)
  }
}
