// What a queue of jobs remembers, and the words that change it. Each job has an entry of its own in the table of the object,
// and what it is to do another, which never changes: what a word changes is all that travels.

import type { Json } from '../objects/state-table.ts'

/** How long to wait before the next try. */
export interface Backoff {
  /** `fixed`: always the delay. `exponential`: the delay, then twice, four times as long. */
  readonly kind: 'fixed' | 'exponential'
  /** In milliseconds. */
  readonly delay: number
}

/** At most `max` jobs begin in any window of `per` milliseconds, over all workers. */
export interface Rate {
  readonly max: number
  readonly per: number
}

/** Where a job stands. */
export type JobState =
  /** It waits for its turn, or for its time. */
  | 'waiting'
  /** A worker has it, until its lease ends. */
  | 'active'
  | 'completed'
  /** It failed as often as it may: a dead letter, kept to be looked at. */
  | 'dead'

/** Where a job stands in line: `ready` by priority, `timed` by when its delay or its lease ends. */
export type LineName = 'ready' | 'timed'

export interface JobRecord {
  /** The order of coming. */
  readonly seq: number
  /** Smaller goes first. */
  readonly priority: number
  /** How often it may be tried. */
  readonly attempts: number
  readonly backoff: Backoff
  readonly state: JobState
  /** How often it was begun. */
  readonly tries: number
  /** waiting: not before. active: when the lease ends. completed, dead: since when. */
  readonly due: number
  /** Of the last try: larger than that of every try before it, of any job of the queue. */
  readonly token: number
  readonly worker: string | null
  readonly progress: Json
  readonly result: Json
  readonly error: string | null
  /** Its place in line, as it was put there: an entry of the line that says otherwise is void. */
  readonly spot: { readonly line: LineName; readonly rank: number } | null
  /** completed, dead: its number in the list of those, which the oldest leave first. */
  readonly place: number | null
}

/** A list of jobs by number: the oldest at `from`, the next at `to`. Some numbers may be missing. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface Head {
  readonly seq: number
  readonly token: number
  readonly paused: boolean
  readonly rate: Rate | null
  /** The window of the rate that runs now, and how many began in it. */
  readonly window: { readonly start: number; readonly used: number }
  /** How many stand where. */
  readonly counts: Readonly<Record<JobState, number>>
  /** Of all time: also those that are no longer kept. */
  readonly ever: { readonly completed: number; readonly dead: number; readonly retried: number }
  /** Of the waiting jobs, how many are in the line by time. */
  readonly delayed: number
  /** How long the lines are, with void entries. */
  readonly lines: Readonly<Record<LineName, number>>
  /** The first time in the line by time; null where it is empty. */
  readonly next: number | null
  readonly lists: { readonly completed: Range; readonly dead: Range }
}

/** A job as it is put in. */
export interface NewJob {
  /** Its own name, or none: then it is given a number. A second job of a name is not added. */
  readonly id: string | null
  readonly data: Json
  readonly priority: number
  readonly delay: number
  readonly attempts: number
  readonly backoff: Backoff
}

export interface Held {
  readonly id: string
  readonly token: number
}

/** `now` is the wall clock of the one who says it: a wrong one makes delays and leases wrong, and loses nothing. */
export type JobsOperation =
  | { readonly kind: 'add'; readonly now: number; readonly jobs: readonly NewJob[] }
  | {
      readonly kind: 'take'
      readonly now: number
      readonly worker: string
      readonly lease: number
      readonly count: number
    }
  | { readonly kind: 'renew'; readonly now: number; readonly lease: number; readonly held: readonly Held[] }
  | ({ readonly kind: 'progress'; readonly progress: Json } & Held)
  | ({ readonly kind: 'complete'; readonly now: number; readonly result: Json } & Held)
  | ({ readonly kind: 'fail'; readonly now: number; readonly error: string; readonly final: boolean } & Held)
  | ({ readonly kind: 'release'; readonly now: number } & Held)
  | { readonly kind: 'pause'; readonly paused: boolean }
  | { readonly kind: 'limit'; readonly rate: Rate | null }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'retry'; readonly now: number; readonly id: string }
  | { readonly kind: 'clean'; readonly state: 'completed' | 'dead' }

/** A job that a worker was given. */
export interface TakenJob extends Held {
  readonly data: Json
  readonly attempt: number
}

/** Jobs that wait or run at one time: every client of the queue has a copy of them. */
export const JOBS_MAX = 10_000
/** Completed jobs that are kept, for those who ask for their results; the oldest go first. */
export const COMPLETED_MAX = 1_000
/** Dead letters that are kept; the oldest go first, and are counted. */
export const DEAD_MAX = 1_000
/** Jobs of one `add`, or one `take`. */
export const BATCH_MAX = 1_000
export const ID_BYTES_MAX = 200
export const ERROR_LENGTH_MAX = 2_000
/** A year: longer is a mistake of units. */
export const DELAY_MAX_MS = 366 * 24 * 3_600_000
export const LEASE_MIN_MS = 500
export const LEASE_MAX_MS = 24 * 3_600_000
export const ATTEMPTS_MAX = 1_000
export const PRIORITY_MAX = 2 ** 21
/** 2^30 times the first delay is beyond every limit already. */
const DOUBLINGS_MAX = 30

const NONE: Range = { from: 0, to: 0 }

export const FIRST_HEAD: Head = {
  seq: 0,
  token: 0,
  paused: false,
  rate: null,
  window: { start: 0, used: 0 },
  counts: { waiting: 0, active: 0, completed: 0, dead: 0 },
  ever: { completed: 0, dead: 0, retried: 0 },
  delayed: 0,
  lines: { ready: 0, timed: 0 },
  next: null,
  lists: { completed: NONE, dead: NONE },
}

/** How long to wait after the try of this number has failed. */
export function backoffDelay({ kind, delay }: Backoff, tries: number): number {
  const times = kind === 'fixed' ? 1 : 2 ** Math.min(DOUBLINGS_MAX, Math.max(0, tries - 1))
  return Math.min(DELAY_MAX_MS, delay * times)
}

/** Milliseconds until the rate lets another job begin. A window in the future is that of a wrong clock, and void. */
export function rateWait({ rate, window }: Head, now: number): number {
  if (rate === null || !isRunning(rate, window.start, now) || window.used < rate.max) return 0
  return window.start + rate.per - now
}

export function isRunning({ per }: Rate, start: number, now: number): boolean {
  return now < start + per && now > start - per
}

/** Milliseconds until a job may be taken, or a lease is over; undefined where none will be without a change. */
export function readyIn(head: Head, now: number): number | undefined {
  if (head.paused) return undefined
  if (head.lines.ready > 0) return rateWait(head, now)
  return head.next === null ? undefined : Math.max(0, head.next - now, rateWait(head, now))
}
