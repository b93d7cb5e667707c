// Checkers for everything that is held by one at a time: locks now, seats and terms later. They see true time.

import type { NodeId } from '../core/index.ts'
import type { Micros } from './network.ts'
import type { Checker, Violation } from './scenario.ts'

interface Holding {
  readonly holder: NodeId
  readonly token: number
  readonly from: Micros
  /** When its belief ends, in true time, unless it is extended or let go. */
  until: Micros
}

/** Never two holders of one thing at one time; tokens grow from holder to holder. */
export class ExclusionChecker implements Checker {
  readonly name = 'exclusion'
  holdings = 0
  private readonly current = new Map<string, Holding>()
  private readonly tokens = new Map<string, number>()
  private readonly broken: Violation[] = []

  acquired(thing: string, holder: NodeId, token: number, at: Micros, until: Micros): void {
    this.holdings++
    const other = this.current.get(thing)
    if (other !== undefined && at < other.until) {
      this.violation(`'${thing}' is held by ${holder} (token ${token}) and ${other.holder} (token ${other.token})`, at)
    }
    const largest = this.tokens.get(thing) ?? -1
    if (token <= largest) this.violation(`'${thing}': token ${token} of ${holder} after token ${largest}`, at)
    this.tokens.set(thing, Math.max(token, largest))
    this.current.set(thing, { holder, token, from: at, until })
  }

  extended(thing: string, holder: NodeId, at: Micros, until: Micros): void {
    const holding = this.current.get(thing)
    if (holding?.holder !== holder) {
      this.violation(`'${thing}' is extended by ${holder}, but ${holding?.holder ?? 'nobody'} came after it`, at)
      return
    }
    if (at >= holding.until) this.violation(`'${thing}' is extended by ${holder} after it ran out`, at)
    holding.until = until
  }

  /** Told that it is lost. It has until its deadline to stop, so nobody may come before; and telling must not be late. */
  told(thing: string, holder: NodeId, at: Micros): void {
    const holding = this.current.get(thing)
    if (holding?.holder !== holder || at <= holding.until) return
    this.violation(`${holder} was told too late that '${thing}' is lost`, at)
  }

  released(thing: string, holder: NodeId, at: Micros): void {
    const holding = this.current.get(thing)
    if (holding?.holder === holder) holding.until = Math.min(holding.until, at)
  }

  /** The process is gone, and its beliefs with it. */
  gone(holder: NodeId, at: Micros): void {
    for (const holding of this.current.values()) {
      if (holding.holder === holder) holding.until = Math.min(holding.until, at)
    }
  }

  /** Does it believe, at this moment, that it holds under this token? */
  holds(thing: string, holder: NodeId, token: number, at: Micros): boolean {
    const holding = this.current.get(thing)
    return holding?.holder === holder && holding.token === token && at < holding.until
  }

  violations(): readonly Violation[] {
    return this.broken
  }

  private violation(what: string, at: Micros): void {
    this.broken.push({ what, at })
  }
}

/** After everything is healed, everybody that asks is served in time. */
export class ProgressChecker implements Checker {
  readonly name = 'progress'
  private readonly waiting = new Map<string, Micros>()
  private readonly broken: Violation[] = []

  demand(who: string, at: Micros): void {
    this.waiting.set(who, at)
  }

  served(who: string): void {
    this.waiting.delete(who)
  }

  /** To be called at the end of the run. */
  finish(at: Micros): void {
    for (const [who, since] of this.waiting) {
      const seconds = Math.round((at - since) / 1_000_000)
      this.broken.push({ what: `${who} was not served within ${seconds} s although everything is healed`, at })
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}
