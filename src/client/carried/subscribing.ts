// A subscription on carriers, secret or plain: what it is asked for, and how it ends.

import { abortSignal, because, optionsSchema, SettingsError } from '../../core/index.ts'
import { type Filter, parseFilter } from '../../events/index.ts'
import { checkHandler, refuseThird } from '../events/handling.ts'
import { NotCarried } from './errors.ts'
import { Feed } from './feed.ts'

/** How a subscription on carriers is. */
export interface CarriedSubscribeOptions {
  /** Ends it when it fires. */
  readonly signal?: AbortSignal
}

/** What is called with each event, one at a time. */
export type CarriedHandler<Event> = (event: Event) => unknown

/** A subscription: disposed of, nothing more comes. */
export interface CarriedSubscription extends AsyncDisposable {
  /** Fires when its channel has ended, with why as its reason; not when it is closed. */
  readonly signal: AbortSignal
  /**
   * Events that are known to be lost since it was opened: those that its handler was too slow for; and of a secret channel those that
   * brokers dropped, which this process wanted for any of its subscriptions. Of a plain channel nobody knows what a broker dropped.
   */
  readonly missed: number
  /** Events that came and are not handled yet. A broker has no log: what it still holds, it does not say. */
  lag(): Promise<number>
  /** Nothing more is taken; resolves when everything that was is handled. */
  close(): Promise<void>
}

const checkSubscribe = optionsSchema<CarriedSubscribeOptions>({ signal: abortSignal })

/** What somebody who calls `subscribe` asks for. */
export interface Asked<Event> {
  readonly filter: Filter
  readonly signal: AbortSignal | undefined
  readonly handler: CarriedHandler<Event>
}

/** `subscribe(filter, handler)` or `subscribe(filter, options, handler)`. */
export function askedOf<Event>(
  filter: unknown,
  second: CarriedSubscribeOptions | CarriedHandler<Event>,
  third: CarriedHandler<Event> | undefined,
): Asked<Event> {
  const handler = typeof second === 'function' ? second : third
  if (typeof second === 'function') refuseThird(third)
  const options = typeof second === 'function' ? {} : (second ?? {})
  checkSubscribe('subscribe', options)
  if (handler === undefined) throw new SettingsError('subscribe takes a function that is given each event.')
  checkHandler(handler)
  return { filter: parseFilter(filter), signal: options.signal, handler }
}

/** A subscription that is open, with the events that wait for its handler. */
export class FedSubscription<Event> implements CarriedSubscription {
  private readonly feed: Feed<Event>
  private readonly leave: () => void
  private readonly ending: AbortSignal | undefined
  private readonly controller = new AbortController()
  private readonly stop = () => void this.close()
  private lost = 0
  private isOver = false

  /** `leave` is called once when it ends. */
  constructor({ handler, signal }: Asked<Event>, failed: (error: unknown) => void, leave: () => void) {
    this.feed = new Feed(handler, failed)
    this.leave = leave
    this.ending = signal
    signal?.addEventListener('abort', this.stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  get missed(): number {
    return this.lost
  }

  async lag(): Promise<number> {
    return this.feed.waiting
  }

  /** False where so many wait that this one is not taken. */
  push(event: Event): boolean {
    if (this.feed.push(event)) return true
    this.lost++
    return false
  }

  /** So many that it may have wanted are lost. */
  miss(count: number): void {
    this.lost += count
  }

  /** Nothing more will come. */
  fail(error: Error): void {
    if (!this.isOver) this.controller.abort(error)
  }

  /** Everything that was taken is handled. */
  done(): Promise<void> {
    return this.feed.done()
  }

  close(): Promise<void> {
    if (!this.isOver) {
      this.isOver = true
      this.ending?.removeEventListener('abort', this.stop)
      this.leave()
    }
    return this.done()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Refuses a subscription whose signal has fired. */
export function refuseCancelled(channel: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw because(new NotCarried(`channel '${channel}': the subscription was cancelled.`), signal.reason)
}
