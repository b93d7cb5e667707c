// An event as a subscriber has it.

import type { EventContent } from '../../events/content.ts'
import type { Attributes } from '../../events/values.ts'
import type { Source } from '../../events/wire.ts'
import { unpackPayload } from './payload.ts'

/** An event that came. */
export interface ReceivedEvent<Payload = unknown> {
  /** Channel, author, life and number: no other event ever has it. */
  readonly id: string
  readonly channel: string
  /** The client that published it, by its certificate. */
  readonly author: string
  readonly attributes: Attributes
  readonly payload: Payload
  /** When its author published it, by the author's clock. */
  readonly time: Date
  /** 1 the first time. */
  readonly attempt: number
  /** Whether it was handed out before, and not acknowledged. */
  readonly redelivered: boolean
  /** Acknowledges it: the subscription goes on behind it. Twice does no harm. */
  ack(): void
  /** It failed: once more. */
  nack(): void
}

/** What handles an event: when it returns, the event is acknowledged; when it throws, it comes again. */
export type EventHandler<Payload = unknown> = (event: ReceivedEvent<Payload>) => unknown

/** What the node below tells of an event. */
export interface Handed {
  readonly source: Source
  readonly counter: number
  readonly content: EventContent
  readonly attempt: number
  readonly dead: boolean
}

/** The id of an event, as text. */
export function eventIdOf({ channel, author, boot }: Source, counter: number): string {
  return `${channel}/${author}/${boot}/${counter}`
}

/** Whether nobody is to have it any more. */
export function isExpired({ expires }: EventContent): boolean {
  return expires !== undefined && expires > 0 && expires <= Date.now()
}

const NOTHING = () => {}

/** The event for its user. */
export function receivedOf<Payload>(
  { source, counter, content, attempt }: Handed,
  payload: unknown = unpackPayload(content.payload),
  ack: () => void = NOTHING,
  nack: () => void = NOTHING,
): ReceivedEvent<Payload> {
  return {
    id: eventIdOf(source, counter),
    channel: source.channel,
    author: source.author,
    attributes: content.attributes,
    payload: payload as Payload,
    time: new Date(content.time),
    attempt,
    redelivered: attempt > 1,
    ack,
    nack,
  }
}
