// Slots as a user sees them: promises and loops over one named machine of the member node.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { because, CoterieError, type Millis, SettingsError, Unavailable } from '../../core/index.ts'
import type { LeveledEvent, ManySlotsCommand, ManySlotsEvent } from '../../node/many-slots.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { SlotsCommand, SlotsLevel, SlotsSettings, SlotsStatus } from '../../slots/index.ts'
import { Feed } from '../feed.ts'
import { checkFollowing, checkWaiting, onWaitEnd, type WaitOptions, within } from '../waiting.ts'
import { Seat } from './seat.ts'
import type { SlotsOptions } from './slots-settings.ts'

/** How long to wait for a seat. */
export type SeatOptions = WaitOptions

/** Why there was no seat. */
export type NoSeatReason = 'timeout' | 'cancelled' | 'crowded'

/** No seat was taken; nobody learnt that one was wanted, unless rounds are on demand. */
export class NoSeat extends CoterieError {
  override readonly name = 'NoSeat'
  readonly outcome = 'did not happen'
  readonly reason: NoSeatReason

  constructor(slots: string, reason: NoSeatReason, why: string, cause?: unknown) {
    super(`no seat in '${slots}': ${EXPLANATIONS[reason]} ${why}`.trimEnd())
    this.reason = reason
    because(this, cause)
  }
}

const EXPLANATIONS: Readonly<Record<NoSeatReason, string>> = {
  timeout: 'not in time.',
  cancelled: 'the signal fired.',
  crowded: 'too many callers of this process wait already.',
}

const PHASES: Readonly<Record<string, string>> = {
  forming: 'Not all members have joined: do they run, with the same slots, lease, level and liars?',
  outside: 'This member restarted, and is taken in again with the next epoch.',
  'waiting out old leases': 'The members changed, and nothing is dealt before every old lease has run out.',
}

/** What happened among the members that their users should know. */
export type Incident =
  /** A member was caught; `evidence` convinces anybody (coterie slots verify). */
  | { readonly kind: 'cheat'; readonly member: string; readonly what: string; readonly evidence: Uint8Array }
  /** That member brought us a word that its author did not sign: it lies. We saw it; to others there is nothing to be shown. */
  | { readonly kind: 'forged'; readonly member: string; readonly what: string }
  /** Members that owe a word for too long: left out, not accused. */
  | { readonly kind: 'silent'; readonly members: readonly string[] }
  /** That member opened these slots at another level: it takes no part in ours, nor we in its. */
  | { readonly kind: 'differs'; readonly member: string; readonly level: SlotsLevel }
  /** The members of the present epoch; `live` when all of them agreed. */
  | { readonly kind: 'epoch'; readonly number: number; readonly members: readonly string[]; readonly live: boolean }

interface Waiting<T> {
  resolve(found: T): void
  reject(error: Error): void
}

/** How long a request that was given up waits for what its group is doing, for the error's sake. */
const STATUS_MS = 200

/** Named seats that members share without telling who has which. */
export class Slots {
  readonly name: string
  private readonly settings: SlotsSettings
  private readonly clock: Clock
  private readonly nodeNow: Clock
  private readonly tellNode: (command: ManySlotsCommand) => void
  private readonly evidenceFolder: string | undefined
  private readonly waiting = new Map<number, Waiting<Seat>>()
  private readonly questions = new Map<number, Waiting<SlotsStatus>>()
  private readonly seats = new Map<number, Seat>()
  private readonly feeds = new Set<Feed<Incident>>()
  /** Members that opened this name at another level. */
  private readonly differing = new Map<string, SlotsLevel>()
  private ids = 0
  private over: Error | undefined

  /** @internal Made by `JoinedGroup.slots`. */
  constructor(
    settings: SlotsSettings,
    options: Pick<SlotsOptions, 'evidenceFolder'>,
    clock: Clock,
    nodeNow: Clock,
    tell: (command: ManySlotsCommand) => void,
  ) {
    this.name = settings.name
    this.settings = settings
    this.clock = clock
    this.nodeNow = nodeNow
    this.tellNode = tell
    this.evidenceFolder = options.evidenceFolder
  }

  /** Waits for a seat. Rejects with `NoSeat`, or `Unavailable` where the group was closed: then none is held. */
  async request(options: SeatOptions = {}): Promise<Seat> {
    checkWaiting('slots.request', options)
    if (this.over !== undefined) throw this.over
    const id = ++this.ids
    const seat = new Promise<Seat>((resolve, reject) => this.waiting.set(id, { resolve, reject }))
    // Seats are dealt in rounds: there is none to be had in this moment.
    if (options.timeout === 0) void this.giveUp(id, 'timeout', undefined)
    const stop = onWaitEnd(options, (why, cause) => void this.giveUp(id, why, cause))
    // Not where the signal had fired already.
    if (this.waiting.has(id)) this.tell({ kind: 'request', id })
    return seat.finally(stop)
  }

  /** Where things stand: round, phase, members, epoch; never an assignment, not even one's own. */
  status(): Promise<SlotsStatus> {
    if (this.over !== undefined) return Promise.reject(this.over)
    return new Promise((resolve, reject) => {
      const id = ++this.ids
      this.questions.set(id, { resolve, reject })
      this.tell({ kind: 'status', id })
    })
  }

  /** Cheats, silent members and epochs, from now on. */
  incidents(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<Incident, void, undefined> {
    checkFollowing('slots.incidents', options)
    if (this.over !== undefined) throw this.over
    return this.told(options.signal)
  }

  private async *told(signal: AbortSignal | undefined): AsyncGenerator<Incident, void, undefined> {
    const feed = new Feed<Incident>(signal)
    this.feeds.add(feed)
    try {
      yield* feed.items()
    } finally {
      this.feeds.delete(feed)
    }
  }

  /** Takes part no more, from the next epoch on. The others wait one lease for it. */
  leave(): void {
    this.tell({ kind: 'leave' })
  }

  /** @internal Whether these are the settings that it was opened with. */
  accepts(settings: SlotsSettings): boolean {
    return JSON.stringify(settings) === JSON.stringify(this.settings)
  }

  /** @internal */
  take(event: ManySlotsEvent): void {
    if (event.kind === 'shut') this.ended(new SettingsError(event.why))
    else if (event.kind === 'said') this.said(event.body)
  }

  /** @internal The node below has ended, or the machine could not be opened. */
  ended(error: Error): void {
    if (this.over !== undefined) return
    this.over = error
    for (const { reject } of [...this.waiting.values(), ...this.questions.values()]) reject(error)
    this.waiting.clear()
    this.questions.clear()
    for (const seat of this.seats.values()) seat.lost(error.message)
    this.seats.clear()
    for (const feed of this.feeds) {
      if (error instanceof Unavailable) feed.finish()
      else feed.fail(error)
    }
  }

  private said(event: LeveledEvent): void {
    switch (event.kind) {
      case 'seat':
        return this.seated(event.id, event.slot, event.deadline - this.nodeNow())
      case 'lost':
        this.seats.get(event.id)?.lost('its lease has ended')
        this.seats.delete(event.id)
        return
      case 'refused':
        this.waiting.get(event.id)?.reject(new NoSeat(this.name, 'crowded', ''))
        this.waiting.delete(event.id)
        return
      case 'status':
        this.questions.get(event.id)?.resolve(event.status)
        this.questions.delete(event.id)
        return
      case 'cheat':
        this.keepEvidence(event.member, event.evidence)
        return this.show(event)
      case 'differs':
        this.differing.set(event.member, event.level)
        return this.show(event)
      case 'forged':
      case 'silent':
      case 'epoch':
        return this.show(event)
    }
  }

  private seated(id: number, slot: string, remaining: Millis): void {
    const waiting = this.waiting.get(id)
    // Nobody waits for it any more: it is let go as soon as the machine hears of it.
    if (waiting === undefined) return
    this.waiting.delete(id)
    const seat = new Seat(this.name, slot, remaining, this.clock, () => {
      this.seats.delete(id)
      this.tell({ kind: 'release', id })
    })
    this.seats.set(id, seat)
    waiting.resolve(seat)
  }

  private async giveUp(id: number, reason: NoSeatReason, cause: unknown): Promise<void> {
    const waiting = this.waiting.get(id)
    if (waiting === undefined) return
    this.waiting.delete(id)
    // Also where a seat was given at this very moment: the machine lets go of it.
    this.tell({ kind: 'cancel', id })
    const status = within(this.status(), { timeout: STATUS_MS }, () => new Unavailable('no status'))
    const phase = await status.then(({ phase: now }) => now, nothingKnown)
    waiting.reject(new NoSeat(this.name, reason, this.explain(phase), cause))
  }

  /** Why nothing is dealt, where something is known. */
  private explain(phase: string): string {
    const others = [...this.differing].map(([member, level]) => `${member} has level '${level}'`)
    if (phase !== 'forming' || others.length === 0) return PHASES[phase] ?? ''
    return `All members must use one level; here it is '${this.settings.level}', ${others.join(', ')}.`
  }

  private keepEvidence(member: string, evidence: Uint8Array): void {
    const folder = this.evidenceFolder
    if (folder === undefined || evidence.length === 0) return
    const file = join(folder, `${this.name}-${member}.evidence`)
    mkdir(folder, { recursive: true })
      .then(() => writeFile(file, evidence))
      .catch((error: Error) => {
        for (const feed of this.feeds) feed.fail(new Unavailable(`evidence could not be written: ${error.message}`))
      })
  }

  private show(incident: Incident): void {
    for (const feed of this.feeds) feed.push(incident)
  }

  private tell(body: SlotsCommand): void {
    if (this.over === undefined) this.tellNode({ kind: 'tell', name: this.name, body })
  }
}

const nothingKnown = () => ''
