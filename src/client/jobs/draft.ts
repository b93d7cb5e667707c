// The table of a queue while one word changes it: jobs, the two lines they stand in, and the lists of what is over. Whatever a
// word does, `finish` leaves the lines so that their first entries are true: a worker that sees the head knows when to ask.
//
// An entry of a line is not looked for when its job goes elsewhere: the job's record says where it stands, and an entry that
// says otherwise is void. Void entries go when they come first, or all at once when they are as many as the others.

import type { Json } from '../objects/state-table.ts'
import { type JobTable, Line, type Spot } from './line.ts'
import { FIRST_HEAD, type Head, type JobRecord, type LineName, type Range } from './state.ts'

export const HEAD = 'head'
/** Where the record of a job is, and where what it is to do. */
export const JOB = 'j:'
export const DATA = 'd:'
const LINES: Readonly<Record<LineName, string>> = { ready: 'r:', timed: 't:' }
export const TIMED = LINES.timed
const LISTS = { completed: 'c:', dead: 'x:' } as const
/** So few void entries are not worth looking for. */
const VOID_MIN = 64
const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()

type Over = keyof typeof LISTS

export function readHead(bytes: Uint8Array | undefined): Head {
  return bytes === undefined ? FIRST_HEAD : (readJson(bytes) as Head)
}

export function readJson(bytes: Uint8Array): unknown {
  return JSON.parse(DECODER.decode(bytes))
}

export class Draft {
  head: Head
  private readonly before: Head
  private readonly table: JobTable
  private readonly lines: Readonly<Record<LineName, Line>>
  /** Of the one who speaks. */
  private readonly now: number

  constructor(table: JobTable, now: number) {
    this.table = table
    this.now = now
    this.before = readHead(table.get(HEAD))
    this.head = this.before
    const { ready, timed } = this.head.lines
    this.lines = { ready: new Line(table, LINES.ready, ready), timed: new Line(table, LINES.timed, timed) }
  }

  job(id: string): JobRecord | undefined {
    const bytes = this.table.get(JOB + id)
    return bytes && (readJson(bytes) as JobRecord)
  }

  data(id: string): Json {
    const bytes = this.table.get(DATA + id)
    return bytes === undefined ? null : (readJson(bytes) as Json)
  }

  add(id: string, job: Omit<JobRecord, 'spot' | 'place'>, data: Json): void {
    if (data !== null) this.table.set(DATA + id, inBytes(data))
    this.put(id, { ...job, spot: null, place: null })
  }

  remove(id: string): void {
    this.count(id, undefined)
    this.table.remove(JOB + id)
    this.table.remove(DATA + id)
  }

  /** Puts a job where its state says: in line, or into the list of what is over. */
  put(id: string, job: JobRecord): void {
    this.count(id, job)
    const stood = { ...job, spot: this.stand(id, job), place: this.enlist(id, job) }
    this.table.set(JOB + id, inBytes(stood))
    this.head = { ...this.head, delayed: this.head.delayed + (isDelayed(stood) ? 1 : 0) }
  }

  /** Changes what is told of a job, and not where it stands. */
  note(id: string, job: JobRecord): void {
    this.table.set(JOB + id, inBytes(job))
  }

  /** The first of a line, if its rank is at most `most`. It is no longer in line: put it somewhere. */
  next(name: LineName, most = Number.POSITIVE_INFINITY): string | undefined {
    this.settle(name)
    const spot = this.lines[name].first()
    if (spot === undefined || spot.rank > most) return undefined
    this.lines[name].shift()
    return spot.id
  }

  /** Lets go of the oldest that are over, until no more than `kept` are left. Answers how many went. */
  clean(state: Over, kept: number): number {
    let gone = 0
    while (this.head.counts[state] > kept) {
      const { from, to } = this.head.lists[state]
      if (from === to) break
      const bytes = this.table.get(LISTS[state] + from)
      this.setList(state, { from: from + 1, to })
      if (bytes === undefined) continue
      this.table.remove(LISTS[state] + from)
      this.remove(DECODER.decode(bytes))
      gone++
    }
    return gone
  }

  finish(): void {
    for (const name of ['ready', 'timed'] as const) {
      this.settle(name)
      this.thinOut(name)
    }
    const lines = { ready: this.lines.ready.size, timed: this.lines.timed.size }
    const after = { ...this.head, lines, next: this.lines.timed.first()?.rank ?? null }
    if (JSON.stringify(after) !== JSON.stringify(this.before)) this.table.set(HEAD, inBytes(after))
  }

  /** Where it stands in line from now on; whoever moves gets a new entry. A time that was put off is found when it comes. */
  private stand(id: string, { state, due, priority, seq, spot }: JobRecord): JobRecord['spot'] {
    if (state !== 'waiting' && state !== 'active') return null
    const line = state === 'waiting' && due <= this.now ? 'ready' : 'timed'
    const rank = line === 'ready' ? priority : due
    if (spot?.line === line && spot.rank <= rank) return spot
    this.lines[line].push({ rank, seq, id })
    return { line, rank }
  }

  private enlist(id: string, { state, place }: JobRecord): number | null {
    if (state !== 'completed' && state !== 'dead') return null
    if (place !== null) return place
    const { from, to } = this.head.lists[state]
    this.table.set(LISTS[state] + to, ENCODER.encode(id))
    this.setList(state, { from, to: to + 1 })
    return to
  }

  /** What is before goes out of the counts and lists, what is after goes in. */
  private count(id: string, after: JobRecord | undefined): void {
    const before = this.job(id)
    const counts = { ...this.head.counts }
    let { delayed } = this.head
    if (before !== undefined) {
      counts[before.state]--
      if (isDelayed(before)) delayed--
      if (before.place !== null && after?.state !== before.state)
        this.table.remove(LISTS[before.state as Over] + before.place)
    }
    if (after !== undefined) counts[after.state]++
    this.head = { ...this.head, counts, delayed }
  }

  /** Makes the first entry of a line true. */
  private settle(name: LineName): void {
    const line = this.lines[name]
    for (let spot = line.first(); spot !== undefined; spot = line.first()) {
      const job = this.standing(name, spot)
      if (job !== undefined && (name === 'ready' || job.due <= spot.rank)) return
      line.shift()
      if (job !== undefined) this.note(spot.id, { ...job, spot: this.stand(spot.id, { ...job, spot: null }) })
    }
  }

  private thinOut(name: LineName): void {
    const line = this.lines[name]
    const { counts, delayed } = this.head
    const living = name === 'ready' ? counts.waiting - delayed : counts.active + delayed
    if (line.size <= 2 * living + VOID_MIN) return
    const kept = new Map<string, Spot>()
    for (const spot of line.all()) if (this.standing(name, spot) !== undefined) kept.set(spot.id, spot)
    line.replace([...kept.values()])
  }

  /** The job of an entry, if it stands there. */
  private standing(name: LineName, { rank, seq, id }: Spot): JobRecord | undefined {
    const job = this.job(id)
    return job?.seq === seq && job.spot?.line === name && job.spot.rank === rank ? job : undefined
  }

  private setList(state: Over, range: Range): void {
    this.head = { ...this.head, lists: { ...this.head.lists, [state]: range } }
  }
}

const inBytes = (value: unknown): Uint8Array => ENCODER.encode(JSON.stringify(value))

const isDelayed = ({ state, spot }: JobRecord): boolean => state === 'waiting' && spot?.line === 'timed'
