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
import type { SubscribeOptions } from './options.ts'
import type { EventSubscription } from './subscription.ts'

/** What an event does to a state. The same in every process. */
export interface EffectDefinition<State, Payload> {
  /** The state before the first event. JSON values. */
  initial(): State
  /** The state after an event. No side effects: it may run several times, though one run counts. */
  apply(state: State, event: AppliedEvent<Payload>): State
}

/** An event as an object sees it: JSON. */
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

interface Effect<Payload> extends AppliedEvent<Payload> {
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

  /** @internal Made by `channel.into`. */
  constructor(channel: Subscribable<Payload>, name: string, filter: Filter, below: Below<State, Payload>) {
    const { definition, options, open } = below
    checkDefinition('into', definition as EffectDefinition<unknown, unknown>)
    checkEffect('into', options)
    this.object = open<Kept<State>, Effect<Payload>, Outcome>(name, {
      initial: () => ({ state: definition.initial(), applied: {} }),
      apply: (kept, effect) => applyOnce(kept, effect, definition),
    })
    const subscribed = { from: 'start', ...options, name: `into/${name}` } as const
    this.subscription = channel.subscribe(filter, subscribed, event => this.submit(event))
  }

  /** Resolves when it follows the channel. */
  get ready(): Promise<void> {
    return this.subscription.ready
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

  private async submit(event: ReceivedEvent<Payload>): Promise<void> {
    const { id, author, attributes, payload } = event
    const [life, counter] = partsOf(id)
    const after = this.submitted.get(life) ?? 0
    const outcome = await this.object.submit({ id, author, attributes, payload, life, counter, after })
    this.submitted.set(life, counter)
    if (outcome !== 'gap') return
    throw new OperationFailed(`the object is behind the subscription: event ${id} does not follow what it has`)
  }
}

/** The life and the number in an event's id. */
function partsOf(id: string): [string, number] {
  const end = id.lastIndexOf('/')
  return [id.slice(0, end), Number(id.slice(end + 1))]
}

function applyOnce<State, Payload>(
  kept: Kept<State>,
  { life, counter, after, ...event }: Effect<Payload>,
  { apply }: EffectDefinition<State, Payload>,
): { state: Kept<State>; result: Outcome } {
  const last = kept.applied[life] ?? 0
  if (counter <= last) return { state: kept, result: 'known' }
  if (after > last) return { state: kept, result: 'gap' }
  const state = apply(kept.state, event)
  return { state: { state, applied: { ...kept.applied, [life]: counter } }, result: 'applied' }
}
