// The pure machine of a queue of jobs: what each word does to the state. It runs at whichever client has the turn, so it
// looks at no clock and draws nothing: time comes with the word.
//
// What it keeps, whatever order the words come in and whatever the clocks say:
// - A job is in one place at a time, and leaves only by being completed, dead, removed, or cleaned away.
// - Tokens grow with every take. Only the token of the last take may complete, fail, renew or give back its job: a worker
//   that fell silent and wakes up is told that the job is no longer its own.
// - A job is begun at most `attempts` times, given back ones not counted; then it is a dead letter.
//
// What a word costs does not grow with the number of jobs but with its logarithm: see draft.ts.

import {
  kindOf,
  oneWord,
  optionsSchema,
  type Rule,
  type Rules,
  required,
  type Schema,
  whole,
} from '../../core/index.ts'
import type { Json } from '../objects/state-table.ts'
import { Draft } from './draft.ts'
import type { JobTable } from './line.ts'
import {
  ATTEMPTS_MAX,
  BATCH_MAX,
  backoffDelay,
  COMPLETED_MAX,
  DEAD_MAX,
  DELAY_MAX_MS,
  ERROR_LENGTH_MAX,
  type Head,
  type Held,
  ID_BYTES_MAX,
  isRunning,
  JOBS_MAX,
  type JobRecord,
  type JobState,
  type JobsOperation,
  LEASE_MAX_MS,
  LEASE_MIN_MS,
  type NewJob,
  PRIORITY_MAX,
  type Rate,
  rateWait,
  type TakenJob,
} from './state.ts'

type Word<Kind extends JobsOperation['kind']> = JobsOperation & { kind: Kind }

/** Jobs whose time has come that one take brings into the line by priority: the rest follow with the next. */
const MOVED_MAX = 1_000

/** Does what a word says, and answers what its speaker is told. Throws where the word is none, or cannot be done. */
export function applyJobs(table: JobTable, operation: JobsOperation): Json {
  checkOperation(operation)
  const draft = new Draft(table, 'now' in operation ? operation.now : 0)
  const result = perform(draft, operation)
  draft.finish()
  return result
}

function perform(draft: Draft, word: JobsOperation): Json {
  switch (word.kind) {
    case 'add':
      return add(draft, word)
    case 'take':
      return take(draft, word)
    case 'renew':
      return renew(draft, word)
    case 'progress':
      return progress(draft, word)
    case 'complete':
      return complete(draft, word)
    case 'fail':
      return fail(draft, word)
    case 'release':
      return change(draft, word, job => waiting({ ...job, tries: job.tries - 1 }, word.now))
    case 'pause':
      draft.head = { ...draft.head, paused: word.paused }
      return true
    case 'limit':
      draft.head = { ...draft.head, rate: word.rate, window: { start: 0, used: 0 } }
      return true
    case 'remove':
      return remove(draft, word.id)
    case 'retry':
      return retry(draft, word)
    case 'clean':
      return draft.clean(word.state, 0)
  }
}

function add(draft: Draft, { now, jobs }: Word<'add'>): Json {
  return jobs.map(({ id: given, data, priority, delay, attempts, backoff }) => {
    const seq = draft.head.seq + 1
    const id = given ?? freeNumber(draft, seq)
    if (draft.job(id) !== undefined) return { id, added: false }
    if (pending(draft.head) >= JOBS_MAX) throw new Error(`the queue is full: ${JOBS_MAX} jobs wait or run`)
    draft.head = { ...draft.head, seq }
    const fresh = {
      state: 'waiting',
      tries: 0,
      token: 0,
      worker: null,
      progress: null,
      result: null,
      error: null,
    } as const
    draft.add(id, { seq, priority, attempts, backoff, due: now + delay, ...fresh }, data)
    return { id, added: true }
  })
}

/** Somebody may have named a job by a number. */
function freeNumber(draft: Draft, from: number): string {
  let number = from
  while (draft.job(String(number)) !== undefined) number++
  return String(number)
}

function take(draft: Draft, { now, worker, lease, count: most }: Word<'take'>): Json {
  if (draft.head.paused) return []
  moveDue(draft, now)
  const taken: TakenJob[] = []
  while (taken.length < most && rateWait(draft.head, now) === 0) {
    const id = draft.next('ready')
    if (id === undefined) break
    const job = { ...draft.job(id)!, spot: null }
    if (job.due > now) {
      // By a clock that is ahead of this one its time had come.
      draft.put(id, job)
      continue
    }
    const token = draft.head.token + 1
    draft.head = { ...draft.head, token, window: nextWindow(draft.head, now) }
    const attempt = job.tries + 1
    draft.put(id, { ...job, state: 'active', tries: attempt, due: now + lease, token, worker, progress: null })
    taken.push({ id, token, data: draft.data(id), attempt })
  }
  return taken as unknown as Json
}

/** Delays that are over, and leases that were not renewed. */
function moveDue(draft: Draft, now: number): void {
  for (let moved = 0; moved < MOVED_MAX; moved++) {
    const id = draft.next('timed', now)
    if (id === undefined) return
    const job = { ...draft.job(id)!, spot: null }
    // Whoever had it did not renew: it is tried again, or was tried often enough.
    if (job.state === 'active') failed(draft, id, job, `its worker ${job.worker} fell silent`, now)
    else draft.put(id, job)
  }
}

function nextWindow({ rate, window }: Head, now: number): Head['window'] {
  if (rate === null) return window
  return isRunning(rate, window.start, now) ? { ...window, used: window.used + 1 } : { start: now, used: 1 }
}

function renew(draft: Draft, { now, lease, held }: Word<'renew'>): Json {
  const lost = held.filter(one => !change(draft, one, job => ({ ...job, due: now + lease })))
  return lost.map(({ id }) => id)
}

function progress(draft: Draft, { id, token, progress }: Word<'progress'>): Json {
  const job = draft.job(id)
  if (!isHeld(job, token)) return false
  draft.note(id, { ...job, progress })
  return true
}

function complete(draft: Draft, word: Word<'complete'>): Json {
  const { id, token, now, result } = word
  const job = draft.job(id)
  // Said again by one who did not hear the answer.
  if (job?.state === 'completed' && job.token === token) return true
  if (!isHeld(job, token)) return false
  draft.put(id, { ...job, state: 'completed', due: now, worker: null, result, error: null })
  tally(draft, 'completed')
  draft.clean('completed', COMPLETED_MAX)
  return true
}

function fail(draft: Draft, { id, token, now, error, final }: Word<'fail'>): Json {
  const job = draft.job(id)
  if (job !== undefined && job.token === token && job.state !== 'active') return job.state
  if (!isHeld(job, token)) return null
  return final ? bury(draft, id, job, error, now) : failed(draft, id, job, error, now)
}

function failed(draft: Draft, id: string, job: JobRecord, error: string, now: number): JobState {
  if (job.tries >= job.attempts) return bury(draft, id, job, error, now)
  draft.put(id, { ...waiting(job, now + backoffDelay(job.backoff, job.tries)), error })
  tally(draft, 'retried')
  return 'waiting'
}

function bury(draft: Draft, id: string, job: JobRecord, error: string, now: number): JobState {
  draft.put(id, { ...job, state: 'dead', due: now, worker: null, error })
  tally(draft, 'dead')
  draft.clean('dead', DEAD_MAX)
  return 'dead'
}

/** An operator's wish: a dead letter, or a completed job, begins anew. */
function retry(draft: Draft, { id, now }: Word<'retry'>): Json {
  const job = draft.job(id)
  if (job === undefined || job.state === 'active') return false
  if (job.state !== 'waiting' && pending(draft.head) >= JOBS_MAX) return false
  draft.put(id, { ...waiting(job, now), tries: job.state === 'waiting' ? job.tries : 0, result: null })
  return true
}

function remove(draft: Draft, id: string): boolean {
  if (draft.job(id) === undefined) return false
  draft.remove(id)
  return true
}

const waiting = (job: JobRecord, due: number): JobRecord => ({ ...job, state: 'waiting', worker: null, due })

const isHeld = (job: JobRecord | undefined, token: number): job is JobRecord =>
  job?.state === 'active' && job.token === token

/** Only by the one that has it. */
function change(draft: Draft, { id, token }: Held, next: (job: JobRecord) => JobRecord): boolean {
  const job = draft.job(id)
  if (!isHeld(job, token)) return false
  draft.put(id, next(job))
  return true
}

function tally(draft: Draft, what: keyof Head['ever']): void {
  const { ever } = draft.head
  draft.head = { ...draft.head, ever: { ...ever, [what]: ever[what] + 1 } }
}

const pending = ({ counts }: Head) => counts.waiting + counts.active

// Words come from other clients, of other versions perhaps: what is none must not reach the state.

const now = required(whole(0))
const token = required(whole(1))
const lease = required(whole(LEASE_MIN_MS, LEASE_MAX_MS, 'milliseconds'))
const bool: Rule = { must: 'true or false', required: true, fits: value => typeof value === 'boolean' }
const text = (most: number): Rule => ({
  must: `text of at most ${most} characters`,
  required: true,
  fits: value => typeof value === 'string' && value.length <= most,
})
const id: Rule = { ...text(ID_BYTES_MAX), fits: value => typeof value === 'string' && isId(value) }
const json: Rule = { must: 'JSON', required: true, fits: value => value !== undefined }

export function isId(value: string): boolean {
  return value !== '' && value.length <= ID_BYTES_MAX && value.isWellFormed()
}

const fits = <T>(schema: Schema<T>, value: unknown): boolean => {
  try {
    schema('a job', value as T)
    return true
  } catch {
    return false
  }
}
const many = <T>(schema: Schema<T>, what: string): Rule => ({
  must: `a list of 1 to ${BATCH_MAX} ${what}`,
  required: true,
  fits: value =>
    Array.isArray(value) && value.length >= 1 && value.length <= BATCH_MAX && value.every(one => fits(schema, one)),
})

const backoffSchema = optionsSchema<NewJob['backoff']>({
  kind: required(oneWord(['fixed', 'exponential'])),
  delay: required(whole(0, DELAY_MAX_MS)),
})
const rateSchema = optionsSchema<Rate>({ max: required(whole(1)), per: required(whole(1, DELAY_MAX_MS)) })
const heldSchema = optionsSchema<Held>({ id, token })
const newJobSchema = optionsSchema<NewJob>({
  id: { ...id, fits: value => value === null || id.fits(value) },
  data: json,
  priority: required(whole(0, PRIORITY_MAX)),
  delay: required(whole(0, DELAY_MAX_MS)),
  attempts: required(whole(1, ATTEMPTS_MAX)),
  backoff: { must: 'a backoff', required: true, fits: value => fits(backoffSchema, value) },
})

type WordRules = { readonly [Kind in JobsOperation['kind']]: Rules<Omit<Word<Kind>, 'kind'>> }
const words: WordRules = {
  add: { now, jobs: many(newJobSchema, 'jobs') },
  take: { now, worker: text(ID_BYTES_MAX), lease, count: required(whole(1, BATCH_MAX)) },
  renew: { now, lease, held: many(heldSchema, 'held jobs') },
  progress: { id, token, progress: json },
  complete: { now, id, token, result: json },
  fail: { now, id, token, error: text(ERROR_LENGTH_MAX), final: bool },
  release: { now, id, token },
  pause: { paused: bool },
  limit: {
    rate: { must: 'a rate, or null', required: true, fits: value => value === null || fits(rateSchema, value) },
  },
  remove: { id },
  retry: { now, id },
  clean: { state: required(oneWord(['completed', 'dead'])) },
}
const anyKind: Rule = { must: 'a kind', fits: () => true }
const schemas = new Map<unknown, Schema<unknown>>(
  Object.entries(words).map(([kind, rules]) => [
    kind,
    optionsSchema<unknown>({ kind: anyKind, ...rules } as Rules<unknown>),
  ]),
)

function checkOperation(operation: unknown): void {
  const kind = typeof operation === 'object' && operation !== null ? (operation as { kind?: unknown }).kind : undefined
  const schema = schemas.get(kind)
  if (schema === undefined) throw new TypeError(`a queue of jobs has no word like this: ${kindOf(operation)}`)
  schema(`the word '${kind}'`, operation)
}
