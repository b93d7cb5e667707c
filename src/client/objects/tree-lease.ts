// A lease of a tree: entries of several processes are bound to it, and go when it was not renewed for its time. It belongs
// to no process: every client that knows its id may renew it, attach to it or revoke it.

import { believed, type Millis, SettingsError } from '../../core/index.ts'
import { LEASE_TTL_MAX, LEASE_TTL_MIN, type TreeWrite } from '../../ordering/tree/index.ts'
import { hasCode } from '../recipes/tree.ts'
import type { WaitOptions } from '../waiting.ts'

/** How long a lease lives without a renewal, and who renews it. */
export interface TreeLeaseOptions extends WaitOptions {
  readonly ttl: Millis
  /** Renewed by this process while it runs. Default true; false: it runs out unless somebody calls `renew`. */
  readonly keep?: boolean
}

/** With what an entry ends, besides a session. */
export interface LeasedOptions {
  /** This lease, or the id of one that another process granted. */
  readonly lease?: string | { readonly id: string }
  /** A lease of its own with this time: it is gone so long after this write, unless it is written so again. */
  readonly ttl?: Millis
}

/** What a lease asks of its tree. */
interface LeasePort {
  renew(lease: string, options: WaitOptions): Promise<void>
  revoke(lease: string, options: WaitOptions): Promise<void>
}

/** Renewals in a lease's time: two may fail. */
const RENEWALS_PER_TTL = 3
/** By how much clocks may differ in how fast they go: what is believed here ends before it ends at the servers. */
const DRIFT = 0.02

/** Something that entries are bound to: they go when it ends. Ends by itself when it is not renewed for its time. */
export class TreeLease {
  readonly id: string
  readonly ttl: Millis
  private readonly port: LeasePort
  private readonly controller = new AbortController()
  private readonly now: () => Millis
  private readonly timer: NodeJS.Timeout | undefined
  private deadline: NodeJS.Timeout | undefined
  private until: Millis

  /** @internal Made by `tree.lease`. `since`: on this clock, from before it was asked for. */
  constructor(port: LeasePort, id: string, { ttl, keep = true }: TreeLeaseOptions, now: () => Millis, since: Millis) {
    this.now = now
    this.port = port
    this.id = id
    this.ttl = ttl
    this.until = since + believed(ttl, DRIFT)
    if (keep) {
      const every = Math.max(1, ttl / RENEWALS_PER_TTL)
      // What a renewal comes to is told by `signal`.
      this.timer = setInterval(() => void this.renew({ timeout: ttl }).catch(() => {}), every).unref()
    }
    this.watchDeadline()
  }

  /** Fires when it may have ended, and its entries with it. */
  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** It lives for its time from now on. Rejects with a `TreeError` where it has ended. */
  async renew(options: WaitOptions = {}): Promise<void> {
    const began = this.now()
    try {
      await this.port.renew(this.id, options)
    } catch (error) {
      if (hasCode(error, 'no-lease')) this.end()
      throw error
    }
    this.until = Math.max(this.until, began + believed(this.ttl, DRIFT))
    this.watchDeadline()
  }

  /** Ends it, and all that is bound to it, at once. */
  async revoke(options: WaitOptions = {}): Promise<void> {
    this.leave()
    await this.port.revoke(this.id, options)
    this.end()
  }

  /** Renews it no more: it runs out, unless another process renews it. */
  leave(): void {
    clearInterval(this.timer)
  }

  /** As `revoke`; one that has ended already is as good as revoked. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.revoke().catch(error => {
      if (!hasCode(error, 'no-lease')) throw error
    })
  }

  private watchDeadline(): void {
    clearTimeout(this.deadline)
    if (this.signal.aborted) return
    const left = this.until - this.now()
    if (left <= 0) return this.end()
    this.deadline = setTimeout(() => this.watchDeadline(), Math.min(left, TIMEOUT_MAX_MS)).unref()
  }

  private end(): void {
    this.leave()
    clearTimeout(this.deadline)
    this.controller.abort()
  }
}

/** The longest that a timer of the platform waits. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1

export function checkTtl(ttl: Millis): Millis {
  if (Number.isInteger(ttl) && ttl >= LEASE_TTL_MIN && ttl <= LEASE_TTL_MAX) return ttl
  throw new SettingsError(
    `ttl is ${ttl}; it must be a whole number of milliseconds from ${LEASE_TTL_MIN} to ${LEASE_TTL_MAX}.`,
  )
}

/** What an entry is bound to by these options, or undefined where by nothing. */
export function bindingOf({
  lease,
  ttl,
}: LeasedOptions): Pick<TreeWrite & { kind: 'attach' }, 'lease' | 'ttl'> | undefined {
  if (lease === undefined && ttl === undefined) return undefined
  if (lease !== undefined && ttl !== undefined) {
    throw new SettingsError('an entry ends with a lease or has a ttl of its own: give one of the two.')
  }
  if (ttl !== undefined) return { lease: undefined, ttl: checkTtl(ttl) }
  return { lease: typeof lease === 'string' ? lease : lease!.id, ttl: undefined }
}
