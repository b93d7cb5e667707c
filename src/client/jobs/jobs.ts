// A queue of jobs as its user sees it: put in, done by workers of any process, tried again where they fail.

import {
  called,
  checkValue,
  kindOf,
  type Millis,
  OperationFailed,
  oneWord,
  optionsSchema,
  type Rule,
  required,
  SettingsError,
  textOf,
  toHex,
  whole,
} from '../../core/index.ts'
import { randomBytes } from '../../runtime/platform.ts'
import { whyNotJson } from '../objects/json.ts'
import type { Json } from '../objects/state-table.ts'
import { WaitEnded } from '../recipes/patience.ts'
import { checkWaiting, type WaitOptions, waitRules, within } from '../waiting.ts'
import { isId } from './apply.ts'
import type { JobsObject, WholeJob } from './queue-object.ts'
import {
  ATTEMPTS_MAX,
  BATCH_MAX,
  type Backoff,
  DELAY_MAX_MS,
  ID_BYTES_MAX,
  type JobRecord,
  type JobState,
  LEASE_MAX_MS,
  LEASE_MIN_MS,
  type NewJob,
  PRIORITY_MAX,
  type Rate,
} from './state.ts'
import { type JobHandler, JobWorker, type WorkerOptions } from './worker.ts'

/** How a job is done. */
export interface JobOptions {
  /** Its own name: a second job of a name that the queue still has is not added. Default: a number. */
  readonly id?: string
  /** Not before so many milliseconds have passed. Default 0. */
  readonly delay?: Millis
  /** Smaller goes first; equal ones in the order of coming. Default 0, which is the first. */
  readonly priority?: number
  /** How often it may be tried. Default 3. */
  readonly attempts?: number
  /** How long to wait after a failure. Default: exponential, from one second. */
  readonly backoff?: Backoff
}

/** A job as it stands in the queue. */
export interface JobInfo {
  readonly id: string
  readonly data: Json
  /** `delayed` is one that waits for its time. */
  readonly state: JobState | 'delayed'
  readonly priority: number
  readonly tries: number
  readonly attempts: number
  readonly progress: Json
  /** What its handler returned. */
  readonly result: Json
  /** Why the last try failed. */
  readonly error: string | null
  /** Who has it. */
  readonly worker: string | null
}

/** How many jobs stand where, and how many have gone through. */
export interface JobStats {
  readonly waiting: number
  readonly delayed: number
  readonly active: number
  readonly completed: number
  readonly dead: number
  readonly paused: boolean
  readonly rate: Rate | null
  /** Of all time, also those that are no longer kept. */
  readonly ever: { readonly completed: number; readonly dead: number; readonly retried: number }
}

/** Which jobs to list. */
export interface JobListOptions extends WaitOptions {
  readonly state?: JobInfo['state']
  /** At most so many, the first that came. Default 100. */
  readonly limit?: number
}

const ATTEMPTS_DEFAULT = 3
const BACKOFF_DEFAULT: Backoff = { kind: 'exponential', delay: 1_000 }
const LEASE_DEFAULT_MS = 30_000
const LIST_DEFAULT = 100
/** More hands than this in one process take jobs that others could begin sooner. */
const CONCURRENCY_MAX = 1_000

const idRule: Rule = {
  must: `text of 1 to ${ID_BYTES_MAX} characters`,
  fits: value => typeof value === 'string' && isId(value),
}
const millis = whole(0, DELAY_MAX_MS, 'milliseconds')
const checkBackoff = optionsSchema<Backoff>({
  kind: required(oneWord(['fixed', 'exponential'])),
  delay: required(millis),
})
const checkRate = optionsSchema<Rate>({
  max: required(whole(1)),
  per: required(whole(1, DELAY_MAX_MS, 'milliseconds')),
})
const checkJob = optionsSchema<JobOptions>({
  id: idRule,
  delay: millis,
  priority: whole(0, PRIORITY_MAX),
  attempts: whole(1, ATTEMPTS_MAX),
  backoff: { must: "such as { kind: 'exponential', delay: 1000 }", fits: value => typeof value === 'object' },
})
const checkWorker = optionsSchema<WorkerOptions>({
  concurrency: whole(1, CONCURRENCY_MAX),
  lease: whole(LEASE_MIN_MS, LEASE_MAX_MS, 'milliseconds'),
  name: { ...textOf('a name'), fits: idRule.fits },
})
const checkList = optionsSchema<JobListOptions>({
  state: oneWord(['waiting', 'delayed', 'active', 'completed', 'dead']),
  limit: whole(1),
  ...waitRules,
})

/** A queue of jobs that many processes put in and do: each at least once, with a token that fences. */
export class Jobs<Data extends Json = Json, Result extends Json | undefined = Json> {
  readonly name: string
  private readonly object: JobsObject
  private readonly workers = new Set<JobWorker>()
  private readonly over: () => void

  /** @internal Made by `recipes.jobs`. */
  constructor(name: string, object: JobsObject, over: () => void) {
    this.name = name
    this.object = object
    this.over = over
  }

  /** Puts a job in; answers its id, and whether it is new: a job of an id that the queue still has is not added. */
  async add(data: Data, options: JobOptions & WaitOptions = {}): Promise<{ id: string; added: boolean }> {
    const { timeout, signal, ...own } = notNull('jobs.add', options)
    const [answer] = await this.addAll([{ data, ...own }], waitOf(timeout, signal))
    return answer!
  }

  /** Puts several in, all or none. */
  async addAll(
    jobs: readonly ({ readonly data: Data } & JobOptions)[],
    options: WaitOptions = {},
  ): Promise<readonly { id: string; added: boolean }[]> {
    checkWaiting('jobs.addAll', options)
    const many: Rule = {
      must: `a list of 1 to ${BATCH_MAX} jobs`,
      fits: value => Array.isArray(value) && value.length >= 1 && value.length <= BATCH_MAX,
    }
    checkValue('jobs', many, jobs)
    const made = jobs.map((job, place) => newJob(job, jobs.length === 1 ? 'data' : `jobs[${place}].data`))
    const answers = await this.object.submit({ kind: 'add', now: Date.now(), jobs: made }, options)
    return answers as { id: string; added: boolean }[]
  }

  /** Does jobs in this process, until the worker or the group is closed. */
  work(handler: JobHandler<Data, Result>, options: WorkerOptions = {}): JobWorker {
    checkValue('handler', called('that does a job'), handler)
    checkWorker('jobs.work', options)
    const { concurrency = 1, lease = LEASE_DEFAULT_MS, name = newWorkerName() } = options
    const worker = new JobWorker(this.object, handler as JobHandler<never, unknown>, { concurrency, lease, name })
    this.workers.add(worker)
    const forget = () => this.workers.delete(worker)
    worker.ended.then(forget, forget)
    return worker
  }

  /** A job as it stands now; undefined where the queue has none of that id. */
  async get(id: string, options: WaitOptions = {}): Promise<JobInfo | undefined> {
    checkValue('id', idRule, id)
    checkWaiting('jobs.get', options)
    const job = await this.object.job(id, options)
    return job && describe(id, job, Date.now())
  }

  /** Jobs in the order of coming. */
  async list(options: JobListOptions = {}): Promise<readonly JobInfo[]> {
    checkList('jobs.list', options)
    const { state: wanted, limit = LIST_DEFAULT, ...waiting } = options
    const all = await this.object.all(waiting)
    const now = Date.now()
    return all
      .sort(([, one], [, other]) => one.seq - other.seq)
      .map(([id, job]) => describe(id, job, now))
      .filter(job => wanted === undefined || job.state === wanted)
      .slice(0, limit)
  }

  /** How many jobs stand where. */
  async stats(options: WaitOptions = {}): Promise<JobStats> {
    checkWaiting('jobs.stats', options)
    const { head, delayed } = await this.object.counted(Date.now(), options)
    const { counts, paused, rate, ever } = head
    return { ...counts, waiting: counts.waiting - delayed, delayed, paused, rate, ever }
  }

  /** Waits until a job is done, and answers what its handler returned. Rejects with `OperationFailed` where it is dead. */
  async result(id: string, options: WaitOptions = {}): Promise<Result> {
    checkValue('id', idRule, id)
    checkWaiting('jobs.result', options)
    const stop = new AbortController()
    const waiting = this.finished(id, stop.signal)
    const failure = (why: 'timeout' | 'cancelled', cause?: unknown) => new WaitEnded(`job '${id}'`, why, cause)
    try {
      if (options.timeout === 0) return finishedResult(id, await this.object.job(id, options), failure('timeout'))
      return await within(waiting, options, failure)
    } finally {
      stop.abort()
      waiting.catch(() => {})
    }
  }

  /** No job begins until `resume`; those that run go on. */
  async pause(): Promise<void> {
    await this.object.submit({ kind: 'pause', paused: true })
  }

  async resume(): Promise<void> {
    await this.object.submit({ kind: 'pause', paused: false })
  }

  /** At most `max` jobs begin within `per` milliseconds, over all workers; null lifts the limit. It stays until changed. */
  async limit(rate: Rate | null): Promise<void> {
    if (rate !== null) checkRate('jobs.limit', rate)
    await this.object.submit({ kind: 'limit', rate })
  }

  /** Takes a job out, wherever it stands; one that runs is lost to its worker. False where there is none. */
  async remove(id: string): Promise<boolean> {
    checkValue('id', idRule, id)
    return (await this.object.submit({ kind: 'remove', id })) as boolean
  }

  /** Begins a dead letter anew, or a job that waits at once. False where there is none, or it runs. */
  async retry(id: string): Promise<boolean> {
    checkValue('id', idRule, id)
    return (await this.object.submit({ kind: 'retry', now: Date.now(), id })) as boolean
  }

  /** Forgets all jobs that are completed, or all dead letters; answers how many. */
  async clean(state: 'completed' | 'dead'): Promise<number> {
    checkValue('state', oneWord(['completed', 'dead']), state)
    return (await this.object.submit({ kind: 'clean', state })) as number
  }

  /** Closes the workers of this process, without waiting for what they do, and the session. Called by `group.close`. */
  async close(): Promise<void> {
    await Promise.all([...this.workers].map(worker => worker.close({ timeout: 0 })))
    this.over()
    await this.object.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private async finished(id: string, signal: AbortSignal): Promise<Result> {
    for await (const job of this.object.jobs(id, signal)) {
      if (job?.state !== 'waiting' && job?.state !== 'active') return finishedResult(id, job)
    }
    throw new WaitEnded(`job '${id}'`, 'cancelled')
  }
}

function finishedResult<Result>(id: string, job: JobRecord | undefined, unfinished?: Error): Result {
  if (job?.state === 'completed') return job.result as Result
  if (job?.state === 'dead') throw new OperationFailed(`job '${id}' is dead: ${job.error}`)
  if (job === undefined) throw new SettingsError(`there is no job '${id}', or it is no longer kept.`)
  throw unfinished ?? new WaitEnded(`job '${id}'`, 'timeout')
}

function newJob({ data, ...options }: { readonly data: unknown } & JobOptions, what: string): NewJob {
  checkJob('a job', options)
  const why = whyNotJson(data, what)
  if (why !== undefined) throw new SettingsError(`${why}, and JSON has no word for that.`)
  const { id = null, delay = 0, priority = 0, attempts = ATTEMPTS_DEFAULT, backoff = BACKOFF_DEFAULT } = options
  checkBackoff('backoff', backoff)
  return { id, data: data as Json, delay, priority, attempts, backoff }
}

function describe(id: string, job: WholeJob, now: number): JobInfo {
  const { data, priority, tries, attempts, progress, result, error, worker } = job
  const state = job.state === 'waiting' && job.due > now ? 'delayed' : job.state
  return { id, data, state, priority, tries, attempts, progress, result, error, worker }
}

function notNull<T>(call: string, options: T): T {
  if (typeof options === 'object' && options !== null) return options
  throw new SettingsError(`${call} takes its options as an object, not ${kindOf(options)}.`)
}

function waitOf(timeout: Millis | undefined, signal: AbortSignal | undefined): WaitOptions {
  return { ...(timeout !== undefined && { timeout }), ...(signal !== undefined && { signal }) }
}

/** Nobody else draws the same. */
const newWorkerName = () => toHex(randomBytes(16))
