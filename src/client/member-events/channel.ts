// A channel among the members of a group, without servers: an event goes from member to member, only where somebody wants it.

import { SettingsError } from '../../core/index.ts'
import { parseFilter } from '../../events/filter.ts'
import { type Attributes, parseAttributes } from '../../events/values.ts'
import { CHANNEL_BYTES_MAX } from '../../events/wire.ts'
import { EventRefused } from '../events/errors.ts'
import { eventIdOf } from '../events/event.ts'
import { checkHandler, refuseThird } from '../events/handling.ts'
import { type FilterLike, millis } from '../events/options.ts'
import { checkedPayload, packPayload } from '../events/payload.ts'
import { checkName } from '../names.ts'
import type { MemberEventsHub, MemberEventsHubs } from './hub.ts'
import {
  checkMemberEvents,
  checkMemberPublish,
  checkMemberSubscribe,
  type EventsVia,
  type MemberEventsOptions,
  type MemberPublishOptions,
  type MemberSubscribeOptions,
} from './options.ts'
import { type HeardHandler, MemberSubscription } from './subscription.ts'

/** That an event went out, and who has it as far as was asked. */
export interface MemberReceipt {
  /** Channel, author, life and number: no other event ever has it. */
  readonly id: string
  /** With `receipts`: other members that say a subscription of theirs was given it. */
  readonly received: readonly string[]
  /** With `receipts`: members that did not say whether they have it: gone, cut off, or lying. */
  readonly silent: readonly string[]
}

/** A channel among members: what is published goes to every member with a subscription that wants it. */
export class MemberChannel<Payload = unknown> {
  readonly name: string
  readonly via: EventsVia
  private readonly hub: MemberEventsHub
  private readonly options: MemberEventsOptions<Payload>

  /** @internal Made by `member.events`. */
  constructor(hubs: MemberEventsHubs, name: string, options: MemberEventsOptions<Payload>) {
    checkName('channel', name, CHANNEL_BYTES_MAX)
    checkMemberEvents(options)
    this.name = name
    this.via = options.via ?? 'trees'
    this.hub = hubs.of(this.via)
    this.options = options
  }

  /** Publishes. Resolves when it went out; with `receipts` when the members have said whether they have it. */
  async publish(attributes: Attributes, payload?: Payload, options: MemberPublishOptions = {}): Promise<MemberReceipt> {
    checkMemberPublish('publish', options)
    const checked = await checkedPayload(this.options.check, payload)
    if ('why' in checked) throw new EventRefused(this.name, `the payload does not fit: ${checked.why}.`)
    const { expires, receipts = false } = options
    if (receipts && this.via === 'gossip')
      throw new SettingsError("receipts are for via: 'trees': by gossip nobody knows who is to be asked.")
    const time = Date.now()
    const content = {
      attributes: parseAttributes(attributes),
      payload: packPayload(checked.value),
      time,
      expires: expires === undefined ? 0 : time + millis(expires),
    }
    const { event, received, silent } = await this.hub.publish(this.name, { content, receipts }, options)
    return { id: eventIdOf(event.source, event.counter), received, silent }
  }

  /** Subscribes with a handler, which is called with one event at a time. */
  subscribe(filter: FilterLike, handler: HeardHandler<Payload>): MemberSubscription<Payload>
  /** Subscribes with options; without a handler the subscription is read with `for await`. */
  subscribe(
    filter: FilterLike,
    options?: MemberSubscribeOptions,
    handler?: HeardHandler<Payload>,
  ): MemberSubscription<Payload>
  subscribe(
    filter: FilterLike,
    second: MemberSubscribeOptions | HeardHandler<Payload> = {},
    third?: HeardHandler<Payload>,
  ): MemberSubscription<Payload> {
    if (typeof second === 'function') refuseThird(third)
    const handler = typeof second === 'function' ? second : third
    const options = typeof second === 'function' ? {} : second
    const parsed = parseFilter(filter)
    checkMemberSubscribe('subscribe', options)
    if (parsed.$queue !== undefined)
      throw new SettingsError('a queue ($share) needs servers that remember it: use group.events of a client.')
    if (handler !== undefined) checkHandler(handler)
    const about = { channel: this.name, filter: parsed, options, check: this.options.check }
    return new MemberSubscription<Payload>(this.hub, about, handler)
  }
}
