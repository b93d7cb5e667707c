// The machine of a queue of jobs, by itself: any words in any order, with clocks that jump, against what must hold.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyJobs } from './apply.ts'
import { HEAD, JOB, readHead, readJson } from './draft.ts'
import type { JobTable } from './line.ts'
import {
  backoffDelay,
  COMPLETED_MAX,
  DELAY_MAX_MS,
  type Head,
  JOBS_MAX,
  type JobRecord,
  type JobsOperation,
  type NewJob,
  readyIn,
  type TakenJob,
} from './state.ts'

const LEASE = 1_000
const job = (more: Partial<NewJob> = {}): NewJob => ({
  id: null,
  data: null,
  priority: 0,
  delay: 0,
  attempts: 3,
  backoff: { kind: 'exponential', delay: 100 },
  ...more,
})

/** A table that counts what is read and written. */
class CountedTable implements JobTable {
  readonly entries = new Map<string, Uint8Array>()
  reads = 0
  writes = 0
  get(key: string): Uint8Array | undefined {
    this.reads++
    return this.entries.get(key)
  }
  set(key: string, value: Uint8Array): void {
    this.writes++
    this.entries.set(key, value)
  }
  remove(key: string): void {
    this.writes++
    this.entries.delete(key)
  }
}

/** A queue that a test speaks to. */
class Bench {
  table = new CountedTable()
  now = 10_000
  get head(): Head {
    return readHead(this.table.entries.get(HEAD))
  }
  get jobs(): Map<string, JobRecord> {
    const found = [...this.table.entries].filter(([key]) => key.startsWith(JOB))
    return new Map(found.map(([key, bytes]) => [key.slice(JOB.length), readJson(bytes) as JobRecord]))
  }
  say(word: JobsOperation): unknown {
    return applyJobs(this.table, word)
  }
  add(...jobs: Partial<NewJob>[]): string[] {
    const answers = this.say({ kind: 'add', now: this.now, jobs: jobs.map(job) })
    return (answers as { id: string }[]).map(({ id }) => id)
  }
  take(count = 1, worker = 'w'): TakenJob[] {
    return this.say({ kind: 'take', now: this.now, worker, lease: LEASE, count }) as TakenJob[]
  }
  fail({ id, token }: TakenJob, final = false): unknown {
    return this.say({ kind: 'fail', now: this.now, id, token, error: 'no', final })
  }
  complete({ id, token }: TakenJob, result: number | null = null): unknown {
    return this.say({ kind: 'complete', now: this.now, id, token, result })
  }
  of(id: string): JobRecord | undefined {
    return this.jobs.get(id)
  }
}

describe('a queue of jobs', () => {
  it('gives each job to one worker: by priority, then in the order of coming', () => {
    const bench = new Bench()
    bench.add({ id: 'late', priority: 2 }, { id: 'first' }, { id: 'second' }, { id: 'urgent', priority: 0 })
    expect(bench.take(10).map(({ id }) => id)).toEqual(['first', 'second', 'urgent', 'late'])
    expect(bench.take(10)).toEqual([])
  })
  it('does not add a job of a name that it has', () => {
    const bench = new Bench()
    const add = () => bench.say({ kind: 'add', now: 0, jobs: [job({ id: 'report' })] })
    expect([add(), add()]).toEqual([[{ id: 'report', added: true }], [{ id: 'report', added: false }]])
    expect(bench.add({ id: '2' }, {}, {})).toEqual(['2', '3', '4'])
  })
  it('holds a delayed job back until its time, and not a moment longer', () => {
    const bench = new Bench()
    bench.add({ delay: 500 })
    expect(readyIn(bench.head, bench.now)).toBe(500)
    bench.now += 499
    expect(bench.take()).toEqual([])
    bench.now += 1
    expect(bench.take()).toHaveLength(1)
  })
  it('tries again with backoff, then keeps a dead letter, which an operator can begin anew', () => {
    const bench = new Bench()
    const [id] = bench.add({ attempts: 3 })
    for (const wait of [100, 200]) {
      expect(bench.fail(bench.take()[0]!)).toBe('waiting')
      expect(readyIn(bench.head, bench.now)).toBe(wait)
      bench.now += wait
    }
    expect(bench.fail(bench.take()[0]!)).toBe('dead')
    expect(bench.of(id!)).toMatchObject({ state: 'dead', tries: 3, error: 'no' })
    expect(bench.head.ever).toEqual({ completed: 0, dead: 1, retried: 2 })
    expect(bench.say({ kind: 'retry', now: bench.now, id: id! })).toBe(true)
    expect(bench.take()[0]).toMatchObject({ id, attempt: 1 })
  })
  it('a failure that is final is not tried again', () => {
    const bench = new Bench()
    const [id] = bench.add({ attempts: 3 })
    expect(bench.fail(bench.take()[0]!, true)).toBe('dead')
    expect(bench.of(id!)).toMatchObject({ attempts: 3, tries: 1 })
  })
  it('fences: who fell silent finds its job in other hands, with a larger token', () => {
    const bench = new Bench()
    bench.add({ backoff: { kind: 'fixed', delay: 0 } })
    const [old] = bench.take()
    bench.now += LEASE - 1
    expect(bench.take(1, 'other')).toEqual([])
    bench.now += 1
    const [fresh] = bench.take(1, 'other')
    expect(fresh!.id).toBe(old!.id)
    expect(fresh!.token).toBeGreaterThan(old!.token)
    expect(bench.complete(old!)).toBe(false)
    expect(
      bench.say({
        kind: 'renew',
        now: bench.now,
        lease: LEASE,
        held: [old!, fresh!].map(({ id, token }) => ({ id, token })),
      }),
    ).toEqual([old!.id])
    expect(bench.complete(fresh!)).toBe(true)
    expect(bench.complete(fresh!)).toBe(true)
    expect(bench.complete(old!)).toBe(false)
  })
  it('renewing keeps a job, and giving it back does not count as a try', () => {
    const bench = new Bench()
    const [id] = bench.add({ attempts: 1 })
    const [held] = bench.take()
    bench.now += LEASE - 1
    expect(bench.say({ kind: 'renew', now: bench.now, lease: LEASE, held: [{ id: id!, token: held!.token }] })).toEqual(
      [],
    )
    bench.now += LEASE - 1
    expect(bench.take()).toEqual([])
    expect(bench.say({ kind: 'release', now: bench.now, ...{ id: id!, token: held!.token } })).toBe(true)
    expect(bench.take()).toHaveLength(1)
    expect(bench.of(id!)!.tries).toBe(1)
  })
  it('keeps to its rate, over all workers', () => {
    const bench = new Bench()
    bench.say({ kind: 'limit', rate: { max: 2, per: 1_000 } })
    bench.add({}, {}, {}, {})
    expect(bench.take(3)).toHaveLength(2)
    expect(bench.take(1, 'other')).toHaveLength(0)
    expect(readyIn(bench.head, bench.now)).toBe(1_000)
    bench.now += 1_000
    expect(bench.take(3)).toHaveLength(2)
  })
  it('is not held up by the window of a clock that was a day ahead', () => {
    const bench = new Bench()
    bench.say({ kind: 'limit', rate: { max: 1, per: 1_000 } })
    bench.add({}, {})
    bench.now += 86_400_000
    expect(bench.take()).toHaveLength(1)
    bench.now -= 86_400_000
    expect(bench.take()).toHaveLength(1)
  })
  it('begins nothing while it is paused', () => {
    const bench = new Bench()
    bench.add({})
    bench.say({ kind: 'pause', paused: true })
    expect([bench.take(), readyIn(bench.head, bench.now)]).toEqual([[], undefined])
    bench.say({ kind: 'pause', paused: false })
    expect(bench.take()).toHaveLength(1)
  })
  it('is bounded: jobs that wait, and completed ones that are kept', () => {
    const bench = new Bench()
    const many = (count: number) => Array.from({ length: count }, () => ({}))
    for (let added = 0; added < JOBS_MAX; added += 1_000) bench.add(...many(1_000))
    expect(() => bench.add({})).toThrow('the queue is full')
    bench.table = new CountedTable()
    bench.add(...many(1_000))
    bench.add(...many(200))
    for (const taken of [...bench.take(600), ...bench.take(600)]) bench.complete(taken)
    const kept = [...bench.jobs].filter(([, { state }]) => state === 'completed')
    expect(kept.length).toBeLessThanOrEqual(COMPLETED_MAX)
    expect(kept.length).toBeGreaterThan(COMPLETED_MAX / 2)
    expect(bench.head.ever.completed).toBe(1_200)
    expect(bench.say({ kind: 'clean', state: 'completed' })).toBe(kept.length)
  })
  it('waits longer and longer, up to a year', () => {
    const waits = [1, 2, 3, 4].map(tries => backoffDelay({ kind: 'exponential', delay: 10 }, tries))
    expect(waits).toEqual([10, 20, 40, 80])
    expect(backoffDelay({ kind: 'exponential', delay: 1_000 }, 1_000)).toBe(DELAY_MAX_MS)
    expect(backoffDelay({ kind: 'fixed', delay: 10 }, 9)).toBe(10)
  })
  it.each<unknown>([
    null,
    'add',
    { kind: 'addd' },
    { kind: 'constructor' },
    { kind: 'add', now: 0, jobs: [] },
    { kind: 'add', now: 0, jobs: [{ ...job(), priority: -1 }] },
    { kind: 'add', now: 0, jobs: [{ ...job(), id: '' }] },
    { kind: 'add', now: 0, jobs: [{ ...job(), extra: 1 }] },
    { kind: 'take', now: 0, worker: 'w', lease: 1, count: 1 },
    { kind: 'take', now: -1, worker: 'w', lease: LEASE, count: 1 },
    { kind: 'limit', rate: { max: 0, per: 1 } },
    { kind: 'complete', now: 0, id: 'a', token: 0, result: null },
    { kind: 'clean', state: 'waiting' },
  ])('refuses the word %j', word => {
    expect(() => applyJobs(new CountedTable(), word as JobsOperation)).toThrow()
  })
})

type Act =
  | { readonly do: 'add'; readonly attempts: number; readonly priority: number; readonly delay: number }
  | { readonly do: 'take'; readonly worker: string; readonly count: number }
  | { readonly do: 'complete' | 'fail' | 'release' | 'renew' | 'progress'; readonly pick: number }
  | { readonly do: 'pause' | 'resume' }
  | { readonly do: 'remove' | 'retry'; readonly pick: number }
  | { readonly do: 'pass'; readonly time: number }

const acts = fc.array(
  fc.oneof<fc.Arbitrary<Act>[]>(
    fc.record({
      do: fc.constant('add' as const),
      attempts: fc.integer({ min: 1, max: 3 }),
      priority: fc.integer({ min: 0, max: 2 }),
      delay: fc.constantFrom(0, 300, 3_000),
    }),
    fc.record({
      do: fc.constant('take' as const),
      worker: fc.constantFrom('a', 'b'),
      count: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({
      do: fc.constantFrom(
        'complete' as const,
        'fail' as const,
        'release' as const,
        'renew' as const,
        'progress' as const,
      ),
      pick: fc.nat(20),
    }),
    fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const) }),
    fc.record({ do: fc.constantFrom('remove' as const, 'retry' as const), pick: fc.nat(20) }),
    // Also backwards: clocks are those of many machines.
    fc.record({ do: fc.constant('pass' as const), time: fc.integer({ min: -400, max: 1_500 }) }),
  ),
  { maxLength: 60 },
)

/** Plays the acts, and looks after each. Every take that was ever answered is remembered, as silent workers do. */
function play(list: readonly Act[]): void {
  const bench = new Bench()
  const takes: TakenJob[] = []
  const added = new Set<string>()
  const gone = new Set<string>()
  let largest = 0
  for (const act of list) {
    const held = takes.length === 0 || !('pick' in act) ? undefined : takes[act.pick % takes.length]
    if (act.do === 'add') {
      const { do: _do, ...more } = act
      for (const id of bench.add(more)) added.add(id)
    } else if (act.do === 'take') {
      for (const taken of bench.take(act.count, act.worker)) {
        expect(taken.token).toBeGreaterThan(largest)
        largest = taken.token
        takes.push(taken)
      }
    } else if (act.do === 'pass') bench.now = Math.max(0, bench.now + act.time)
    else if (act.do === 'pause' || act.do === 'resume') bench.say({ kind: 'pause', paused: act.do === 'pause' })
    else if (held !== undefined) actOn(bench, act.do, held, gone)
    checkAll(bench, takes, added, gone)
  }
}

function actOn(bench: Bench, what: string, held: TakenJob, gone: Set<string>): void {
  const { id, token } = held
  const before = bench.of(id)
  const isCurrent = before?.state === 'active' && before.token === token
  const { now } = bench
  if (what === 'complete') {
    const done = bench.complete(held)
    expect(done).toBe(isCurrent || (before?.state === 'completed' && before.token === token))
  } else if (what === 'fail') {
    const answer = bench.fail(held)
    if (isCurrent) expect(answer).toBe(before.tries < before.attempts ? 'waiting' : 'dead')
    else expect(bench.of(id)).toEqual(before)
  } else if (what === 'release') expect(bench.say({ kind: 'release', now, id, token })).toBe(isCurrent)
  else if (what === 'renew')
    expect(bench.say({ kind: 'renew', now, lease: LEASE, held: [{ id, token }] })).toEqual(isCurrent ? [] : [id])
  else if (what === 'progress') expect(bench.say({ kind: 'progress', id, token, progress: 1 })).toBe(isCurrent)
  else if (what === 'retry') bench.say({ kind: 'retry', now, id })
  else if (what === 'remove' && bench.say({ kind: 'remove', id })) gone.add(id)
}

function checkAll(
  bench: Bench,
  takes: readonly TakenJob[],
  added: ReadonlySet<string>,
  gone: ReadonlySet<string>,
): void {
  const here = bench.jobs
  for (const state of ['waiting', 'active', 'completed', 'dead'] as const) {
    const found = [...here.values()].filter(record => record.state === state)
    expect(bench.head.counts[state]).toBe(found.length)
  }
  // Nothing is lost, and nothing appears.
  for (const id of added) expect(here.has(id) || gone.has(id)).toBe(true)
  for (const id of here.keys()) expect(added.has(id)).toBe(true)
  for (const [id, record] of here) {
    expect(record.tries).toBeLessThanOrEqual(record.attempts)
    expect(record.tries).toBeGreaterThanOrEqual(0)
    expect(record.worker === null).toBe(record.state !== 'active')
    if (record.state !== 'active') continue
    // The one that has it is the last that was given it.
    const last = takes.filter(one => one.id === id).at(-1)
    expect(record.token).toBe(last?.token)
  }
  checkLines(bench)
  // What readyIn promises, a take keeps.
  const soon = readyIn(bench.head, bench.now)
  if (soon === undefined) return
  const later = new CountedTable()
  for (const [key, value] of bench.table.entries) later.entries.set(key, value)
  applyJobs(later, { kind: 'take', now: bench.now + soon, worker: 'x', lease: LEASE, count: 1 })
  expect(later.writes).toBeGreaterThan(0)
}

/** What a dumb twin that looks at all jobs would say of the head. */
function checkLines(bench: Bench): void {
  const all = [...bench.jobs.values()]
  const timed = all.filter(({ state, spot }) => state === 'active' || (state === 'waiting' && spot?.line === 'timed'))
  const soonest = Math.min(...timed.map(({ due }) => due))
  expect(bench.head.next).toBe(timed.length === 0 ? null : soonest)
  expect(bench.head.delayed).toBe(timed.filter(({ state }) => state === 'waiting').length)
  expect(bench.head.lines.ready > 0).toBe(all.some(({ spot }) => spot?.line === 'ready'))
  // Jobs in line, and as many void entries again; nothing else is left of jobs that are gone.
  expect(bench.table.entries.size).toBeLessThanOrEqual(1 + 6 * all.length + 2 * 64)
}

describe('whatever is said in whatever order', () => {
  it('no job is lost, none is in two hands, tokens grow, and tries are bounded', () => {
    fc.assert(fc.property(acts, play), { numRuns: 400 })
  })
})

/** The order in which a dumb twin gives them out: all that wait and are due, by priority, then as they came. */
function twinOrder(jobs: ReadonlyMap<string, JobRecord>, now: number): string[] {
  const due = [...jobs].filter(([, job]) => job.state === 'waiting' && job.due <= now)
  return due.sort(([, a], [, b]) => a.priority - b.priority || a.seq - b.seq).map(([id]) => id)
}

describe('a long queue', () => {
  const priorities = fc.array(fc.record({ priority: fc.nat(5), delay: fc.constantFrom(0, 0, 0, 400) }), {
    maxLength: 120,
  })

  it('gives its jobs in the order of a twin that sorts all of them', () => {
    const run = (list: readonly { priority: number; delay: number }[], gone: readonly number[]) => {
      const bench = new Bench()
      const ids = list.length === 0 ? [] : bench.add(...list)
      for (const place of gone) if (place < ids.length) bench.say({ kind: 'remove', id: ids[place]! })
      for (const later of [0, 400]) {
        bench.now += later
        const expected = twinOrder(bench.jobs, bench.now)
        expect(bench.take(200).map(({ id }) => id)).toEqual(expected)
      }
    }
    // Not made smaller where it fails: of long lists that takes minutes.
    fc.assert(fc.property(priorities, fc.array(fc.nat(120)), run), { numRuns: 100, endOnFailure: true })
  })

  it('of ten thousand jobs looks at a few dozen entries a word, and changes about ten', () => {
    const bench = new Bench()
    for (let added = 0; added < JOBS_MAX; added += 1_000) bench.add(...Array.from({ length: 1_000 }, () => ({})))
    const { table } = bench
    table.reads = 0
    table.writes = 0
    const DONE = 200
    for (let done = 0; done < DONE; done++) bench.complete(bench.take()[0]!)
    // Two words a job: five levels of eight, twice, and its own entries.
    expect(table.reads / DONE).toBeLessThan(150)
    expect(table.writes / DONE).toBeLessThan(25)
  })

  it('leaves nothing behind: after many came and went, no more entries than those that are kept', () => {
    const bench = new Bench()
    for (let round = 0; round < 300; round++) {
      bench.add({ delay: 50 }, { priority: 1 }, {})
      const [first] = bench.take()
      const waiting = [...bench.jobs].filter(([, { state }]) => state === 'waiting').map(([id]) => id)
      bench.say({ kind: 'remove', id: waiting[0]! })
      bench.fail(first!, true)
      bench.say({ kind: 'retry', now: bench.now, id: first!.id })
      bench.say({ kind: 'remove', id: first!.id })
      bench.say({ kind: 'remove', id: waiting[1]! })
    }
    expect(bench.jobs.size).toBe(0)
    expect(bench.table.entries.size).toBeLessThanOrEqual(1 + 2 * 65)
  })

  it('leaves nothing behind the first either, which waits and hides what is void', () => {
    const bench = new Bench()
    bench.add({ id: 'first' }, { id: 'soonest', delay: 50 })
    for (let round = 0; round < 400; round++) {
      for (const id of bench.add({ priority: 1 }, { delay: 100 })) bench.say({ kind: 'remove', id })
    }
    const { ready, timed } = bench.head.lines
    // One that lives in each, and as many void entries as are not worth looking for.
    expect(Math.max(ready, timed)).toBeLessThanOrEqual(2 * 1 + 64)
    expect(bench.take(2).map(({ id }) => id)).toEqual(['first'])
  })

  it('is not begun early because a clock ahead brought it into line', () => {
    const bench = new Bench()
    bench.add({ delay: 500 }, { id: 'other', delay: 500 })
    bench.now += 600
    expect(bench.take(1)).toHaveLength(1)
    bench.now -= 500
    expect(bench.take(1)).toEqual([])
    expect(readyIn(bench.head, bench.now)).toBe(400)
  })

  it('finds a lease that was renewed when it ends, not before', () => {
    const bench = new Bench()
    bench.add({ backoff: { kind: 'fixed', delay: 0 } })
    const [held] = bench.take()
    for (let renewals = 0; renewals < 5; renewals++) {
      bench.now += LEASE / 2
      bench.say({ kind: 'renew', now: bench.now, lease: LEASE, held: [{ id: held!.id, token: held!.token }] })
      expect(readyIn(bench.head, bench.now)).toBe(LEASE)
    }
    bench.now += LEASE
    expect(bench.take(1, 'other')[0]!.token).toBeGreaterThan(held!.token)
  })
})
