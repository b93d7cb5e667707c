// One coordinator's place: who leads as this member knows, and this member's own candidacy.

import { type Millis, SettingsError } from '../../core/index.ts'
import type { ElectionCommand, ElectionEvent } from '../../election/index.ts'
import type { Clock } from '../../runtime/clock.ts'
import { Feed } from '../feed.ts'
import { startTimer } from '../waiting.ts'
import { Term } from './term.ts'

/** Who leads, as one member knows it. */
export interface CoordinatorInfo {
  readonly name: string
  readonly term: number
  /** Undefined: nobody leads as far as this member can tell. */
  readonly coordinator: string | undefined
}

/** A member that stands for a place, until it is disposed of. */
export interface Candidacy extends AsyncDisposable {
  /** Rejects with what `lead` threw; resolves when the candidacy has ended. Where nobody looks, a warning says it. */
  readonly ended: Promise<void>
  /** Steps down where it leads, and stands no more. */
  close(): Promise<void>
}

/** What `lead` threw, and whether somebody looked at `ended`, and so will hear of it. */
export type LeadFailed = (error: unknown, isHeard: boolean) => void

type LeadershipEvent = Extract<ElectionEvent, { name: string }>

const sleep = (time: Millis) => new Promise<void>(resolve => startTimer(time, resolve))

export class Leadership {
  private readonly name: string
  private readonly clock: Clock
  private readonly nodeNow: Clock
  private readonly tell: (command: ElectionCommand) => void
  private readonly feeds = new Set<Feed<CoordinatorInfo>>()
  private info: CoordinatorInfo
  private term: Term | undefined
  private running: Promise<void> = Promise.resolve()
  private readonly failed: LeadFailed
  private lead: ((term: Term) => Promise<void> | void) | undefined
  /** No longer says that this member stands: without it, a single candidate is elected again at once. */
  private withdraw: () => void = () => {}
  private finish: ((error?: unknown) => void) | undefined
  private isHeard = false
  private watchdog: NodeJS.Timeout | undefined

  constructor(
    name: string,
    clock: Clock,
    nodeNow: Clock,
    tell: (command: ElectionCommand) => void,
    failed: LeadFailed = () => {},
  ) {
    this.name = name
    this.clock = clock
    this.nodeNow = nodeNow
    this.tell = tell
    this.failed = failed
    this.info = { name, term: 0, coordinator: undefined }
  }

  now(): CoordinatorInfo {
    return this.info
  }

  leads(): boolean {
    return this.term?.leads() ?? false
  }

  stand(lead: (term: Term) => Promise<void> | void, withdraw: () => void): Candidacy {
    if (this.lead !== undefined) throw new SettingsError(`this member stands for '${this.name}' already.`)
    this.lead = lead
    this.withdraw = withdraw
    this.isHeard = false
    const ended = new Promise<void>((resolve, reject) => {
      this.finish = error => (error === undefined ? resolve() : reject(error))
    })
    // A caller may not look at it: its rejection must not end the process.
    ended.catch(() => {})
    const close = async () => {
      if (this.lead === lead) {
        withdraw()
        await this.close()
      }
    }
    const look = () => {
      if (this.lead === lead) this.isHeard = true
      return ended
    }
    return {
      get ended() {
        return look()
      },
      close,
      [Symbol.asyncDispose]: close,
    }
  }

  async *follow(signal: AbortSignal | undefined): AsyncGenerator<CoordinatorInfo, void, undefined> {
    const feed = new Feed<CoordinatorInfo>(signal)
    this.feeds.add(feed)
    feed.push(this.info)
    try {
      yield* feed.items()
    } finally {
      this.feeds.delete(feed)
    }
  }

  take(event: LeadershipEvent): void {
    switch (event.kind) {
      case 'elected':
        return this.elected(event.term, event.deadline - this.nodeNow())
      case 'extended':
        this.term?.extended(event.deadline - this.nodeNow())
        return this.watch(event.deadline - this.nodeNow())
      case 'lost':
      case 'resigned':
        return this.over(event.kind === 'lost' ? 'it could not be renewed' : 'it stepped down')
      case 'coordinator':
        return this.show({ name: this.name, term: event.term, coordinator: event.coordinator })
      case 'vacant':
        return this.show({ name: this.name, term: event.term, coordinator: undefined })
      default:
        return
    }
  }

  /** Steps down, waits for `lead` to end, and stands no more. */
  async close(): Promise<void> {
    const { lead } = this
    this.lead = undefined
    if (lead === undefined) return
    const left = this.term?.remaining() ?? 0
    this.over('this member withdrew')
    // Where the term has run out, others may begin whether `lead` has ended or not: nobody gains by waiting longer.
    await Promise.race([this.running.catch(() => {}), sleep(left)])
    // Only now: until `lead` has ended, nobody else may begin.
    this.tell({ kind: 'resign', name: this.name })
    this.finish?.()
  }

  /** A clean end: loops that follow come to theirs. */
  finishAll(): void {
    for (const feed of this.feeds) feed.finish()
    this.feeds.clear()
  }

  ended(error: Error): void {
    this.over(error.message)
    for (const feed of this.feeds) feed.fail(error)
    this.finish?.()
  }

  private elected(number: number, remaining: Millis): void {
    const { lead } = this
    // Told so late (the process was stopped in between) that the term is over already: it never led.
    if (remaining <= 0) return
    // Elected while it withdrew.
    if (lead === undefined) return this.tell({ kind: 'resign', name: this.name })
    const term = new Term(this.name, number, remaining, this.clock)
    this.term = term
    this.watch(remaining)
    this.running = (async () => lead(term))()
    this.running.catch(error => {
      if (this.lead !== lead) return
      this.lead = undefined
      this.over('lead has failed')
      // First: one that steps down and still stands, alone, would be elected again and again.
      this.withdraw()
      this.tell({ kind: 'resign', name: this.name })
      this.failed(error, this.isHeard)
      this.finish?.(error)
    })
  }

  /** The node below counts with another clock, which stops while the machine sleeps: this one does not. */
  private watch(remaining: Millis): void {
    clearTimeout(this.watchdog)
    this.watchdog = setTimeout(
      () => {
        if (this.term !== undefined && !this.term.leads()) this.over('its time ran out')
      },
      Math.max(0, remaining),
    ).unref()
  }

  private over(why: string): void {
    clearTimeout(this.watchdog)
    this.term?.ended(why)
    this.term = undefined
  }

  private show(info: CoordinatorInfo): void {
    if (info.coordinator === this.info.coordinator && info.term === this.info.term) return
    this.info = info
    for (const feed of this.feeds) feed.push(info)
  }
}
