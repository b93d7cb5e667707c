// A held lock. It says when it is lost: `signal` fires before anybody else can hold it, and `held()` asks the clock.

import type { Millis } from '../core/index.ts'
import { LeaseLost } from '../core/index.ts'

/** What a lease needs from the group it belongs to. */
export interface LeaseKeeper {
  now(): Millis
  extend(lease: LeaseHandle, ttl: Millis): void
  release(lease: LeaseHandle): void
}

export class LeaseHandle {
  readonly id: number
  /** The lock's name. */
  readonly name: string
  /** Larger than every token given for this name before. Give it to what the lock protects, and let that refuse smaller ones. */
  readonly token: bigint
  private readonly keeper: LeaseKeeper
  private readonly controller = new AbortController()
  private deadline: Millis
  /** Lost or released. */
  private ended = false
  private released = false
  private readonly waiting: { beyond: Millis; resolve(): void; reject(error: Error): void }[] = []

  constructor(id: number, name: string, token: number, deadline: Millis, keeper: LeaseKeeper) {
    this.id = id
    this.name = name
    this.token = BigInt(token)
    this.deadline = deadline
    this.keeper = keeper
  }

  /** Fires before anybody else can hold the lock, with a `LeaseLost` as its reason; not on release. */
  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** By the local clock. False is certain; true holds for as long as `remaining()`. */
  held(): boolean {
    return !this.ended && this.remaining() > 0
  }

  /** Milliseconds until the lease ends unless it is renewed. After `signal` has fired: what is left for stopping. */
  remaining(): Millis {
    return this.released ? 0 : Math.max(0, this.deadline - this.keeper.now())
  }

  /** Asks for `ttl` milliseconds from now; resolves when the servers have agreed, rejects with `LeaseLost`. */
  extend(ttl: Millis): Promise<void> {
    if (!this.held()) return Promise.reject(new LeaseLost(this.name, 'it is no longer held'))
    return new Promise((resolve, reject) => {
      this.waiting.push({ beyond: this.deadline, resolve, reject })
      this.keeper.extend(this, ttl)
    })
  }

  /** Lets go. Doing it twice does no harm. */
  async release(): Promise<void> {
    if (this.released) return
    this.released = true
    this.ended = true
    this.rejectWaiting(new LeaseLost(this.name, 'it was released'))
    this.keeper.release(this)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }

  /** @internal The servers agreed to hold longer. */
  extended(deadline: Millis): void {
    this.deadline = deadline
    for (const waiter of this.waiting.splice(0)) {
      if (deadline > waiter.beyond) waiter.resolve()
      else this.waiting.push(waiter)
    }
  }

  /** @internal It will be over before anybody else can hold it. */
  lost(error: LeaseLost): void {
    if (this.ended) return
    this.ended = true
    this.rejectWaiting(error)
    this.controller.abort(error)
  }

  private rejectWaiting(error: Error): void {
    for (const waiter of this.waiting.splice(0)) waiter.reject(error)
  }
}

/** What a user sees of a lease. */
export type Lease = Omit<LeaseHandle, 'id' | 'extended' | 'lost'>
