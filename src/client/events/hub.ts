// Promises over the events part of a client node: one call, one command, one event; and for each subscription its events.

import { because, Unavailable } from '../../core/index.ts'
import type { ClientCommand, ClientEvent, Recalled, Reminded, Surveyed } from '../../events/client/state.ts'
import { onWaitEnd, type WaitEnd, type WaitOptions } from '../waiting.ts'
import { EventRefused, EventUnanswered } from './errors.ts'
import { Shortage } from './shortage.ts'

interface Waiting {
  readonly channel: string
  take(event: ClientEvent): void
  reject(error: Error): void
}

/** What a subscription is told. */
export interface Listener {
  event(event: ClientEvent): void
  ended(error: Error): void
}

/** A server that lied about events, as this client saw it. */
export interface EventsLie {
  readonly server: string
  readonly what: string
  readonly channel: string
}

const LIES_MAX = 100
const NOTHING = () => {}

/** Most calls wait for as long as it takes. */
function endOf(options: WaitOptions, ended: (why: WaitEnd, cause?: unknown) => void): () => void {
  return options.timeout === undefined && options.signal === undefined ? NOTHING : onWaitEnd(options, ended)
}

export class EventsHub {
  readonly command: (body: ClientCommand) => void
  readonly newId: () => number
  readonly lies: EventsLie[] = []
  private readonly waiting = new Map<number, Waiting>()
  private readonly listeners = new Map<number, Listener>()
  /** Listeners that are not open yet. */
  private readonly opening = new Set<number>()
  private readonly shortage: Shortage
  private broken: Error | undefined

  /** `lacking` says which servers are missing, where events cannot go on without them. */
  constructor(
    command: (body: ClientCommand) => void,
    newId: () => number,
    lacking: () => string | undefined = () => undefined,
  ) {
    this.command = command
    this.newId = newId
    this.shortage = new Shortage(lacking, () => this.waiting.size + this.opening.size > 0)
  }

  /** One answer to one command; where the wait ends first, what `late` makes of it. */
  ask<T>(
    channel: string,
    options: WaitOptions,
    begin: (id: number) => ClientCommand,
    take: (event: ClientEvent) => T,
    late: (why: string) => Error,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.broken !== undefined) throw this.broken
      const { signal } = options
      if (signal?.aborted)
        throw because(new EventRefused(channel, 'the call was cancelled before it began.'), signal.reason)
      const id = this.newId()
      const stop = endOf(options, (why: WaitEnd, cause) => {
        this.waiting.delete(id)
        this.command({ kind: 'cancel', id })
        const said = why === 'timeout' ? `its time was up after ${options.timeout} ms.` : 'the call was cancelled.'
        const lacking = this.shortage.words()
        reject(because(late(lacking === undefined ? said : `${said} ${lacking}`), cause))
      })
      const finish = (work: () => void) => {
        this.waiting.delete(id)
        stop()
        work()
      }
      this.waiting.set(id, {
        channel,
        take: event => finish(() => resolve(take(event))),
        reject: error => finish(() => reject(error)),
      })
      this.shortage.watch()
      this.command(begin(id))
    })
  }

  survey(channel: string, options: WaitOptions): Promise<readonly Surveyed[]> {
    return this.ask(
      channel,
      options,
      id => ({ kind: 'survey', id, channel }),
      event => (event as ClientEvent & { kind: 'surveyed' }).servers,
      why => new Unavailable(`too few servers answered: ${why}`),
    )
  }

  /** Of whom clients complain, as each server was told. */
  recall(options: WaitOptions): Promise<readonly Recalled[]> {
    return this.ask(
      'complaints',
      options,
      id => ({ kind: 'recall', id }),
      event => (event as ClientEvent & { kind: 'recalled' }).servers,
      why => new Unavailable(`too few servers answered: ${why}`),
    )
  }

  remind(channel: string, filter: Extract<ClientCommand, { kind: 'remind' }>['filter'], options: WaitOptions) {
    return this.ask(
      channel,
      options,
      id => ({ kind: 'remind', id, channel, filter }),
      (event): readonly Reminded[] => (event as ClientEvent & { kind: 'reminded' }).events,
      why => new Unavailable(`too few servers answered: ${why}`),
    )
  }

  listen(id: number, listener: Listener): void {
    if (this.broken !== undefined) throw this.broken
    this.listeners.set(id, listener)
    this.opening.add(id)
    this.shortage.watch()
  }

  unlisten(id: number): void {
    this.listeners.delete(id)
    this.opening.delete(id)
  }

  event(event: ClientEvent): void {
    if (event.kind === 'lied') {
      if (this.lies.length < LIES_MAX)
        this.lies.push({ server: event.server, what: event.what, channel: event.channel })
      return
    }
    if (event.kind === 'forked') return
    if (event.kind === 'subscribed') this.opening.delete(event.id)
    const listener = this.listeners.get(event.id)
    if (listener !== undefined) return listener.event(event)
    const waiting = this.waiting.get(event.id)
    if (waiting === undefined) return
    if (event.kind === 'refused') waiting.reject(new EventRefused(waiting.channel, event.why))
    else if (event.kind === 'failed') waiting.reject(new EventUnanswered(waiting.channel, event.why))
    else waiting.take(event)
  }

  /** The node below has ended. */
  ended(error: Error): void {
    this.broken ??= error
    for (const one of [...this.waiting.values()]) one.reject(error)
    for (const listener of [...this.listeners.values()]) listener.ended(error)
    this.listeners.clear()
    this.opening.clear()
    this.shortage.end()
  }

  /** Nobody waits for what it would say any more. */
  close(): void {
    this.shortage.end()
  }
}
