// A plain channel on brokers: readable by everybody, so that `mosquitto_sub` and `nats sub` show what is published, and what
// `mosquitto_pub` and `nats pub` send is an event too. The broker is trusted with everything: it reads, and what it drops,
// repeats or invents nobody notices.
//
// An event of ours is a JSON object under CHANNEL/TOPIC (CHANNEL.TOPIC for NATS). Anything else that comes is an event without
// author: a JSON object's own fields are its attributes.

import { randomBytes } from 'node:crypto'
import { SettingsError } from '../../core/index.ts'
import { ATTRIBUTES_MAX, type Attributes, type Filter, matches, parseAttributes } from '../../events/index.ts'
import { type Carrier, flushAll, type OpenCarrier } from '../../runtime/carriers/carrier.ts'
import { asJson } from '../events/payload.ts'
import type { CarriedChannel, CarriedEvent } from './carried.ts'
import { NOT_CONNECTED, NotCarried } from './errors.ts'
import { WAITING_MAX } from './feed.ts'
import type { CarriedNews, PlainOptions } from './options.ts'
import {
  askedOf,
  type CarriedHandler,
  type CarriedSubscribeOptions,
  type CarriedSubscription,
  FedSubscription,
  refuseCancelled,
} from './subscribing.ts'
import { tellerOf } from './telling.ts'

/** Ids that are remembered, so that what came by one carrier is not handed over again when it comes by another. */
const SEEN_MAX = 10_000
/** A level of a topic that is the same in a NATS subject: no blank, no dot, no wildcard, nothing that is not printed. */
const LEVEL = /^[^\s.*>+#/\p{Cc}]+$/u

interface Plain {
  readonly id: string
  readonly author: string
  readonly time: number
  readonly attributes: Attributes
  readonly payload?: unknown
  /** Base 64, where the payload is bytes. */
  readonly bytes?: string
}

/** Opens a plain channel; the options are checked. */
export async function openPlain<Payload>(options: PlainOptions): Promise<CarriedChannel<Payload>> {
  const { channel, carriers } = options
  if (!LEVEL.test(channel)) throw new SettingsError(`${JSON.stringify(channel)} cannot be a topic: ${WHY_LEVEL}`)
  const plain = new PlainChannel<Payload>(options)
  await plain.open(carriers)
  return plain
}

const WHY_LEVEL = 'a level has no blank, no dot, and none of * > + #.'

class PlainChannel<Payload> implements CarriedChannel<Payload> {
  readonly name: string
  readonly epoch = 0
  private readonly options: PlainOptions
  private readonly teller: (news: CarriedNews) => void
  private readonly life = randomBytes(8).toString('hex')
  private readonly feeds = new Map<FedSubscription<CarriedEvent<Payload>>, Filter>()
  private readonly seen = new Set<string>()
  private carriers: OpenCarrier[] = []
  private counter = 0
  private isClosed = false

  constructor(options: PlainOptions) {
    this.options = options
    this.name = options.channel
    this.teller = tellerOf(options.channel, options.told)
  }

  async open(carriers: readonly Carrier[]): Promise<void> {
    const tried = await Promise.allSettled(
      carriers.map(carrier =>
        carrier.open(
          (topic, body) => this.hear(topic, body),
          'plain',
          news => this.tell({ kind: 'carrier', url: carrier.url, ...news }),
        ),
      ),
    )
    this.carriers = tried.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
    const failed = tried.find(one => one.status === 'rejected')
    if (failed === undefined) return
    await this.close()
    throw failed.reason
  }

  async publish(attributes: Attributes, payload: Payload): Promise<{ readonly id: string }> {
    const parsed = parseAttributes(attributes)
    const topic = this.topicOf(parsed)
    if (this.isClosed) throw new NotCarried(`channel '${this.name}' is closed.`)
    const author = this.options.author ?? ''
    const id = `${author}/${this.life}/${++this.counter}`
    const said = { id, author, time: Date.now(), attributes: parsed }
    const isBytes = payload instanceof Uint8Array
    const body = isBytes ? { ...said, bytes: Buffer.from(payload).toString('base64') } : { ...said, payload }
    const bytes = new TextEncoder().encode(asJson(body))
    await this.send(topic, bytes)
    return { id }
  }

  /** Nothing says later what was lost: at least one carrier must take it. */
  private async send(topic: string, bytes: Uint8Array): Promise<void> {
    const sent = this.carriers.filter(one => one.isConnected).map(async one => one.send(topic, bytes))
    const tried = await Promise.allSettled(sent)
    if (tried.some(one => one.status === 'fulfilled')) return
    const failed = tried.find(one => one.status === 'rejected')
    throw new NotCarried(`channel '${this.name}': ${(failed?.reason as Error | undefined)?.message ?? NOT_CONNECTED}`)
  }

  private tell(news: CarriedNews): void {
    this.teller(news)
  }

  private topicOf({ topic }: Attributes): string {
    if (topic === undefined) return this.name
    const levels = typeof topic === 'string' ? topic.split('/') : ['']
    if (levels.every(level => LEVEL.test(level))) return `${this.name}/${topic}`
    throw new NotCarried(
      `channel '${this.name}': the topic ${JSON.stringify(topic)} cannot be one of NATS and MQTT: ${WHY_LEVEL}`,
    )
  }

  async subscribe(
    filter: unknown,
    second: CarriedSubscribeOptions | CarriedHandler<CarriedEvent<Payload>>,
    third?: CarriedHandler<CarriedEvent<Payload>>,
  ): Promise<CarriedSubscription> {
    const asked = askedOf(filter, second, third)
    refuseCancelled(this.name, asked.signal)
    if (this.isClosed) throw new NotCarried(`channel '${this.name}' is closed.`)
    const failed = (error: unknown) => this.tell({ kind: 'failed', error })
    const subscription = new FedSubscription(asked, failed, () => this.leave(subscription))
    this.feeds.set(subscription, asked.filter)
    // The whole channel: the broker knows topics only, and the rest of a filter is tested here.
    if (this.feeds.size === 1) for (const carrier of this.carriers) carrier.listen(`${this.name}/#`)
    await flushAll(this.carriers).catch(async error => {
      await subscription.close()
      throw new NotCarried(`channel '${this.name}': ${(error as Error).message}`)
    })
    refuseCancelled(this.name, asked.signal)
    return subscription
  }

  private leave(subscription: FedSubscription<CarriedEvent<Payload>>): void {
    this.feeds.delete(subscription)
    if (this.feeds.size === 0) for (const carrier of this.carriers) carrier.leave(`${this.name}/#`)
  }

  private hear(topic: string, body: Uint8Array): void {
    const event = eventOf<Payload>(topic.slice(this.name.length + 1), body)
    if (event.id !== '') {
      if (this.seen.has(event.id)) return
      if (this.seen.size >= SEEN_MAX) this.seen.delete(this.seen.keys().next().value!)
      this.seen.add(event.id)
    }
    for (const [feed, filter] of this.feeds) {
      if (!matches(filter, event.attributes) || feed.push(event)) continue
      this.tell({ kind: 'dropped', why: `${WAITING_MAX} events wait for a handler` })
    }
  }

  async close(): Promise<void> {
    this.isClosed = true
    const carriers = this.carriers.splice(0)
    await Promise.all(carriers.map(one => one.close()))
    await Promise.all([...this.feeds.keys()].map(one => one.close()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** What came: ours, or whatever somebody sent. */
function eventOf<Payload>(topic: string, body: Uint8Array): CarriedEvent<Payload> {
  const value = jsonOf(body)
  const ours = plainOf(value)
  if (ours !== undefined) {
    const { id, author, attributes, time, payload, bytes } = ours
    const given = bytes === undefined ? payload : new Uint8Array(Buffer.from(bytes, 'base64'))
    return { id, author, attributes, payload: given as Payload, time: new Date(time) }
  }
  const named: Attributes = topic === '' ? {} : { topic }
  const attributes = attributesIn({ ...flatFields(value), ...named }) ?? named
  const payload = value === undefined ? new Uint8Array(body) : value
  return { id: '', author: '', attributes, payload: payload as Payload, time: new Date() }
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
  } catch {
    // No JSON, or no text at all: bytes.
    return undefined
  }
}

function plainOf(value: unknown): Plain | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, author, time, attributes, bytes } = value as Record<string, unknown>
  const parsed = attributesIn(attributes)
  const isTime = typeof time === 'number' && !Number.isNaN(new Date(time).getTime())
  const isOurs = typeof id === 'string' && id !== '' && typeof author === 'string' && isTime
  if (!isOurs || parsed === undefined || (bytes !== undefined && typeof bytes !== 'string')) return undefined
  return { ...(value as Plain), attributes: parsed }
}

function attributesIn(value: unknown): Attributes | undefined {
  try {
    // A plain object, as everywhere else: one without a prototype is equal to none that a test compares it with.
    return { ...parseAttributes(value as Attributes) }
  } catch {
    return undefined
  }
}

/** The first fields of a JSON object that can be attributes, with room for the topic: too many are no reason to have none. */
function flatFields(value: unknown): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  const fields = Object.entries(value).filter(([name, one]) => attributesIn({ [name]: one }) !== undefined)
  return Object.fromEntries(fields.slice(0, ATTRIBUTES_MAX - 1)) as Attributes
}
