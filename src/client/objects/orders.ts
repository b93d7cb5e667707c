// Promises over the ordering part of a client node: one call, one command, one answer. What objects and trees share.

import {
  because,
  type Millis,
  type NodeId,
  NotAnswered,
  OperationFailed,
  SettingsError,
  Unavailable,
} from '../../core/index.ts'
import type {
  Applier,
  DeleteOutcome,
  InspectedOrderingServer,
  OrderingCommand,
  OrderingEvent,
  RepairOutcome,
  Write,
} from '../../ordering/index.ts'
import { OBJECT_BYTES_MAX, SESSION_TTL_MAX } from '../../ordering/wire.ts'
import { checkName } from '../names.ts'
import { onWaitEnd, type WaitOptions } from '../waiting.ts'

export interface Answer {
  readonly version: number
  readonly body: Uint8Array
}

export interface Reading {
  readonly version: number
  readonly entries: readonly Write[]
}

export type LiveTable = ReadonlyMap<string, Uint8Array>

/** A watcher hears every version once, in order; or that some are no longer to be had, with the table as it is now. */
export interface Watcher {
  watching(version: number): void
  changed(version: number, writes: readonly Write[]): void
  skipped(version: number, table: LiveTable): void
  failed(error: Error): void
}

/** A server that contradicted itself or the others, as this client saw it. */
export interface Lie {
  readonly server: string
  readonly object: string
  readonly version: number
  readonly what: string
}

interface Waiting {
  /** Takes an event, which may be the answer. */
  take(event: OrderingEvent): void
  reject(error: Error): void
}

const TEXT = new TextDecoder()
/** A session shorter than this ends between two of its own pings on an ordinary network. */
export const SESSION_TTL_MIN_MS = 300
/** More evidence than this tells nothing new. */
const LIES_MAX = 100

export class Orders {
  /** Appliers by object: `findApplier` of the node below looks here. */
  readonly appliers: Map<string, Applier>
  readonly lies: Lie[] = []
  private readonly command: (body: OrderingCommand) => void
  private readonly submitCommand: (body: OrderingCommand) => void
  private readonly waiting = new Map<number, Waiting>()
  private readonly watchers = new Map<number, Watcher>()
  /** Told when the session of an object is no longer certain to live. */
  private readonly losers = new Map<string, (session: string) => void>()
  /** Until when the session of an object certainly lives, by the clock of the node below. */
  private readonly deadlines = new Map<string, Millis>()
  private readonly now: () => Millis
  private readonly newId: () => number
  private readonly impossible: string | undefined
  private broken: Error | undefined
  /** Operations of one moment, which go out together. */
  private readonly gathered: (OrderingCommand & { kind: 'submit' })[] = []

  /** `impossible`: why this group cannot have objects. */
  constructor(
    command: (body: OrderingCommand) => void,
    newId: () => number,
    impossible: string | undefined,
    appliers: Map<string, Applier> = new Map(),
    now: () => Millis = () => performance.now(),
  ) {
    this.now = now
    this.appliers = appliers
    this.command = body => {
      this.sendGathered()
      command(body)
    }
    this.submitCommand = command
    this.newId = newId
    this.impossible = impossible
  }

  /** Refuses what can never work, before anything is sent. */
  check(object: string): void {
    if (this.impossible !== undefined) throw new SettingsError(this.impossible)
    checkName('object', object, OBJECT_BYTES_MAX)
  }

  open(object: string, ttl: Millis, lost: (session: string) => void, options: WaitOptions = {}): Promise<string> {
    if (!Number.isInteger(ttl) || ttl < SESSION_TTL_MIN_MS || ttl > SESSION_TTL_MAX) {
      throw new SettingsError(
        `ttl is ${ttl}; it must be a whole number of milliseconds from ${SESSION_TTL_MIN_MS} to ${SESSION_TTL_MAX}.`,
      )
    }
    this.losers.set(object, lost)
    return this.ask(
      id => ({ kind: 'open', id, object, ttl, wall: Date.now() }),
      event => (event.kind === 'opened' ? event.session : undefined),
      options,
    )
  }

  submit(object: string, body: Uint8Array, options: WaitOptions = {}): Promise<Answer> {
    return this.ask(
      id => ({ kind: 'submit', id, object, body }),
      event => {
        if (event.kind !== 'answered') return undefined
        if (!event.ok) throw new OperationFailed(TEXT.decode(event.body))
        return { version: event.version, body: event.body }
      },
      options,
    )
  }

  read(object: string, keys: readonly string[], stale: boolean, options: WaitOptions = {}): Promise<Reading> {
    return this.ask(
      id => ({ kind: 'read', id, object, keys, stale }),
      event => (event.kind === 'value' ? { version: event.version, entries: event.entries } : undefined),
      options,
    )
  }

  /** `look` sees the table while the event is handled. */
  copy<T>(object: string, look: (table: LiveTable, version: number) => T, options: WaitOptions = {}): Promise<T> {
    return this.ask(
      id => ({ kind: 'copy', id, object }),
      event => (event.kind === 'copied' ? { looked: look(event.table, event.version) } : undefined),
      options,
    ).then(({ looked }) => looked)
  }

  /** By the local clock, whatever timers have not run: whether nobody can have ended the session yet. */
  lives(object: string): boolean {
    return this.now() < (this.deadlines.get(object) ?? Number.NEGATIVE_INFINITY)
  }

  end(object: string, options: WaitOptions = {}): Promise<true> {
    this.deadlines.delete(object)
    this.losers.delete(object)
    return this.ask(
      id => ({ kind: 'end', id, object }),
      event => (event.kind === 'ended' ? true : undefined),
      options,
    )
  }

  inspect(): Promise<readonly InspectedOrderingServer[]> {
    return this.ask(
      id => ({ kind: 'inspect', id }),
      event => (event.kind === 'inspected' ? event.servers : undefined),
      {},
    )
  }

  /** For operators: what each server did that answered in time. */
  repair(object: string, version: number): Promise<ReadonlyMap<NodeId, RepairOutcome>> {
    return this.ask(
      id => ({ kind: 'repair', id, object, version }),
      event => (event.kind === 'repaired' ? event.outcomes : undefined),
      {},
    )
  }

  /** For operators: what each server did that answered in time. */
  delete(object: string): Promise<ReadonlyMap<NodeId, DeleteOutcome>> {
    return this.ask(
      id => ({ kind: 'delete', id, object }),
      event => (event.kind === 'deleted' ? event.outcomes : undefined),
      {},
    )
  }

  /** Returns what ends the watch. */
  watch(object: string, from: number | undefined, watcher: Watcher): () => void {
    this.checkOpen()
    const id = this.newId()
    this.watchers.set(id, watcher)
    this.command({ kind: 'watch', id, object, ...(from === undefined ? {} : { from }) })
    return () => {
      if (this.watchers.delete(id) && this.broken === undefined) this.command({ kind: 'unwatch', id, object })
    }
  }

  close(object: string): void {
    this.losers.delete(object)
    this.deadlines.delete(object)
    if (this.broken === undefined) this.command({ kind: 'close', object })
  }

  /** Everything that the ordering part says. */
  event(event: OrderingEvent): void {
    if (event.kind === 'extended') return void this.deadlines.set(event.object, event.deadline)
    if (event.kind === 'lost') this.deadlines.delete(event.object)
    if (event.kind === 'lost') return this.losers.get(event.object)?.(event.session)
    if (event.kind === 'lied') return this.lied(event)
    if (event.kind === 'decided') return
    const watcher = this.watchers.get(event.id)
    if (watcher !== undefined) return this.tell(event.id, watcher, event)
    this.waiting.get(event.id)?.take(event)
  }

  /** The node below has ended: nothing more will be heard. */
  ended(error: Error): void {
    this.broken = error
    for (const waiting of [...this.waiting.values()]) waiting.reject(error)
    for (const watcher of this.watchers.values()) watcher.failed(error)
    this.watchers.clear()
    for (const lost of [...this.losers.values()]) lost('')
    this.losers.clear()
    this.deadlines.clear()
  }

  private lied({ server, object, version, what }: Lie): void {
    if (this.lies.length < LIES_MAX) this.lies.push({ server, object, version, what })
  }

  private tell(id: number, watcher: Watcher, event: OrderingEvent): void {
    if (event.kind === 'watching') watcher.watching(event.version)
    else if (event.kind === 'changed') watcher.changed(event.version, event.writes)
    else if (event.kind === 'skipped') watcher.skipped(event.version, event.table)
    else if (event.kind === 'failed') {
      this.watchers.delete(id)
      watcher.failed(notAnswered(event))
    }
  }

  private checkOpen(): void {
    if (this.broken !== undefined) throw new Unavailable(`this node ended: ${this.broken.message}`)
  }

  private ask<T>(
    command: (id: number) => OrderingCommand,
    answer: (event: OrderingEvent) => T | undefined,
    options: WaitOptions,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      this.checkOpen()
      const id = this.newId()
      const said = command(id)
      const object = 'object' in said ? said.object : ''
      const { signal } = options
      if (signal?.aborted) throw because(new NotAnswered(object, 'cancelled', 'did not happen'), signal.reason)
      let cause: unknown
      // The machine knows how far it has come, and answers with that.
      const stop = onWaitEnd(options, (_why, reason) => {
        cause = reason
        this.command({ kind: 'cancel', id, object })
      })
      const over = (outcome: () => void) => {
        this.waiting.delete(id)
        stop()
        outcome()
      }
      this.waiting.set(id, {
        reject: error => over(() => reject(error)),
        take(event) {
          try {
            if (event.kind === 'failed') throw because(notAnswered(event), cause)
            const found = answer(event)
            if (found !== undefined) over(() => resolve(found))
          } catch (error) {
            over(() => reject(error))
          }
        },
      })
      if (said.kind === 'submit') this.gather(said)
      else this.command(said)
    })
  }

  // Answers come together, and so does what their callers ask for next: as one message instead of many.
  private gather(command: OrderingCommand & { kind: 'submit' }): void {
    if (this.gathered.push(command) === 1) queueMicrotask(() => this.sendGathered())
  }

  private sendGathered(): void {
    const commands = this.gathered.splice(0)
    for (const [place, command] of commands.entries()) {
      const follower = commands[place + 1]
      this.submitCommand(follower?.object === command.object ? { ...command, more: true } : command)
    }
  }
}

function notAnswered(event: OrderingEvent & { kind: 'failed' }): NotAnswered {
  return new NotAnswered(event.object, event.reason, event.outcome, event.answers)
}
