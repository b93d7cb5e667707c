// A worker: it takes jobs while it has hands free, keeps their leases, and says how they ended.
//
// It looks at the queue's head, which it watches, and asks for a job only where that shows one: idle workers cost nothing.
// A job is its own while its lease lasts. It renews in time; where it could not (its machine slept, the servers were away) the
// job's signal fires before anybody else is given it by a clock that runs as ours does, and what it still does is fenced.

import { CoterieError, type Millis, Unavailable } from '../../core/index.ts'
import { holderClock } from '../../runtime/clock.ts'
import type { Json } from '../objects/state-table.ts'
import { checkWaiting, startTimer, type WaitOptions, within } from '../waiting.ts'
import type { JobsObject } from './queue-object.ts'
import { BATCH_MAX, ERROR_LENGTH_MAX, type Head, type JobsOperation, readyIn, type TakenJob } from './state.ts'

/** A job in the hands of a worker. */
export interface Job<Data = Json> {
  readonly id: string
  readonly data: Data
  /** 1 at the first try. */
  readonly attempt: number
  /** Larger than that of every try before it, in the whole queue: give it to guards. */
  readonly token: bigint
  /** Fires when the job is no longer this worker's, with a `JobLost`: stop, somebody else may begin. */
  readonly signal: AbortSignal
  /** Tells how far it has come, for those who look. Rejects with `JobLost`. */
  progress(value: Json): Promise<void>
}

/** Does a job; what it returns is kept as the result, what it throws lets the job fail. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler need not return anything.
export type JobHandler<Data = Json, Result = unknown> = (job: Job<Data>) => Promise<Result | void> | Result | void

/** How a worker works. */
export interface WorkerOptions {
  /** Jobs at one time. Default 1. */
  readonly concurrency?: number
  /** How long a job outlives its worker, in milliseconds; while the worker runs, it renews. Default 30 s. */
  readonly lease?: Millis
  /** Its name, for those who look at active jobs. Default: a random one. */
  readonly name?: string
}

/** The job is in other hands, or was removed: what its handler still does may be done twice. */
export class JobLost extends CoterieError {
  override readonly name = 'JobLost'
  readonly outcome = 'may have happened'

  constructor(id: string, why: string) {
    super(`job '${id}' is no longer this worker's: ${why}. Stop it; what was done with its token is fenced.`)
  }
}

/** Thrown by a handler: this job must not be tried again. It becomes a dead letter at once. */
export class FinalFailure extends Error {
  override readonly name = 'FinalFailure'
}

/** After a call that was not answered. */
const AGAIN_MS: Millis = 500
const RENEWALS_PER_LEASE = 3

interface InHand {
  readonly job: TakenJob
  readonly controller: AbortController
  deadline: Millis
  running: Promise<void>
  /** Ends the watch over its deadline. */
  unguard: () => void
}

/** Takes jobs and does them, until it is closed. */
export class JobWorker {
  readonly name: string
  private readonly object: JobsObject
  private readonly handler: JobHandler<never, unknown>
  private readonly concurrency: number
  private readonly lease: Millis
  private readonly clock = holderClock()
  private readonly held = new Map<string, InHand>()
  private readonly watching = new AbortController()
  private readonly renewing: NodeJS.Timeout
  private readonly loop: Promise<void>
  private latest: Head | undefined
  private closing = false
  private failure: Error | undefined
  private wake: (() => void) | undefined

  /** @internal Made by `jobs.work`. */
  constructor(object: JobsObject, handler: JobHandler<never, unknown>, options: Required<WorkerOptions>) {
    this.object = object
    this.handler = handler
    this.name = options.name
    this.concurrency = options.concurrency
    this.lease = options.lease
    this.renewing = setInterval(() => void this.renew(), this.lease / RENEWALS_PER_LEASE).unref()
    void this.watch()
    this.loop = this.work()
    this.loop.catch(() => {})
  }

  /** Jobs that it does at this moment. */
  get running(): number {
    return this.held.size
  }

  /** Resolves when it was closed; rejects where it had to end: the group was closed, or its node ended. */
  get ended(): Promise<void> {
    return this.loop
  }

  /**
   * Takes no more jobs, and waits for those that it does. Where the wait ends first, their signals fire, and they are given
   * back without counting as tries.
   */
  async close(options: WaitOptions = {}): Promise<void> {
    checkWaiting('worker.close', options)
    this.closing = true
    this.ring()
    const done = this.loop
      .catch(() => {})
      .then(() => Promise.all([...this.held.values()].map(({ running }) => running)))
    const late = () => new Unavailable('the worker was closed before its jobs were done')
    if (options.timeout !== 0) await within(done, options, late).catch(() => {})
    await this.giveBack()
    this.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private stop(): void {
    this.closing = true
    clearInterval(this.renewing)
    this.watching.abort()
    this.ring()
  }

  private async giveBack(): Promise<void> {
    const left = [...this.held.values()]
    for (const { controller, job } of left) controller.abort(new JobLost(job.id, 'the worker was closed'))
    const words = left.map(({ job: { id, token } }) => {
      this.held.delete(id)
      return this.object.submit({ kind: 'release', now: Date.now(), id, token }, { timeout: AGAIN_MS })
    })
    // Where they cannot be given back, their leases end.
    await Promise.allSettled(words)
  }

  private async watch(): Promise<void> {
    const { signal } = this.watching
    while (!signal.aborted) {
      try {
        for await (const head of this.object.heads(signal)) {
          this.latest = head
          this.ring()
        }
      } catch (error) {
        if (error instanceof Unavailable) return this.fail(error)
        await pause(AGAIN_MS)
      }
    }
  }

  private async work(): Promise<void> {
    while (!this.closing) {
      const free = this.concurrency - this.held.size
      const wait = free <= 0 || this.latest === undefined ? undefined : readyIn(this.latest, Date.now())
      if (wait === 0) await this.take(free)
      else await this.rest(wait)
    }
    if (this.failure !== undefined) throw this.failure
  }

  private async take(free: number): Promise<void> {
    const before = this.clock()
    // What is known now is used up: without news, the next look would ask for the same jobs again.
    this.latest = undefined
    const count = Math.min(free, BATCH_MAX)
    try {
      const word = { kind: 'take', now: Date.now(), worker: this.name, lease: this.lease, count } as const
      const taken = (await this.object.submit(word)) as readonly TakenJob[]
      for (const job of taken) this.begin(job, before + this.lease)
      // What was taken is news by itself. Nothing was: somebody else was quicker, or the news has come already.
      if (taken.length === 0) this.latest ??= await this.object.head()
    } catch (error) {
      if (error instanceof Unavailable) return this.fail(error)
      await pause(AGAIN_MS)
      this.latest ??= await this.object.head().catch(() => undefined)
    }
  }

  private begin(job: TakenJob, deadline: Millis): void {
    const controller = new AbortController()
    const hand: InHand = { job, controller, deadline, running: Promise.resolve(), unguard: () => {} }
    this.held.set(job.id, hand)
    this.guard(hand)
    hand.running = this.run(hand).finally(() => {
      hand.unguard()
      if (this.held.get(job.id) === hand) this.held.delete(job.id)
      this.ring()
    })
  }

  private async run(hand: InHand): Promise<void> {
    const { id, token, data, attempt } = hand.job
    const job: Job<never> = {
      id,
      attempt,
      data: data as never,
      token: BigInt(token),
      signal: hand.controller.signal,
      progress: value => this.progress(hand, value),
    }
    let word: JobsOperation
    try {
      const result = await this.handler(job)
      word = { kind: 'complete', now: Date.now(), id, token, result: (result ?? null) as Json }
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      const text = said.slice(0, ERROR_LENGTH_MAX).toWellFormed()
      word = { kind: 'fail', now: Date.now(), id, token, error: text, final: error instanceof FinalFailure }
    }
    if (!hand.controller.signal.aborted) await this.report(hand, word)
  }

  /** Said again until it is answered, while the job is ours: the words may be said twice. */
  private async report(hand: InHand, word: JobsOperation): Promise<void> {
    const { id, token } = hand.job
    while (this.isOurs(hand)) {
      try {
        await this.object.submit(word)
        return
      } catch (error) {
        if (error instanceof Unavailable) return
        if (isDefinite(error)) {
          // A result that JSON cannot hold, or one that is too large: the job has failed by it.
          const said = (error as Error).message.slice(0, ERROR_LENGTH_MAX).toWellFormed()
          const failure = { kind: 'fail', now: Date.now(), id, token, error: said, final: false } as const
          await this.object.submit(failure).catch(() => {})
          return
        }
        await pause(AGAIN_MS)
      }
    }
  }

  private async progress(hand: InHand, value: Json): Promise<void> {
    const { id, token } = hand.job
    hand.controller.signal.throwIfAborted()
    const kept = await this.object.submit({ kind: 'progress', id, token, progress: value })
    if (kept !== true) throw this.lose(hand, 'somebody else was given it, or it was removed')
  }

  private async renew(): Promise<void> {
    const held = [...this.held.values()].filter(hand => this.isOurs(hand))
    if (held.length === 0) return
    const before = this.clock()
    const tokens = held.map(({ job: { id, token } }) => ({ id, token }))
    const word = { kind: 'renew', now: Date.now(), lease: this.lease, held: tokens } as const
    try {
      const lost = new Set((await this.object.submit(word, { timeout: this.lease })) as readonly string[])
      for (const hand of held) {
        if (lost.has(hand.job.id)) this.lose(hand, 'somebody else was given it, or it was removed')
        else hand.deadline = before + this.lease
      }
    } catch {
      // The next renewal says the same; `isOurs` knows when it is too late.
    }
  }

  /** Its signal fires when the lease ends, whether a renewal is under way or not. */
  private guard(hand: InHand): void {
    const left = Math.max(1, hand.deadline - this.clock())
    hand.unguard = startTimer(left, () => this.isOurs(hand) && this.guard(hand))
  }

  private isOurs(hand: InHand): boolean {
    if (hand.controller.signal.aborted) return false
    if (this.clock() < hand.deadline) return true
    this.lose(hand, 'its lease could not be renewed in time')
    return false
  }

  private lose(hand: InHand, why: string): JobLost {
    const lost = new JobLost(hand.job.id, why)
    if (this.held.get(hand.job.id) === hand) this.held.delete(hand.job.id)
    hand.controller.abort(lost)
    this.ring()
    return lost
  }

  private fail(error: Error): void {
    this.failure ??= this.closing ? undefined : error
    for (const hand of [...this.held.values()]) this.lose(hand, error.message)
    this.stop()
  }

  /** Until there is news, or the time has come. */
  private rest(wait: Millis | undefined): Promise<void> {
    return new Promise(resolve => {
      const stop = startTimer(wait, () => this.ring())
      this.wake = () => {
        stop()
        resolve()
      }
      if (this.closing) this.ring()
    })
  }

  private ring(): void {
    const { wake } = this
    this.wake = undefined
    wake?.()
  }
}

const pause = (time: Millis) => new Promise<void>(resolve => startTimer(time, resolve))

function isDefinite(error: unknown): boolean {
  return error instanceof CoterieError && error.outcome === 'did not happen' && error.name === 'OperationFailed'
}
