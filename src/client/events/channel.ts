// A channel as its user sees it: events go in with attributes, and come out to subscribers that asked for such attributes.

import { Unavailable } from '../../core/index.ts'
import type { ClientEvent } from '../../events/client/state.ts'
import { type Filter, parseFilter } from '../../events/filter.ts'
import { type Attributes, parseAttributes } from '../../events/values.ts'
import { CHANNEL_BYTES_MAX, type Keep } from '../../events/wire.ts'
import type { Accusation } from '../inspect-objects.ts'
import { checkName } from '../names.ts'
import type { ObjectDefinition, SharedObject } from '../objects/shared-object.ts'
import { checkWaiting, type WaitOptions } from '../waiting.ts'
import { EventRefused, EventUnanswered } from './errors.ts'
import { type EventHandler, eventIdOf, isExpired, type ReceivedEvent, receivedOf } from './event.ts'
import { checkHandler, refuseThird } from './handling.ts'
import type { EventsHub } from './hub.ts'
import { type EffectDefinition, type EffectOptions, EventsInto } from './into.ts'
import {
  type ChannelOptions,
  checkChannel,
  checkPublish,
  checkShared,
  checkSubscribe,
  deadChannel,
  type FilterLike,
  millis,
  type PublishOptions,
  type SubscribeOptions,
} from './options.ts'
import { checkedPayload, packPayload, unpackPayload } from './payload.ts'
import { type ChannelStatus, channelsOf } from './status.ts'
import { EventSubscription, type Subscribed } from './subscription.ts'

/** That an event was accepted: n - f servers hold it, and every subscription that wants it gets it. */
export interface EventReceipt {
  /** Channel, author, life and number: no other event ever has it. */
  readonly id: string
}

const DAY_MS = 86_400_000
const KEPT: Keep = { age: 7 * DAY_MS, bytes: 16_000_000 }
/** A second of a busy author: a subscriber that is slower for longer misses some, and is told. */
const LIVE: Keep = { age: 60_000, bytes: 8_000_000 }

/** What a channel needs of its group. */
export interface ChannelBelow {
  readonly hub: EventsHub
  readonly liars: number
  /** Bytes of this client's events that a server keeps. */
  readonly keepMax: number
  accusations(): Promise<readonly Accusation[]>
  object<State, Operation, Result>(
    name: string,
    definition: ObjectDefinition<State, Operation, Result>,
  ): SharedObject<State, Operation, Result>
  opened(closable: { close(): Promise<void> }): () => void
}

/** A channel of a group: what is published there is kept by its servers, and goes to every subscription that wants it. */
export class EventChannel<Payload = unknown> {
  readonly name: string
  private readonly below: ChannelBelow
  private readonly options: ChannelOptions<Payload>
  private readonly live: boolean
  private readonly keep: Keep

  /** @internal Made by `group.events`. */
  constructor(below: ChannelBelow, name: string, options: ChannelOptions<Payload>) {
    checkName('channel', name, CHANNEL_BYTES_MAX)
    checkChannel(options, below.keepMax)
    this.name = name
    this.below = below
    this.options = options
    this.live = options.durable === false
    const usual = this.live ? LIVE : KEPT
    const { age = usual.age, bytes = usual.bytes } = options.keep ?? {}
    this.keep = { age: millis(age), bytes }
  }

  /** Publishes. Resolves when it is accepted: n - f servers hold it. */
  async publish(attributes: Attributes, payload?: Payload, options: PublishOptions = {}): Promise<EventReceipt> {
    checkPublish('publish', options)
    const { check } = this.options
    const checked = check === undefined ? { value: payload } : await checkedPayload(check, payload)
    if ('why' in checked) throw new EventRefused(this.name, `the payload does not fit: ${checked.why}.`)
    const { retained = false, expires, wait = true } = options
    const time = Date.now()
    const parsed = parseAttributes(attributes)
    if (retained) this.refuseNoTopic(parsed)
    const content = {
      attributes: parsed,
      payload: packPayload(checked.value),
      time,
      retained,
      expires: expires === undefined ? 0 : time + millis(expires),
    }
    const { name: channel, live, keep } = this
    return this.below.hub.ask(
      channel,
      options,
      id => ({ kind: 'publish', id, channel, content, live, keep, wait }),
      event => {
        const { source, counter } = event as ClientEvent & { kind: 'accepted' }
        return { id: eventIdOf(source, counter) }
      },
      why => new EventUnanswered(channel, why),
    )
  }

  /** Without one it would be kept in the place of all others that have none, whoever published them. */
  private refuseNoTopic({ topic }: Attributes): void {
    if (typeof topic === 'string' && topic !== '') return
    throw new EventRefused(
      this.name,
      'retained keeps the newest of each attribute `topic`, and this event has no text there.',
    )
  }

  /** Subscribes with a handler: what it returns acknowledges, what it throws brings the event again. */
  subscribe(filter: FilterLike, handler: EventHandler<Payload>): EventSubscription<Payload>
  /** Subscribes with options; without a handler the subscription is read with `for await`. */
  subscribe(filter: FilterLike, options?: SubscribeOptions, handler?: EventHandler<Payload>): EventSubscription<Payload>
  subscribe(
    filter: FilterLike,
    second: SubscribeOptions | EventHandler<Payload> = {},
    third?: EventHandler<Payload>,
  ): EventSubscription<Payload> {
    if (typeof second === 'function') refuseThird(third)
    const handler = typeof second === 'function' ? second : third
    const parsed = filterOf(filter)
    const given = typeof second === 'function' ? {} : second
    checkShared(parsed, given)
    // A shared subscription of MQTT names its queue.
    const shared = parsed.$queue === undefined ? {} : { name: parsed.$queue, queue: true }
    const options = { ...given, ...shared }
    checkSubscribe(options, this.name, this.live)
    if (handler !== undefined) checkHandler(handler)
    const described: Subscribed = { channel: this.name, filter: parsed, options, check: this.options.check }
    const dead = options.queue ? new EventChannel<unknown>(this.below, deadChannel(options.name!), {}) : undefined
    const subscription = new EventSubscription<Payload>(this.below.hub, described, handler, dead)
    subscription.whenClosed(this.below.opened(subscription))
    return subscription
  }

  /** The newest kept event of each topic that the filter wants; without those that have expired, or that the channel's check refuses. */
  async retained(filter: FilterLike, options: WaitOptions = {}): Promise<readonly ReceivedEvent<Payload>[]> {
    checkWaiting('retained', options)
    const found = await this.below.hub.remind(this.name, filterOf(filter), options)
    const all: ReceivedEvent<Payload>[] = []
    for (const { source, counter, content } of found) {
      if (isExpired(content)) continue
      const checked = await checkedPayload(this.options.check, unpackPayload(content.payload))
      if ('why' in checked) continue
      all.push(receivedOf<Payload>({ source, counter, content, attempt: 1, dead: false }, checked.value))
    }
    return all
  }

  /** What all channels of the group hold, and how far their subscriptions are; this channel's name does not matter. */
  async survey(options: WaitOptions = {}): Promise<readonly ChannelStatus[]> {
    checkWaiting('survey', options)
    return channelsOf(await this.below.hub.survey('', options), this.below.liars)
  }

  /** Servers that were caught lying about events of any channel, and by whom. */
  accusations(): Promise<readonly Accusation[]> {
    return this.below.accusations()
  }

  /** Resolves when all subscriptions of this process to this channel have handled what was accepted before this call. */
  async drain(options: WaitOptions = {}): Promise<void> {
    checkWaiting('drain', options)
    const channel = this.name
    await this.below.hub.ask(
      channel,
      options,
      id => ({ kind: 'drain', id, channel }),
      () => undefined,
      why => new Unavailable(`not everything was handled: ${why}`),
    )
  }

  /**
   * Applies each event to a shared object, exactly once: the object's state remembers how far it is with each author. One
   * process of a client does so at a time; one that begins later takes over.
   */
  into<State>(
    name: string,
    filter: FilterLike,
    definition: EffectDefinition<State, Payload>,
    options: EffectOptions = {},
  ): EventsInto<State, Payload> {
    return new EventsInto<State, Payload>(this, name, filterOf(filter), {
      definition,
      options,
      open: (object, wrapped) => this.below.object(object, wrapped),
    })
  }
}

function filterOf(filter: FilterLike): Filter {
  return parseFilter(filter)
}
