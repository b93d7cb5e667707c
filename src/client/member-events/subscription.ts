// A subscription among members: a handler that is called, one event at a time, or a loop that reads. Nothing is kept for a process
// that is gone; one that is too slow misses the oldest, and is told.

import { SettingsError } from '../../core/index.ts'
import type { Filter } from '../../events/filter.ts'
import { callUser } from '../callback.ts'
import { isExpired, type ReceivedEvent, receivedOf } from '../events/event.ts'
import { callHandler, Warning } from '../events/handling.ts'
import { type Checked, checkedPayload, unpackPayload } from '../events/payload.ts'
import { Span } from '../events/span.ts'
import type { HandedEvent, MemberEventsHub } from './hub.ts'
import type { MemberSubscribeOptions } from './options.ts'

/** An event that came from another member, or from this one. */
export type HeardEvent<Payload = unknown> = Omit<ReceivedEvent<Payload>, 'ack' | 'nack' | 'attempt' | 'redelivered'>

/** What is called with each event. What it throws ends the subscription. */
export type HeardHandler<Payload = unknown> = (event: HeardEvent<Payload>) => unknown

/** What a subscription is about. */
export interface MemberSubscribed {
  readonly channel: string
  readonly filter: Filter
  readonly options: MemberSubscribeOptions
  readonly check: Checked | undefined
}

/** Events that wait for a slow handler or loop: a second of a busy channel. */
const WAITING_MAX = 10_000

/** A subscription among members: dispose of it, or close it, to end it. */
export class MemberSubscription<Payload = unknown> {
  private readonly about: MemberSubscribed
  private readonly handler: HeardHandler<Payload> | undefined
  private readonly waiting: HandedEvent[] = []
  private readonly span: Span
  private readonly strange = new Warning()
  private missedCount = 0
  private refusedCount = 0
  /** Whether an event is in hand. */
  private isBusy = false
  private wake: (() => void) | undefined

  /** @internal Made by `channel.subscribe`. */
  constructor(hub: MemberEventsHub, about: MemberSubscribed, handler: HeardHandler<Payload> | undefined) {
    this.about = about
    this.handler = handler
    this.span = new Span(about.channel)
    if (!this.span.heeds(about.options.signal, () => void this.close())) {
      this.finish()
      return
    }
    this.span.whenOver(
      hub.subscribe(about.channel, about.filter, {
        handed: event => this.take(event),
        opened: () => this.span.open(),
        ended: error => this.fail(error),
      }),
    )
  }

  /** Resolves when the neighbours are told; what others publish a moment later comes. Rejects where this member cannot take part. */
  get ready(): Promise<void> {
    return this.span.ready
  }

  /** Resolves when it was closed; rejects when it ended otherwise. */
  get closed(): Promise<void> {
    return this.span.closed
  }

  /** Fires when it was lost, with why as its reason; not when it is closed. */
  get signal(): AbortSignal {
    return this.span.signal
  }

  /** How many events this process was too slow for. */
  get missed(): number {
    return this.missedCount
  }

  /** How many events came whose payload the channel's check refused: they were not handed over. */
  get refused(): number {
    return this.refusedCount
  }

  /** How many events came that are not handled yet. */
  async lag(): Promise<number> {
    return this.waiting.length + (this.isBusy ? 1 : 0)
  }

  /** Ends it. What waits is dropped. */
  async close(): Promise<void> {
    if (!this.span.isOver) this.finish()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Reads it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<HeardEvent<Payload>, void, undefined> {
    if (this.handler !== undefined) throw new SettingsError('this subscription has a handler: it cannot be read, too.')
    this.span.isHeeded = true
    try {
      for (;;) {
        const next = this.waiting.shift()
        if (next !== undefined) {
          this.isBusy = true
          const heard = await this.heard(next)
          if (heard !== undefined) yield heard
          this.isBusy = false
        } else if (this.span.failure !== undefined) throw this.span.failure
        else if (this.span.isOver) return
        else await new Promise<void>(resolve => (this.wake = resolve))
      }
    } finally {
      await this.close()
    }
  }

  private take(event: HandedEvent): void {
    if (this.span.isOver) return
    this.waiting.push(event)
    if (this.waiting.length > WAITING_MAX) {
      this.waiting.shift()
      this.missedCount++
      callUser(this.about.options.onMissed, 1)
    }
    if (this.handler === undefined) this.wake?.()
    else void this.handle(this.handler)
  }

  private async handle(handler: HeardHandler<Payload>): Promise<void> {
    if (this.isBusy) return
    this.isBusy = true
    try {
      for (let next = this.waiting.shift(); next !== undefined && !this.span.isOver; next = this.waiting.shift()) {
        const heard = await this.heard(next)
        if (heard !== undefined)
          await callHandler(handler, heard, what =>
            this.strange.say(`The handler of a subscription to channel '${this.about.channel}' ${what}?`),
          )
      }
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.isBusy = false
    }
  }

  /** Nothing where its time is over, or the channel's check refuses it. */
  private async heard(event: HandedEvent): Promise<HeardEvent<Payload> | undefined> {
    const { source, counter, content } = event
    if (isExpired(content)) return undefined
    const checked = await checkedPayload(this.about.check, unpackPayload(content.payload))
    if ('why' in checked) {
      this.refusedCount++
      return undefined
    }
    const handed = { source, counter, content, attempt: 1, dead: false }
    const { id, channel, author, attributes, payload, time } = receivedOf<Payload>(handed, checked.value)
    return { id, channel, author, attributes, payload, time }
  }

  private fail(error: Error): void {
    if (!this.span.isOver) this.finish(this.span.told(error))
  }

  private finish(why?: Error): void {
    this.waiting.length = 0
    this.span.end(why)
    this.wake?.()
  }
}
