// An object as its user sees it: a state that many processes change, one operation at a time, in one order.

import {
  called,
  kindOf,
  type Millis,
  OperationFailed,
  optionsSchema,
  required,
  SettingsError,
  whole,
} from '../../core/index.ts'
import type { Applier, Write } from '../../ordering/index.ts'
import { SESSION_TTL_MAX } from '../../ordering/wire.ts'
import { Feed } from '../feed.ts'
import { checkFollowing, checkWaiting, type WaitOptions } from '../waiting.ts'
import { whyNotJson } from './json.ts'
import { ObjectSession } from './object-session.ts'
import { type LiveTable, type Orders, SESSION_TTL_MIN_MS } from './orders.ts'
import { deepFreeze, readable, StateTable } from './state-table.ts'

/** What a shared object is: how it begins, and what an operation does to it. The same in every process. */
export interface ObjectDefinition<State, Operation, Result> {
  /** The state before the first operation. JSON values. */
  initial(): State
  /**
   * The state after an operation, and what its submitter is told. It runs at the client that has the turn, and may
   * run several times, though one run counts: no side effects. The state it is given is frozen: return a new one, and
   * keep what did not change, for only what changed travels. What it throws becomes the operation's error.
   */
  apply(state: State, operation: Operation): { state: State; result: Result }
  /** How long the servers remember this client's unanswered operations after it falls silent. Default 30 s. */
  readonly ttl?: Millis
}

/** A state, and how many changes led to it. */
export interface Version<State> {
  readonly version: number
  readonly state: State
}

const SESSION_TTL_DEFAULT_MS = 30_000
const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()

/** The text of an operation or a result; refuses what JSON would turn into something else. */
function inJson(value: unknown, what: string): string {
  const why = whyNotJson(value, what)
  if (why === undefined) return JSON.stringify(value)
  throw new OperationFailed(`${why}, and JSON has no word for that: nothing was applied`)
}

const checkDefinition = optionsSchema<ObjectDefinition<unknown, unknown, unknown>>({
  initial: required(called('that returns the first state')),
  apply: required(called('that returns { state, result }')),
  ttl: whole(SESSION_TTL_MIN_MS, SESSION_TTL_MAX, 'milliseconds'),
})

/** An object that many clients share: its operations stand in one order, which all of them see. */
export class SharedObject<State, Operation = unknown, Result = unknown> {
  readonly name: string
  private readonly orders: Orders
  private readonly definition: ObjectDefinition<State, Operation, Result>
  private readonly session: ObjectSession
  private readonly closed: () => void
  private readonly tables = new StateTable()

  /** @internal Made by `group.object`. */
  constructor(
    orders: Orders,
    name: string,
    definition: ObjectDefinition<State, Operation, Result>,
    closed: () => void,
  ) {
    this.closed = closed
    this.orders = orders
    this.name = name
    checkDefinition(`object '${name}'`, definition as ObjectDefinition<unknown, unknown, unknown>)
    this.definition = definition
    this.first()
    this.session = new ObjectSession(orders, name, definition.ttl ?? SESSION_TTL_DEFAULT_MS, this.applier())
  }

  /**
   * Applies an operation, exactly once, and returns its result. Rejects with `OperationFailed` where `apply` threw, and
   * with `NotAnswered` where no answer came; its `outcome` says whether the operation may have been applied.
   */
  async submit(operation: Operation, options: WaitOptions = {}): Promise<Result> {
    checkWaiting('object.submit', options)
    const text = inJson(operation, 'operation')
    const body = await this.session.submit(ENCODER.encode(text), options)
    return body.length === 0 ? (undefined as Result) : (JSON.parse(DECODER.decode(body)) as Result)
  }

  /** The state now: nothing that was acknowledged before this call is missing. */
  async read(options: WaitOptions = {}): Promise<Version<State>> {
    checkWaiting('object.read', options)
    const look = (table: LiveTable, version: number) => ({ version, state: this.state(table) })
    return this.session.copy(look, options)
  }

  /** The state now, then every version after it, in order. Ends when the loop does, or when `signal` fires. */
  watch(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<Version<State>, void, undefined> {
    checkFollowing('object.watch', options)
    return this.watching(options.signal)
  }

  private async *watching(signal: AbortSignal | undefined): AsyncGenerator<Version<State>, void, undefined> {
    const feed = new Feed<Version<State>>(signal)
    const mirror = new Map<string, Uint8Array>()
    let seen = -1
    let shown: State | undefined
    const show = (version: number, state: State) => {
      seen = version
      shown = state
      feed.push({ version, state })
    }
    const replace = (version: number, table: LiveTable) => {
      mirror.clear()
      for (const [key, value] of table) mirror.set(key, value)
      show(version, this.state(mirror))
    }
    const early: { version: number; writes: readonly Write[] }[] = []
    const stop = this.orders.watch(this.name, undefined, {
      watching: () => {
        const took = this.session.copy((table, version) => replace(version, table), {})
        took.then(
          () => {
            for (const { version, writes } of early.splice(0)) advance(version, writes)
          },
          error => feed.fail(error),
        )
      },
      changed: (version, writes) => (seen < 0 ? early.push({ version, writes }) : advance(version, writes)),
      skipped: (version, table) => replace(version, table),
      failed: error => feed.fail(error),
    })
    const advance = (version: number, writes: readonly Write[]) => {
      if (version <= seen) return
      for (const { key, value } of writes) value === undefined ? mirror.delete(key) : mirror.set(key, value)
      show(version, (this.tables.patched(shown, writes) as State | undefined) ?? this.state(mirror))
    }
    try {
      yield* feed.items()
    } finally {
      stop()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Ends the session: the servers forget what they keep for this client. Called by `group.close`. */
  async close(): Promise<void> {
    await this.session.close()
    this.closed()
  }

  private state(table: LiveTable): State {
    const stored = this.tables.read(readable(table)) as State | undefined
    return stored === undefined ? this.first() : stored
  }

  private first(): State {
    const first = this.definition.initial()
    const why = whyNotJson(first, 'initial()')
    if (why !== undefined) throw new SettingsError(`object '${this.name}': ${why}, and JSON has no word for that.`)
    return deepFreeze(JSON.parse(JSON.stringify(first))) as State
  }

  private applier(): Applier {
    return {
      apply: (view, body) => {
        const stored = this.tables.read(view) as State | undefined
        const operation = JSON.parse(DECODER.decode(body)) as Operation
        const applied: unknown = this.definition.apply(stored === undefined ? this.first() : stored, operation)
        if (typeof applied !== 'object' || applied === null || !('state' in applied)) {
          throw new TypeError(`apply returned ${kindOf(applied)}, not { state, result }`)
        }
        const { state, result } = applied as { state: unknown; result?: unknown }
        if (state === undefined) throw new TypeError('state is undefined, and JSON has no word for that')
        const answer = result === undefined ? new Uint8Array() : ENCODER.encode(inJson(result, 'result'))
        this.tables.write(view, stored, state)
        return answer
      },
    }
  }
}
