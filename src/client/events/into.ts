// Exactly once is for effects: each event is submitted to a shared object with its id, and the object's state keeps, for each
// author's life, how far it is. An event that comes once more changes nothing.
//
// With each event goes the number of the one that was submitted before it. The object takes it only if that is not
// beyond what it has: else one that was passed over would be called known, and lost.

import { abortSignal, called, OperationFailed, oneWord, optionsSchema, required } from '../../core/index.ts'
import type { Filter } from '../../events/filter.ts'
import type { Attributes } from '../../events/values.ts'
import type { ObjectDefinition, SharedObject } from '../objects/shared-object.ts'
import type { EventHandler, ReceivedEvent } from './event.ts'
import { TOLD_AT, thrownBy, Warning } from './handling.ts'
import type { FailedEvent, SubscribeOptions } from './options.ts'
import type { EventSubscription } from './subscription.ts'

/** What an event does to a state. The same in every process. */
export interface EffectDefinition<State, Payload> {
  /** The state before the first event. JSON values. */
  initial(): State
  /** The state after an event. No side effects: it may run several times, though one run counts. */
  apply(state: State, event: AppliedEvent<Payload>): State
}

/** An event as an object sees it. */
export interface AppliedEvent<Payload> {
  readonly id: string
  readonly author: string
  readonly attributes: Attributes
  readonly payload: Payload
}

/** How `into` subscribes. */
export type EffectOptions = Pick<SubscribeOptions, 'signal' | 'from'>

const checkDefinition = optionsSchema<EffectDefinition<unknown, unknown>>({
  initial: required(called('that returns the first state')),
  apply: required(called('that returns the state after an event')),
})

const checkEffect = optionsSchema<EffectOptions>({
  signal: abortSignal,
  from: oneWord(['now', 'start', 'again']),
})

interface Kept<State> {
  readonly state: State
  /** By author's life: the last number that was applied. */
  readonly applied: Readonly<Record<string, number>>
}

interface Effect<Payload> extends Omit<AppliedEvent<Payload>, 'payload'> {
  /** Left out where there is none, or where it is bytes. */
  readonly payload?: Payload
  /** Base 64: an operation of an object is JSON. */
  readonly bytes?: string
  readonly life: string
  readonly counter: number
  /** The event of that life that this process submitted before; 0: none. */
  readonly after: number
}

type Outcome = 'applied' | 'known' | 'gap'

/** A channel. */
interface Subscribable<Payload> {
  subscribe(filter: Filter, options: SubscribeOptions, handler: EventHandler<Payload>): EventSubscription<Payload>
}

interface Below<State, Payload> {
  readonly definition: EffectDefinition<State, Payload>
  readonly options: EffectOptions
  open<S, O, R>(name: string, definition: ObjectDefinition<S, O, R>): SharedObject<S, O, R>
}

/** Events that change a shared object, each exactly once. */
export class EventsInto<State, Payload> {
  private readonly object: SharedObject<Kept<State>, Effect<Payload>, Outcome>
  private readonly subscription: EventSubscription<Payload>
  /** By life: the last number that this process submitted. */
  private readonly submitted = new Map<string, number>()
  private failed: Error | undefined

  /** @internal Made by `channel.into`. */
  constructor(channel: Subscribable<Payload>, name: string, filter: Filter, below: Below<State, Payload>) {
    const { definition, options, open } = below
    checkDefinition('into', definition as EffectDefinition<unknown, unknown>)
    checkEffect('into', options)
    this.object = open<Kept<State>, Effect<Payload>, Outcome>(name, {
      initial: () => ({ state: definition.initial(), applied: {} }),
      apply: (kept, effect) => applyOnce(kept, effect, definition),
    })
    const warning = new Warning()
    const onFailed = ({ id, attempt, error }: FailedEvent) => {
      if (attempt < TOLD_AT) return
      warning.say(
        `Into the object '${name}' the event ${id} did not go, attempt ${attempt}: ${thrownBy(error)}. It is tried again, and before it no other of its author. Look at its \`failure\` and \`lag()\`.`,
      )
    }
    const subscribed = { from: 'start', ...options, name: `into/${name}`, onFailed } as const
    this.subscription = channel.subscribe(filter, subscribed, event => this.tried(event))
  }

  /** Resolves when it follows the channel. */
  get ready(): Promise<void> {
    return this.subscription.ready
  }

  /** Resolves when it was closed; rejects when it ended otherwise: another process of this client began the same later. */
  get closed(): Promise<void> {
    return this.subscription.closed
  }

  /** How many events were cut before they could be applied. */
  get missed(): number {
    return this.subscription.missed
  }

  /** How many events came whose payload the channel's check refused: they were not applied. */
  get refused(): number {
    return this.subscription.refused
  }

  /** Why the newest event that was tried could not be applied; it is tried again. Undefined where it was. */
  get failure(): Error | undefined {
    return this.failed
  }

  /** Events above what was applied that the servers are known to hold, whether they match or not. */
  lag(): Promise<number> {
    return this.subscription.lag()
  }

  /** The state as it is now. */
  async state(): Promise<State> {
    return (await this.object.read()).state.state
  }

  /** Ends it. The object stays. */
  async close(): Promise<void> {
    await this.subscription.close()
    await this.object.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** What the object refuses comes again: who asks is told why. */
  private async tried(event: ReceivedEvent<Payload>): Promise<void> {
    try {
      await this.submit(event)
      this.failed = undefined
    } catch (error) {
      this.failed = error instanceof Error ? error : new Error(String(error))
      throw error
    }
  }

  private async submit(event: ReceivedEvent<Payload>): Promise<void> {
    const { id, author, attributes, payload } = event
    const [life, counter] = partsOf(id)
    const after = this.submitted.get(life) ?? 0
    const effect = { id, author, attributes, ...carried(payload), life, counter, after }
    const outcome = await this.object.submit(effect)
    this.submitted.set(life, counter)
    if (outcome !== 'gap') return
    throw new OperationFailed(`the object is behind the subscription: event ${id} does not follow what it has`)
  }
}

function carried<Payload>(payload: Payload): Pick<Effect<Payload>, 'payload' | 'bytes'> {
  if (payload instanceof Uint8Array) return { bytes: Buffer.from(payload).toString('base64') }
  return payload === undefined ? {} : { payload }
}

function payloadOf<Payload>({ payload, bytes }: Pick<Effect<Payload>, 'payload' | 'bytes'>): Payload {
  return (bytes === undefined ? payload : new Uint8Array(Buffer.from(bytes, 'base64'))) as Payload
}

/** The life and the number in an event's id. */
function partsOf(id: string): [string, number] {
  const end = id.lastIndexOf('/')
  return [id.slice(0, end), Number(id.slice(end + 1))]
}

function applyOnce<State, Payload>(
  kept: Kept<State>,
  effect: Effect<Payload>,
  { apply }: EffectDefinition<State, Payload>,
): { state: Kept<State>; result: Outcome } {
  const { id, author, attributes, life, counter, after } = effect
  const last = kept.applied[life] ?? 0
  if (counter <= last) return { state: kept, result: 'known' }
  if (after > last) return { state: kept, result: 'gap' }
  const state = apply(kept.state, { id, author, attributes, payload: payloadOf(effect) })
  return { state: { state, applied: { ...kept.applied, [life]: counter } }, result: 'applied' }
}
