// Events through brokers that are not trusted: `carried` opens a secret channel on one or more carriers.

import { fingerprint, SettingsError } from '../../core/index.ts'
import { type Attributes, parseAttributes } from '../../events/index.ts'
import {
  decodeRecords,
  type EpochRecord,
  encodeRecords,
  type Life,
  type MemberCommand,
  type MemberEvent,
  secretBasics,
  secretMember,
} from '../../events/secret/index.ts'
import { PAYLOAD_BYTES_MAX } from '../../events/wire.ts'
import { type CarriedDriver, driveCarried } from '../../runtime/carriers/driver.ts'
import { opensslSignatures } from '../../runtime/certificates/signatures.ts'
import { clientKeys, loadCard, newestOf, saveCard, searchToolsOf } from '../../runtime/channels.ts'
import { opensslCiphers } from '../../runtime/ciphers.ts'
import { loadClientConfig } from '../../runtime/config/config.ts'
import { sha256 } from '../../runtime/hash.ts'
import { asJson } from '../events/payload.ts'
import { NOT_CONNECTED, NotCarried } from './errors.ts'
import { WAITING_MAX } from './feed.ts'
import type { CarriedNews, CarriedOptions } from './options.ts'
import { searchableOf } from './searching.ts'
import {
  askedOf,
  type CarriedHandler,
  type CarriedSubscribeOptions,
  type CarriedSubscription,
  FedSubscription,
  refuseCancelled,
} from './subscribing.ts'
import { tellerOf } from './telling.ts'

/** An event that came. */
export interface CarriedEvent<Payload> {
  /** Author, life and counter: the same on every carrier. */
  readonly id: string
  readonly author: string
  readonly attributes: Attributes
  readonly payload: Payload
  /** The author's clock. */
  readonly time: Date
}

/** A secret channel on carriers. */
export interface CarriedChannel<Payload> extends AsyncDisposable {
  readonly name: string
  /** The number of the newest epoch whose record is known. */
  readonly epoch: number
  /**
   * Sealed, signed and given to every carrier; refused where none lets this client send. A broker gives no receipt: what it drops,
   * readers are told.
   */
  publish(attributes: Attributes, payload: Payload): Promise<{ readonly id: string }>
  /** The handler is called for one event at a time. */
  subscribe(filter: unknown, handler: CarriedHandler<CarriedEvent<Payload>>): Promise<CarriedSubscription>
  /** The same, with options. */
  subscribe(
    filter: unknown,
    options: CarriedSubscribeOptions,
    handler: CarriedHandler<CarriedEvent<Payload>>,
  ): Promise<CarriedSubscription>
  close(): Promise<void>
}

/** A matcher may have a thousand pairings before ours: four seconds, and as much again as any channel waits. */
const PEKS_PATIENCE_MS = 6_000
const BYTES = 0
const JSON_TEXT = 1

/** Opens the channel; the options are checked. */
export async function openCarried<Payload>(options: CarriedOptions): Promise<CarriedChannel<Payload>> {
  const { searchable } = options.secret ?? {}
  if (searchable !== undefined) searchableOf(searchable)
  const config = await loadClientConfig(options.identity)
  const card = await loadCard(config, options.channel)
  checkExpected(newestOf(card), options)
  const { mode } = newestOf(card)
  const keys = await clientKeys(config.key)
  const { signer, sealing } = keys
  const channel = new Carried<Payload>(options, newestOf(card).number)
  const protocol = secretMember({
    ...secretBasics,
    channel: card.channel,
    name: config.name,
    keeper: card.keeper,
    signer,
    signatures: opensslSignatures(),
    sealing,
    search: mode === 'peks' ? await searchToolsOf(keys) : undefined,
    patience: mode === 'peks' ? PEKS_PATIENCE_MS : secretBasics.patience,
    ciphers: opensslCiphers,
    hash: sha256,
    wall: () => Date.now(),
    lane: options.lane ?? 0,
  })
  let saving: Promise<void> = Promise.resolve()
  const driver = await driveCarried({
    protocol,
    self: config.name,
    carriers: options.carriers,
    saved: new Map([['', [encodeRecords(card.records)]]]),
    event: event => channel.hear(event),
    save(record) {
      const decoded = decodeRecords(record)
      saving = saving.then(() =>
        decoded.ok ? saveCard(config.folder, { ...card, records: decoded.value }) : undefined,
      )
      return saving
    },
    failed: error => channel.fail(error),
    carrier: (url, news) => channel.tell({ kind: 'carrier', url, ...news }),
  })
  channel.start(driver, () => saving)
  return channel
}

function checkExpected({ mode, searchable }: EpochRecord, { channel, secret }: CarriedOptions): void {
  const is = (what: string) =>
    new SettingsError(`channel '${channel}' ${what}: leave that option out, or ask its keeper.`)
  const said = secret?.pair ? 'paired' : secret?.mode
  if (said !== undefined && said !== mode) throw is(`is ${mode}, not ${said}`)
  // The one mode in which the broker can find out what somebody asks for: nobody gets it unasked.
  if (mode === 'peks' && secret?.guessable !== true) {
    throw new SettingsError(
      `channel '${channel}' is peks: its broker can find by a list of words which keyword a reader asks for. Say secret: { mode: 'peks', guessable: true } where your keywords cannot be listed.`,
    )
  }
  if (secret?.searchable === undefined) return
  if (fingerprint(searchableOf(secret.searchable)) !== fingerprint([...searchable].sort(byAttribute)))
    throw is('can be searched by other attributes, or in another way')
}

const byAttribute = (one: { attribute: string }, other: { attribute: string }) =>
  one.attribute < other.attribute ? -1 : 1

type Sent = { resolve(answer: { id: string }): void; reject(error: Error): void }

class Carried<Payload> implements CarriedChannel<Payload> {
  readonly name: string
  epoch: number
  private readonly teller: (news: CarriedNews) => void
  private readonly sent = new Map<number, Sent>()
  private readonly listening = new Map<number, FedSubscription<CarriedEvent<Payload>>>()
  private driver: CarriedDriver<MemberCommand> | undefined
  private saved: () => Promise<void> = () => Promise.resolve()
  private commands = 0
  private ended: Error | undefined

  constructor(options: CarriedOptions, epoch: number) {
    this.name = options.channel
    this.teller = tellerOf(options.channel, options.told)
    this.epoch = epoch
  }

  start(driver: CarriedDriver<MemberCommand>, saved: () => Promise<void>): void {
    this.driver = driver
    this.saved = saved
  }

  async publish(attributes: Attributes, payload: Payload): Promise<{ readonly id: string }> {
    const content = { attributes: parseAttributes(attributes), payload: bytesOf(payload), time: Date.now() }
    if (content.payload.length > PAYLOAD_BYTES_MAX) {
      const size = `the payload has ${content.payload.length - 1} bytes`
      throw new NotCarried(`channel '${this.name}': ${size}: fewer than ${PAYLOAD_BYTES_MAX} can be carried.`)
    }
    if (this.driver?.isConnected === false) throw new NotCarried(`channel '${this.name}': ${NOT_CONNECTED}`)
    return this.ask(id => ({ kind: 'publish', id, content }))
  }

  private ask(make: (id: number) => MemberCommand): Promise<{ id: string }> {
    const id = ++this.commands
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) return reject(this.ended)
      this.sent.set(id, { resolve, reject })
      this.driver!.command(make(id))
    })
  }

  async subscribe(
    filter: unknown,
    second: CarriedSubscribeOptions | CarriedHandler<CarriedEvent<Payload>>,
    third?: CarriedHandler<CarriedEvent<Payload>>,
  ): Promise<CarriedSubscription> {
    const asked = askedOf(filter, second, third)
    refuseCancelled(this.name, asked.signal)
    if (this.ended !== undefined) throw this.ended
    const id = ++this.commands
    const failed = (error: unknown) => this.tell({ kind: 'failed', error })
    const subscription = new FedSubscription(asked, failed, () => this.leave(id))
    let refused: Error | undefined
    this.sent.set(id, { resolve() {}, reject: error => (refused = error) })
    this.listening.set(id, subscription)
    this.driver!.command({ kind: 'subscribe', id, filter: asked.filter })
    this.sent.delete(id)
    if (refused === undefined) await this.driver!.flush().catch(error => (refused = this.notCarried(error)))
    if (refused !== undefined || asked.signal?.aborted) await subscription.close()
    refuseCancelled(this.name, asked.signal)
    if (refused !== undefined) throw refused
    return subscription
  }

  private notCarried(error: unknown): NotCarried {
    return new NotCarried(`channel '${this.name}': ${(error as Error).message}`)
  }

  private leave(id: number): void {
    this.listening.delete(id)
    this.driver?.command({ kind: 'unsubscribe', id })
  }

  hear(event: MemberEvent): void {
    if (event.kind === 'handed') return this.hand(event)
    if (event.kind === 'published') return this.published(event)
    if (event.kind === 'refused') {
      this.sent.get(event.id)?.reject(new NotCarried(`channel '${this.name}': ${event.why}`))
      this.sent.delete(event.id)
      return
    }
    if (event.kind === 'epoch') {
      this.epoch = event.number
      return this.tell({ kind: 'epoch', number: event.number, isParty: event.isParty })
    }
    if (event.kind === 'missed') for (const one of this.listening.values()) one.miss(event.to - event.from + 1)
    this.tell(event)
  }

  private published({ id, life, counter }: MemberEvent & { kind: 'published' }): void {
    const sent = this.sent.get(id)
    this.sent.delete(id)
    const receipt = { id: idOf(life, counter) }
    const admitted = this.driver?.admitted()
    if (admitted === undefined) return sent?.resolve(receipt)
    admitted.then(
      () => sent?.resolve(receipt),
      error => sent?.reject(this.notCarried(error)),
    )
  }

  tell(news: CarriedNews): void {
    this.teller(news)
  }

  private hand(event: MemberEvent & { kind: 'handed' }): void {
    const { life, counter, content } = event
    const listening = this.listening.get(event.id)
    if (listening === undefined) return
    const payload = payloadOf<Payload>(content.payload)
    const id = idOf(life, counter)
    if (payload === undefined) return this.tell({ kind: 'dropped', why: `the payload of ${id} is no JSON` })
    const { attributes, time } = content
    if (listening.push({ id, author: life.author, attributes, payload: payload.value, time: new Date(time) })) return
    this.tell({ kind: 'dropped', why: `${WAITING_MAX} events wait for a handler` })
  }

  fail(error: Error): void {
    this.end(new NotCarried(`channel '${this.name}' has ended: ${error.message}`))
    for (const one of this.listening.values()) one.fail(this.ended!)
    this.tell({ kind: 'failed', error: this.ended })
  }

  private end(error: Error): void {
    this.ended ??= error
    for (const { reject } of this.sent.values()) reject(this.ended)
    this.sent.clear()
  }

  async close(): Promise<void> {
    if (this.driver === undefined) return
    const { driver } = this
    this.driver = undefined
    this.end(new NotCarried(`channel '${this.name}' is closed.`))
    await driver.close()
    await Promise.all([...this.listening.values()].map(one => one.close()))
    await this.saved()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** The life that was told last: many events have the same. */
let told: { readonly life: Life; readonly text: string } | undefined

function idOf(life: Life, counter: number): string {
  if (told?.life !== life) {
    const { author, started, boot } = life
    told = { life, text: `${author}/${started}-${Buffer.from(boot).toString('hex')}/` }
  }
  return told.text + counter
}

function bytesOf(payload: unknown): Uint8Array {
  const isBytes = payload instanceof Uint8Array
  const text = isBytes ? payload : new TextEncoder().encode(asJson(payload ?? null))
  const out = new Uint8Array(1 + text.length)
  out[0] = isBytes ? BYTES : JSON_TEXT
  out.set(text, 1)
  return out
}

/** What somebody else made of a payload is no reason to fail. */
function payloadOf<Payload>(bytes: Uint8Array): { readonly value: Payload } | undefined {
  const body = bytes.subarray(1)
  if (bytes[0] === BYTES) return { value: new Uint8Array(body) as Payload }
  try {
    return { value: JSON.parse(new TextDecoder().decode(body)) as Payload }
  } catch {
    return undefined
  }
}
