// An object as its user sees it: a state that many processes change, one operation at a time, in one order.

import { type Millis, OperationFailed } from '../../core/index.ts'
import type { Applier, Write } from '../../ordering/index.ts'
import { Feed } from '../feed.ts'
import type { WaitOptions } from '../waiting.ts'
import { ObjectSession } from './object-session.ts'
import type { LiveTable, Orders } from './orders.ts'
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

function inJson(operation: unknown): string {
  let why = ''
  try {
    const text = JSON.stringify(operation)
    if (text !== undefined) return text
  } catch (error) {
    why = `: ${(error as Error).message}`
  }
  throw new OperationFailed(`an operation must be something that JSON has a word for${why}`)
}

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
    this.definition = definition
    this.session = new ObjectSession(orders, name, definition.ttl ?? SESSION_TTL_DEFAULT_MS, this.applier())
  }

  /**
   * Applies an operation, exactly once, and returns its result. Rejects with `OperationFailed` where `apply` threw, and
   * with `NotAnswered` where no answer came; its `outcome` says whether the operation may have been applied.
   */
  async submit(operation: Operation, options: WaitOptions = {}): Promise<Result> {
    const text = inJson(operation)
    const body = await this.session.submit(ENCODER.encode(text), options)
    return body.length === 0 ? (undefined as Result) : (JSON.parse(DECODER.decode(body)) as Result)
  }

  /** The state now: nothing that was acknowledged before this call is missing. */
  async read(options: WaitOptions = {}): Promise<Version<State>> {
    const look = (table: LiveTable, version: number) => ({ version, state: this.state(table) })
    return this.session.copy(look, options)
  }

  /** The state now, then every version after it, in order. Ends when the loop does, or when `signal` fires. */
  async *watch(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<Version<State>, void, undefined> {
    const feed = new Feed<Version<State>>(options.signal)
    const mirror = new Map<string, Uint8Array>()
    let seen = -1
    const show = (version: number) => {
      seen = version
      feed.push({ version, state: this.state(mirror) })
    }
    const replace = (version: number, table: LiveTable) => {
      mirror.clear()
      for (const [key, value] of table) mirror.set(key, value)
      show(version)
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
      show(version)
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
    return (this.tables.read(readable(table)) as State | undefined) ?? this.first()
  }

  private first(): State {
    return deepFreeze(JSON.parse(JSON.stringify(this.definition.initial()))) as State
  }

  private applier(): Applier {
    return {
      apply: (view, body) => {
        const stored = this.tables.read(view) as State | undefined
        const operation = JSON.parse(DECODER.decode(body)) as Operation
        const { state, result } = this.definition.apply(stored ?? this.first(), operation)
        if (state === undefined) throw new TypeError('apply returned no state')
        this.tables.write(view, stored, state)
        return result === undefined ? new Uint8Array() : ENCODER.encode(JSON.stringify(result))
      },
    }
  }
}
