// A held lock. It says when it is lost: `signal` fires before anybody else can hold it, and `held()` asks the clock.

import { LeaseLost, type Millis } from '../core/index.ts'

/** What a lease needs from the group it belongs to. */
export interface LeaseOwner {
  now(): Millis
  /** How long a lease of `ttl` may be believed in; throws where the ttl cannot be. */
  belief(ttl: Millis): Millis
  /** Until when the keeper has proved it held, also while this thread was blocked. */
  sustained(id: number): Millis
  /** It was seen to be over: the keeper must not bring it back. */
  over(id: number): void
  extend(lease: LeaseHandle, ttl: Millis): void
  release(lease: LeaseHandle): void
}

/**
 * A held lock. `await using` releases it at the end of the block.
 *
 * @example
 * ```ts
 * await using lease = await group.lock('report')
 * const response = await fetch('http://store/report', {
 *   method: 'PUT',
 *   headers: { 'x-token': String(lease.token) },
 *   signal: lease.signal,
 * })
 * if (!lease.held()) console.log('the lock was lost meanwhile')
 * ```
 */
export interface Lease extends AsyncDisposable {
  /** The lock's name. */
  readonly name: string
  /** Larger than every token given for this name before. Give it to what the lock protects, and let that refuse smaller ones. */
  readonly token: bigint
  /** Fires before anybody else can hold the lock, with a `LeaseLost` as its reason; not on release. */
  readonly signal: AbortSignal
  /** By the local clock. False is certain; true holds for as long as `remaining()`. */
  held(): boolean
  /** Milliseconds until the lease ends unless it is renewed. After `signal` has fired: what is left for stopping. */
  remaining(): Millis
  /** Asks for `ttl` milliseconds from now; resolves when the servers have agreed, rejects with `LeaseLost`. */
  extend(ttl: Millis): Promise<void>
  /** Lets go. Doing it twice does no harm. A lease that is shared ends with the last of those who share it. */
  release(): Promise<void>
}

/** The lease itself, which one caller or several hold. */
export class LeaseHandle implements Lease {
  readonly id: number
  readonly name: string
  readonly token: bigint
  private readonly owner: LeaseOwner
  private readonly controller = new AbortController()
  private deadline: Millis
  /** Lost or released. */
  private ended = false
  private released = false
  private sharers = 1
  /** The first caller has let go. */
  private left = false
  private readonly waiting: { until: Millis; resolve(): void; reject(error: Error): void }[] = []

  constructor(id: number, name: string, token: number, deadline: Millis, owner: LeaseOwner) {
    this.id = id
    this.name = name
    this.token = BigInt(token)
    this.deadline = deadline
    this.owner = owner
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  held(): boolean {
    return !this.left && this.lives()
  }

  /** Held by this process, for all who share it. */
  lives(): boolean {
    if (this.ended) return false
    if (this.remaining() > 0) return true
    this.owner.over(this.id)
    return false
  }

  remaining(): Millis {
    if (this.released) return 0
    return Math.max(0, Math.max(this.deadline, this.owner.sustained(this.id)) - this.owner.now())
  }

  extend(ttl: Millis): Promise<void> {
    if (!this.lives()) return Promise.reject(new LeaseLost(this.name, 'it is no longer held'))
    return new Promise((resolve, reject) => {
      const belief = this.owner.belief(ttl)
      // Where it lasts for longer already, there is nothing to wait for.
      if (this.remaining() >= belief) resolve()
      else this.waiting.push({ until: this.owner.now() + belief, resolve, reject })
      this.owner.extend(this, ttl)
    })
  }

  async release(): Promise<void> {
    if (this.left) return
    this.left = true
    this.leave()
  }

  /** One of those who share it lets go. */
  leave(): void {
    if (--this.sharers === 0) this.finish()
  }

  /** Lets go, also for those who share it. */
  finish(): void {
    if (this.released) return
    this.released = true
    this.ended = true
    // An error with its stack costs more than the release itself; mostly nobody waits for an extension.
    if (this.waiting.length > 0) this.rejectWaiting(new LeaseLost(this.name, 'it was released'))
    this.owner.release(this)
  }

  /** The same lease for one more caller, to be released once more. */
  share(): Lease {
    this.sharers++
    return new SharedLease(this)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }

  /** The servers agreed to hold longer. */
  extended(deadline: Millis): void {
    this.deadline = deadline
    for (const waiter of this.waiting.splice(0)) {
      if (deadline >= waiter.until) waiter.resolve()
      else this.waiting.push(waiter)
    }
  }

  /** It will be over before anybody else can hold it. */
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

/** One caller's part of a lease that several share: releasing it twice must not end it for the others. */
class SharedLease implements Lease {
  private readonly lease: LeaseHandle
  private mine = true

  constructor(lease: LeaseHandle) {
    this.lease = lease
  }

  get name(): string {
    return this.lease.name
  }

  get token(): bigint {
    return this.lease.token
  }

  get signal(): AbortSignal {
    return this.lease.signal
  }

  held(): boolean {
    return this.mine && this.lease.lives()
  }

  remaining(): Millis {
    return this.mine ? this.lease.remaining() : 0
  }

  extend(ttl: Millis): Promise<void> {
    return this.lease.extend(ttl)
  }

  async release(): Promise<void> {
    if (!this.mine) return
    this.mine = false
    this.lease.leave()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }
}
