// Promises over the parts of a member node that carry events: one call, one command, one answer; and for each subscription its
// events.

import { because } from '../../core/index.ts'
import type { InterestEvent } from '../../events/interest/state.ts'
import type { RoutingCommand, RoutingEvent } from '../../events/routing/state.ts'
import { EventRefused, EventUnanswered } from '../events/errors.ts'
import { onWaitEnd, type WaitOptions } from '../waiting.ts'
import type { EventsVia } from './options.ts'

/** What a user, or a subscription, asks of the part below. */
export type CarryingCommand = Exclude<RoutingCommand, { kind: 'overlay' | 'changed' }>
/** What the part below tells. */
export type CarryingEvent = RoutingEvent | InterestEvent
/** An event as the part below hands it over. */
export type HandedEvent = CarryingEvent & { kind: 'handed' }
/** What a publication came to. */
export interface Published {
  readonly event: CarryingEvent & { kind: 'published' }
  readonly received: readonly string[]
  readonly silent: readonly string[]
}

/** What a subscription is told. */
export interface MemberListener {
  handed(event: HandedEvent): void
  /** It is known to the neighbours. */
  opened(): void
  ended(error: Error): void
}

interface Publishing {
  readonly channel: string
  readonly receipts: boolean
  published: (CarryingEvent & { kind: 'published' }) | undefined
  resolve(published: Published): void
  reject(error: Error): void
}

/** One of the parts that carry events. */
export class MemberEventsHub {
  readonly via: EventsVia
  private readonly command: (body: CarryingCommand) => void
  private readonly publishing = new Map<number, Publishing>()
  private readonly listeners = new Map<number, { readonly channel: string; readonly listener: MemberListener }>()
  private ids = 0
  private isOpen = false
  private broken: Error | undefined

  constructor(via: EventsVia, command: (body: CarryingCommand) => void) {
    this.via = via
    this.command = command
  }

  publish(
    channel: string,
    publication: Omit<CarryingCommand & { kind: 'publish' }, 'kind' | 'id' | 'channel'>,
    options: WaitOptions,
  ): Promise<Published> {
    return new Promise((resolve, reject) => {
      if (this.broken !== undefined) throw this.broken
      const id = ++this.ids
      const { signal } = options
      if (signal?.aborted)
        throw because(new EventRefused(channel, 'the call was cancelled before it began.'), signal.reason)
      // What is out by then is told as it stands; what is not is taken back.
      const stop = onWaitEnd(options, () => this.command({ kind: 'settle', id }))
      const { receipts = false } = publication
      const finish = (work: () => void) => {
        this.publishing.delete(id)
        stop()
        work()
      }
      this.publishing.set(id, {
        channel,
        receipts,
        published: undefined,
        resolve: found => finish(() => resolve(found)),
        reject: error => finish(() => reject(error)),
      })
      this.command({ kind: 'publish', id, channel, ...publication })
    })
  }

  /** Begins a subscription; what it returns ends it. */
  subscribe(channel: string, filter: (CarryingCommand & { kind: 'subscribe' })['filter'], listener: MemberListener) {
    if (this.broken !== undefined) throw this.broken
    const id = ++this.ids
    this.listeners.set(id, { channel, listener })
    this.command({ kind: 'subscribe', id, channel, filter })
    if (this.isOpen) listener.opened()
    return () => {
      if (this.listeners.delete(id) && this.broken === undefined) this.command({ kind: 'unsubscribe', id })
    }
  }

  event(event: CarryingEvent): void {
    switch (event.kind) {
      case 'handed':
        return this.listeners.get(event.id)?.listener.handed(event)
      case 'published':
      case 'received':
        return this.answered(event)
      case 'refused':
        return this.refused(event.id, event.why)
      case 'open':
        this.isOpen = true
        for (const { listener } of this.listeners.values()) listener.opened()
        return
      case 'outside':
        return this.outside()
      default:
        return
    }
  }

  /** The node below has ended. */
  ended(error: Error): void {
    this.broken ??= error
    for (const { channel, published, reject } of [...this.publishing.values()]) {
      reject(published === undefined ? new EventUnanswered(channel, error.message) : error)
    }
    for (const { listener } of [...this.listeners.values()]) listener.ended(error)
    this.listeners.clear()
  }

  private answered(event: CarryingEvent & { kind: 'published' | 'received' }): void {
    const publishing = this.publishing.get(event.id)
    if (publishing === undefined) return
    if (event.kind === 'received') {
      const { members: received, silent } = event
      return publishing.resolve({ event: publishing.published!, received, silent })
    }
    publishing.published = event
    if (!publishing.receipts) publishing.resolve({ event, received: [], silent: [] })
  }

  private refused(id: number, why: string): void {
    const publishing = this.publishing.get(id)
    if (publishing !== undefined) return publishing.reject(new EventRefused(publishing.channel, `${why}.`))
    const found = this.listeners.get(id)
    this.listeners.delete(id)
    found?.listener.ended(new EventRefused(found.channel, `${why}.`))
  }

  private outside(): void {
    this.isOpen = false
    const why = 'this member is not in the list of those who may vote, which the trees are made of (admit it first).'
    for (const [id, { channel, listener }] of [...this.listeners]) {
      this.listeners.delete(id)
      this.command({ kind: 'unsubscribe', id })
      listener.ended(new EventRefused(channel, why))
    }
  }
}

/** Both ways, as far as they are used. */
export class MemberEventsHubs {
  private readonly hubs: Readonly<Record<EventsVia, MemberEventsHub>>

  constructor(tell: (via: EventsVia, body: CarryingCommand) => void) {
    const trees = new MemberEventsHub('trees', body => tell('trees', body))
    const gossip = new MemberEventsHub('gossip', body => tell('gossip', body))
    // There is nothing to wait for: a member that gossips takes part at once.
    gossip.event({ kind: 'open', overlay: 0 })
    this.hubs = { trees, gossip }
  }

  of(via: EventsVia): MemberEventsHub {
    return this.hubs[via]
  }

  ended(error: Error): void {
    for (const hub of Object.values(this.hubs)) hub.ended(error)
  }
}
