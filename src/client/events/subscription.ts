// A subscription as its user sees it: a handler that is called, or a loop that reads.

import { SettingsError } from '../../core/index.ts'
import type { ClientEvent, Reminded } from '../../events/client/state.ts'
import { type Filter, parseFilter } from '../../events/filter.ts'
import { ATTRIBUTES_MAX, type Attributes } from '../../events/values.ts'
import { sourceKey } from '../../events/wire.ts'
import { callUser } from '../callback.ts'
import { Feed } from '../feed.ts'
import { startTimer } from '../waiting.ts'
import { EventRefused, SubscriptionLost } from './errors.ts'
import { type EventHandler, eventIdOf, type Handed, isExpired, type ReceivedEvent, receivedOf } from './event.ts'
import { callHandler, TOLD_AT, thrownBy, Warning } from './handling.ts'
import type { EventsHub } from './hub.ts'
import { checkShared, deadChannel, type FilterLike, millis, type SubscribeOptions } from './options.ts'
import { type Checked, checkedPayload, unpackPayload } from './payload.ts'
import { Span } from './span.ts'

const ACK_WAIT_DEFAULT_MS = 30_000
const ATTEMPTS_DEFAULT = 5
/** What failed comes again after this, doubled with each attempt. */
const AGAIN_MS = 50
const AGAIN_MAX_MS = 10_000

/** What a subscription is about. */
export interface Subscribed {
  readonly channel: string
  readonly filter: Filter
  readonly options: SubscribeOptions
  readonly check: Checked | undefined
}

/** The channel of a queue's dead letters. */
interface Dead {
  publish(attributes: Attributes, payload: unknown): Promise<unknown>
}

/** A subscription: dispose of it, or close it, to end it. */
export class EventSubscription<Payload = unknown> {
  private readonly hub: EventsHub
  private readonly about: Subscribed
  private readonly id: number
  private readonly handler: EventHandler<Payload> | undefined
  private readonly dead: Dead | undefined
  private readonly feed = new Feed<ReceivedEvent<Payload>>(undefined)
  private readonly running = new Set<string>()
  private readonly timers = new Set<() => void>()
  private readonly span: Span
  private readonly failing = new Warning()
  private readonly strange = new Warning()
  private readonly unanswered = new Warning()
  /** What the loop had last and has not acknowledged. */
  private inLoop = ''
  private missedCount = 0
  private refusedCount = 0
  /** What came while the newest of its topic is not handled yet; undefined where nothing waits for any. */
  private held: Map<string, ClientEvent & { kind: 'handed' }> | undefined
  /** The topics whose newest is still to be handled; undefined: nobody knows yet. */
  private awaited: ReadonlySet<string> | undefined
  private changing: { resolve(): void; reject(error: Error): void } | undefined

  /** @internal Made by `channel.subscribe`. */
  constructor(hub: EventsHub, about: Subscribed, handler: EventHandler<Payload> | undefined, dead: Dead | undefined) {
    this.hub = hub
    this.about = about
    this.handler = handler
    this.dead = dead
    this.id = hub.newId()
    this.span = new Span(about.channel, about.options.name)
    if (!this.span.heeds(about.options.signal, () => void this.close())) {
      this.finish()
      return
    }
    hub.listen(this.id, { event: event => this.event(event), ended: error => this.fail(error) })
    this.begin()
  }

  /** Resolves when it is open: what is accepted from then on is not missed. */
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

  /** How many events were cut before this subscription had them. */
  get missed(): number {
    return this.missedCount
  }

  /** How many events came whose payload the channel's check refused: they were not handed over. */
  get refused(): number {
    return this.refusedCount
  }

  /** Events above what was handled that the servers are known to hold, whether they match or not; of a queue: all its members'. */
  lag(): Promise<number> {
    return this.hub.ask(
      this.about.channel,
      {},
      id => ({ kind: 'lag', id, of: this.id }),
      event => (event as ClientEvent & { kind: 'lag' }).behind,
      why => new EventRefused(this.about.channel, why),
    )
  }

  /** Another filter from here on; the place in the channel stays. Of a queue: for all its members. */
  change(filter: FilterLike): Promise<void> {
    const { channel, options } = this.about
    if (this.span.isOver) return Promise.reject(this.lostHere())
    const parsed = parseFilter(filter)
    const { name, queue = false } = options
    checkShared(parsed, { ...(name !== undefined && { name }), queue })
    return this.span.ready.then(
      () =>
        new Promise((resolve, reject) => {
          // It was open, and closed before this turn.
          if (this.span.isOver) throw this.lostHere()
          this.changing?.reject(new EventRefused(channel, 'the filter was changed again.'))
          this.changing = { resolve, reject }
          this.hub.command({ kind: 'change', id: this.id, filter: parsed, version: Date.now() })
        }),
    )
  }

  /** Why nothing can be asked of it any more. */
  private lostHere(): Error {
    const { channel, options } = this.about
    return this.span.failure ?? new SubscriptionLost(channel, options.name ?? '', 'it was closed.')
  }

  /** Ends it. What was handed over and not acknowledged comes again to a later process of the same name. */
  async close(): Promise<void> {
    if (this.span.isOver) return
    this.hub.command({ kind: 'unsubscribe', id: this.id })
    this.finish()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Reads it: each event must be acknowledged before the next one of its author comes. */
  [Symbol.asyncIterator](): AsyncIterator<ReceivedEvent<Payload>> {
    if (this.handler !== undefined) throw new SettingsError('this subscription has a handler: it cannot be read, too.')
    this.span.isHeeded = true
    const events = this.feed.items()
    return {
      next: () => events.next(),
      return: async () => {
        await this.close()
        return { done: true, value: undefined }
      },
    }
  }

  /** @internal Called once when it is over. */
  whenClosed(work: () => void): void {
    this.span.whenOver(work)
  }

  private begin(): void {
    const { channel, filter, options } = this.about
    const { name = '', from = 'now', queue = false, parallel = 1, attempts = ATTEMPTS_DEFAULT } = options
    const ackWait = millis(options.ackWait ?? ACK_WAIT_DEFAULT_MS)
    const shared = { id: this.id, channel, name, filter, parallel, ackWait }
    // The filter of the process that began last counts for the whole queue.
    const version = Date.now()
    if (queue) this.hub.command({ kind: 'enlist', ...shared, attempts, start: from === 'start', version })
    else this.hub.command({ kind: 'subscribe', ...shared, from })
  }

  private event(event: ClientEvent): void {
    const { channel, options } = this.about
    switch (event.kind) {
      case 'subscribed':
        return this.opened()
      case 'handed':
        return void this.hand(event)
      case 'missed': {
        const count = event.to - event.from + 1
        this.missedCount += count
        return callUser(options.onMissed, { author: event.source.author, count })
      }
      case 'lost': {
        const why = 'another process of this client opened the name later.'
        return this.fail(new SubscriptionLost(channel, options.name ?? '', why))
      }
      case 'refused': {
        const refused = new EventRefused(channel, event.why)
        if (this.changing === undefined) return this.fail(refused)
        this.changing.reject(refused)
        this.changing = undefined
        return
      }
      default:
        return
    }
  }

  private opened(): void {
    if (this.changing !== undefined) {
      this.changing.resolve()
      this.changing = undefined
      return
    }
    if (!this.about.options.retained) return this.span.open()
    const { channel, filter } = this.about
    this.held = new Map()
    this.hub.remind(channel, filter, {}).then(
      found => this.remember(found),
      error => this.fail(error),
    )
  }

  /**
   * The newest of each topic before anything else: what comes meanwhile waits, or an old state would come behind a newer one. It is open
   * once each was tried. What the handler throws at comes again, and only its own topic waits for it: whoever publishes one that no handler
   * bears would else have it hear of nobody any more.
   */
  private async remember(found: readonly Reminded[]): Promise<void> {
    let left = found
    for (let attempt = 1; left.length > 0 && !this.span.isOver; attempt++) {
      const failed: Reminded[] = []
      for (const one of left) {
        // Its handler may have closed it.
        if (this.span.isOver) return
        if (!(await this.recalled(one, attempt))) failed.push(one)
      }
      left = failed
      this.span.open()
      this.letGo(new Set(left.map(topicOf)))
      if (left.length > 0) await new Promise<void>(resolve => this.later(againAfter(attempt), resolve))
    }
    this.span.open()
    this.letGo(new Set())
  }

  /** What came of other topics than these waits no more. */
  private letGo(awaited: ReadonlySet<string>): void {
    const waiting = [...(this.held?.values() ?? [])]
    this.held = awaited.size === 0 ? undefined : new Map()
    this.awaited = awaited
    for (const event of waiting) void this.hand(event)
  }

  /** Whether it was handled. A loop has it when it reads on. */
  private recalled({ source, counter, content }: Reminded, attempt: number): Promise<boolean> {
    const event = { source, counter, content, attempt, dead: false }
    return new Promise(resolve => {
      const again = () => this.later(againAfter(attempt), () => void this.recalled(event, attempt + 1))
      const answer = this.handler !== undefined ? resolve : (done: boolean) => done || again()
      void this.deliver(event, answer).then(() => {
        if (this.handler === undefined) resolve(true)
      })
    })
  }

  private async hand(event: ClientEvent & { kind: 'handed' }): Promise<void> {
    const { source, counter, attempt } = event
    const about = { id: this.id, source, counter }
    const key = `${sourceKey(source)} ${counter}`
    if (this.held !== undefined && this.awaited?.has(topicOf(event)) !== false) return void this.held.set(key, event)
    // The handler has it still.
    if (this.running.has(key)) return
    this.running.add(key)
    let isAnswered = false
    await this.deliver(event, done => {
      if (isAnswered || this.span.isOver) return
      isAnswered = true
      if (done) {
        this.running.delete(key)
        return this.hub.command({ kind: 'ack', ...about })
      }
      this.later(againAfter(attempt), () => {
        this.running.delete(key)
        this.hub.command({ kind: 'again', ...about })
      })
    })
    // A loop that never acknowledges gets it again after ackWait.
    if (this.handler === undefined) this.running.delete(key)
  }

  private async deliver(event: Handed, answer: (done: boolean) => void): Promise<void> {
    const { content } = event
    if (isExpired(content)) return answer(true)
    const payload = unpackPayload(content.payload)
    // As it is: whoever looks at it there wants to see what was wrong with it.
    if (event.dead) return this.bury(event, payload, answer)
    const { check } = this.about
    // In any case after what the node below is doing: a handler may take its time.
    const checked = await (check === undefined ? { value: payload } : checkedPayload(check, payload))
    if ('why' in checked) {
      // A check that threw has refused nothing: as with a handler, the event comes again.
      if (checked.broken) {
        this.failed({ id: eventIdOf(event.source, event.counter), attempt: event.attempt }, new Error(checked.why))
        return answer(false)
      }
      this.refusedCount++
      return answer(true)
    }
    const received = receivedOf<Payload>(
      event,
      checked.value,
      () => this.answered(received.id, true, answer),
      () => this.answered(received.id, false, answer),
    )
    if (this.handler === undefined) return this.read(received)
    try {
      await callHandler(this.handler, received, what => this.strange.say(`${this.words} ${what}?`))
      answer(true)
    } catch (error) {
      // It is the handler's own way to say "again".
      this.failed(received, error)
      answer(false)
    }
  }

  /** To the loop. What it had before and never acknowledged was most likely forgotten. */
  private read(event: ReceivedEvent<Payload>): void {
    if (this.inLoop === event.id)
      this.unanswered.say(
        `The loop over channel '${this.about.channel}' had the event ${event.id} and did not acknowledge it, so it comes again, and before it no other of its author: call event.ack().`,
      )
    this.inLoop = event.id
    this.feed.push(event)
  }

  private answered(id: string, done: boolean, answer: (done: boolean) => void): void {
    if (this.inLoop === id) this.inLoop = ''
    answer(done)
  }

  /** Who did not ask is told once: of an event that was thrown at so often that it is no passing trouble. */
  private failed({ id, attempt }: { readonly id: string; readonly attempt: number }, error: unknown): void {
    const { onFailed, attempts = ATTEMPTS_DEFAULT, queue = false, name = '' } = this.about.options
    if (onFailed !== undefined) return callUser(onFailed, { id, attempt, error })
    if (attempt < (queue ? Math.min(attempts, TOLD_AT) : TOLD_AT)) return
    const then = queue
      ? `After attempt ${attempts} an event goes to the channel ${deadChannel(name)}.`
      : 'It comes again until it is handled, and before it no other of its author.'
    this.failing.say(
      `${this.words} threw at the event ${id}, attempt ${attempt}: ${thrownBy(error)}. ${then} With onFailed you are told each time.`,
    )
  }

  /** Whose handler, for a sentence. */
  private get words(): string {
    const { channel, options } = this.about
    return `The handler of ${options.name === undefined ? 'a subscription' : `'${options.name}'`} to channel '${channel}'`
  }

  /** Tried too often: it goes to the queue's dead letters, and is done with here. */
  private async bury(event: Handed, payload: unknown, answer: (done: boolean) => void): Promise<void> {
    const { source, counter, content } = event
    const of = eventIdOf(source, counter)
    try {
      await this.dead?.publish({ ...roomFor(content.attributes), of }, payload)
      answer(true)
    } catch {
      // Another member is asked after ackWait.
      answer(false)
    }
  }

  private later(after: number, work: () => void): void {
    // A timer that nobody stops would keep the process.
    if (this.span.isOver) return
    const stop = startTimer(after, () => {
      this.timers.delete(stop)
      if (!this.span.isOver) work()
    })
    this.timers.add(stop)
  }

  private fail(error: Error): void {
    if (!this.span.isOver) this.finish(this.span.told(error))
  }

  private finish(why?: Error): void {
    for (const stop of this.timers) stop()
    this.hub.unlisten(this.id)
    const over = this.span.end(why)
    this.changing?.reject(over)
    if (why === undefined) this.feed.finish()
    else this.feed.fail(why)
  }
}

/** What an event is the newest of. */
function topicOf({ content }: Pick<Handed, 'content'>): string {
  return String(content.attributes.topic ?? '')
}

/** How long until what failed comes again. */
function againAfter(attempt: number): number {
  return Math.min(AGAIN_MAX_MS, AGAIN_MS * 2 ** Math.min(attempt - 1, 10))
}

/** The attributes, with room for one more: without it an event that has as many as may be would be tried for ever, and never put aside. */
function roomFor(attributes: Attributes): Attributes {
  const names = Object.keys(attributes).filter(name => name !== 'of')
  if (names.length < ATTRIBUTES_MAX) return attributes
  const last = names.filter(name => name !== 'topic').at(-1)
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== last))
}
