// The object that a queue of jobs is, as one client uses it: words go in, and single entries of its table are read and
// watched. It is no `SharedObject`: that makes a state of all entries, and a queue of ten thousand would be made anew for each.

import { OperationFailed } from '../../core/index.ts'
import type { Applier, Write } from '../../ordering/index.ts'
import { Feed } from '../feed.ts'
import { whyNotJson } from '../objects/json.ts'
import { ObjectSession } from '../objects/object-session.ts'
import type { LiveTable, Orders } from '../objects/orders.ts'
import type { Json } from '../objects/state-table.ts'
import type { WaitOptions } from '../waiting.ts'
import { applyJobs } from './apply.ts'
import { DATA, HEAD, JOB, readHead, readJson, TIMED } from './draft.ts'
import { readSpot } from './line.ts'
import type { Head, JobRecord, JobsOperation } from './state.ts'

/** How long the servers remember this client's unanswered words after it falls silent. */
const SESSION_TTL_MS = 30_000
const ENCODER = new TextEncoder()

/** A job, and what it is to do. */
export type WholeJob = JobRecord & { readonly data: Json }

/** The same at every client: what a word does is in apply.ts. */
const applier: Applier = {
  apply(view, body) {
    const result = applyJobs(view, readJson(body) as JobsOperation)
    return ENCODER.encode(JSON.stringify(result))
  },
}

export class JobsObject {
  readonly name: string
  private readonly orders: Orders
  private readonly session: ObjectSession

  constructor(orders: Orders, name: string) {
    this.orders = orders
    this.name = name
    this.session = new ObjectSession(orders, name, SESSION_TTL_MS, applier)
  }

  /** Says a word, once, and answers what it came to. */
  async submit(word: JobsOperation, options: WaitOptions = {}): Promise<unknown> {
    const why = whyNotJson(word, 'operation')
    if (why !== undefined) throw new OperationFailed(`${why}, and JSON has no word for that: nothing was applied`)
    return readJson(await this.session.submit(ENCODER.encode(JSON.stringify(word)), options))
  }

  async head(options: WaitOptions = {}): Promise<Head> {
    return readHead((await this.session.read([HEAD], options)).get(HEAD))
  }

  async job(id: string, options: WaitOptions = {}): Promise<WholeJob | undefined> {
    const found = await this.session.read([JOB + id, DATA + id], options)
    return jobOf(id, key => found.get(key))
  }

  /** All jobs, in no order. */
  all(options: WaitOptions = {}): Promise<[id: string, job: WholeJob][]> {
    return this.session.copy(table => {
      const ids = [...table.keys()].filter(key => key.startsWith(JOB)).map(key => key.slice(JOB.length))
      return ids.map(id => [id, jobOf(id, key => table.get(key))!])
    }, options)
  }

  /** The head, and how many jobs wait for a time that is after `now`. */
  counted(now: number, options: WaitOptions = {}): Promise<{ readonly head: Head; readonly delayed: number }> {
    return this.session.copy(table => {
      const head = readHead(table.get(HEAD))
      return { head, delayed: head.delayed === 0 ? 0 : delayedAfter(now, head, table) }
    }, options)
  }

  /** The head now, then after each change. */
  async *heads(signal: AbortSignal): AsyncGenerator<Head, void, undefined> {
    for await (const bytes of this.follow(HEAD, signal)) yield readHead(bytes)
  }

  /** A job now, then after each change; undefined where there is none. */
  async *jobs(id: string, signal: AbortSignal): AsyncGenerator<JobRecord | undefined, void, undefined> {
    for await (const bytes of this.follow(JOB + id, signal)) yield bytes && (readJson(bytes) as JobRecord)
  }

  close(): Promise<void> {
    return this.session.close()
  }

  private async *follow(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array | undefined, void, undefined> {
    const feed = new Feed<Uint8Array | undefined>(signal)
    const early: { readonly version: number; readonly writes: readonly Write[] }[] = []
    let seen = -1
    const advance = (version: number, writes: readonly Write[]) => {
      if (version <= seen) return
      seen = version
      const write = writes.find(each => each.key === key)
      if (write !== undefined) feed.push(write.value)
    }
    const begin = async () => {
      const { version, entries } = await this.orders.read(this.name, [key], false)
      seen = version
      feed.push(entries.find(entry => entry.key === key)?.value)
      for (const { version, writes } of early.splice(0)) advance(version, writes)
    }
    const stop = this.orders.watch(this.name, undefined, {
      watching: () => void begin().catch(error => feed.fail(error)),
      changed: (version, writes) => (seen < 0 ? early.push({ version, writes }) : advance(version, writes)),
      skipped: (version, table: LiveTable) => {
        seen = version
        feed.push(table.get(key))
      },
      failed: error => feed.fail(error),
    })
    try {
      yield* feed.items()
    } finally {
      stop()
    }
  }
}

function jobOf(id: string, get: (key: string) => Uint8Array | undefined): WholeJob | undefined {
  const record = get(JOB + id)
  if (record === undefined) return undefined
  const data = get(DATA + id)
  return { ...(readJson(record) as JobRecord), data: data === undefined ? null : (readJson(data) as Json) }
}

function delayedAfter(now: number, { lines }: Head, table: LiveTable): number {
  const waiting = new Set<string>()
  for (let place = 0; place < lines.timed; place++) {
    const { rank, id } = readSpot(table.get(TIMED + place)!)
    const record = rank > now ? table.get(JOB + id) : undefined
    if (record === undefined) continue
    const { state, due } = readJson(record) as JobRecord
    if (state === 'waiting' && due > now) waiting.add(id)
  }
  return waiting.size
}
