// A queue of jobs over an embedded group: put in, done, tried again, limited, looked at.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../../../test/support/processes.ts'
import { createGuard, memoryTokens } from '../../guards/index.ts'
import { embedded } from '../embedded.ts'
import type { Group } from '../group.ts'
import type { Jobs } from './jobs.ts'
import { FinalFailure, JobLost } from './worker.ts'

let group: Group
let queues = 0
beforeAll(async () => {
  group = await embedded()
})
afterAll(() => group.close())

const fixed = (delay: number) => ({ kind: 'fixed', delay }) as const
const queue = (): Jobs => group.recipes.jobs(`q${++queues}`)
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('a queue of jobs', () => {
  it('does each job once, and keeps its result', async () => {
    const jobs = queue()
    const done: unknown[] = []
    await using _worker = jobs.work(({ data, attempt, token }) => {
      done.push([data, attempt, typeof token])
      return { twice: (data as number) * 2 }
    })
    const { id } = await jobs.add(21)
    expect(await jobs.result(id)).toEqual({ twice: 42 })
    await jobs.addAll([{ data: 1 }, { data: 2, id: 'two' }])
    expect(await jobs.result('two')).toEqual({ twice: 4 })
    expect(done).toEqual([
      [21, 1, 'bigint'],
      [1, 1, 'bigint'],
      [2, 1, 'bigint'],
    ])
    expect(await jobs.stats()).toMatchObject({ waiting: 0, active: 0, completed: 3, ever: { completed: 3 } })
    expect(await jobs.add(5, { id: 'two' })).toEqual({ id: 'two', added: false })
  })

  it('is one for a name', () => {
    expect(group.recipes.jobs('same')).toBe(group.recipes.jobs('same'))
  })

  it('tries again with backoff, and keeps dead letters, which can be begun anew', async () => {
    const jobs = queue()
    let broken = true
    const attempts: number[] = []
    await using _worker = jobs.work(({ attempt }) => {
      attempts.push(attempt)
      if (broken) throw new Error('no database')
      return 'fine'
    })
    const { id } = await jobs.add('x', { attempts: 3, backoff: fixed(20) })
    await expect(jobs.result(id)).rejects.toThrow(`job '${id}' is dead: no database`)
    expect(attempts).toEqual([1, 2, 3])
    expect(await jobs.list({ state: 'dead' })).toMatchObject([{ id, error: 'no database', tries: 3 }])
    broken = false
    expect(await jobs.retry(id)).toBe(true)
    expect(await jobs.result(id)).toBe('fine')
  })

  it('does not try again what has failed for good, nor what JSON cannot hold as a result for ever', async () => {
    const jobs = queue()
    await using _worker = jobs.work(({ data }) => {
      if (data === 'final') throw new FinalFailure('no such customer')
      return { when: new Date(0) } as never
    })
    const final = await jobs.add('final')
    await expect(jobs.result(final.id)).rejects.toThrow('no such customer')
    expect(await jobs.get(final.id)).toMatchObject({ state: 'dead', tries: 1 })
    const odd = await jobs.add('odd', { attempts: 1 })
    await expect(jobs.result(odd.id)).rejects.toThrow('operation.result.when is a Date')
  })

  it('does what is due, by priority, within its rate, and nothing while it is paused', async () => {
    const jobs = queue()
    await jobs.pause()
    await jobs.add('later', { priority: 5 })
    await jobs.add('first')
    await jobs.add('delayed', { delay: 1_000 })
    const begun: [unknown, number][] = []
    await using worker = jobs.work(({ data }) => void begun.push([data, performance.now()]))
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(begun).toEqual([])
    expect(await jobs.stats()).toMatchObject({ waiting: 2, delayed: 1, paused: true })
    await jobs.limit({ max: 1, per: 150 })
    await jobs.resume()
    await waitFor('all are done', () => begun.length === 3)
    expect(begun.map(([data]) => data)).toEqual(['first', 'later', 'delayed'])
    expect(begun[1]![1] - begun[0]![1]).toBeGreaterThan(100)
    await jobs.limit(null)
    expect(worker.running).toBeLessThanOrEqual(1)
  })

  it('does several at once, no more than it may', async () => {
    const jobs = queue()
    let most = 0
    let now = 0
    await using _worker = jobs.work(
      async () => {
        most = Math.max(most, ++now)
        await new Promise(resolve => setTimeout(resolve, 20))
        now--
      },
      { concurrency: 3 },
    )
    await jobs.addAll(Array.from({ length: 9 }, (_, data) => ({ data })))
    await waitFor('all are done', async () => (await jobs.stats()).completed === 9)
    expect(most).toBe(3)
  })

  it('tells progress, and renews while it works', async () => {
    const jobs = queue()
    let finish: () => void = () => {}
    await using _worker = jobs.work(
      async job => {
        await job.progress({ percent: 50 })
        await new Promise<void>(resolve => {
          finish = resolve
        })
        return job.signal.aborted
      },
      { lease: 500, name: 'anna' },
    )
    const { id } = await jobs.add(null)
    await waitFor('progress', async () => (await jobs.get(id))?.progress !== null)
    await new Promise(resolve => setTimeout(resolve, 1_200))
    expect(await jobs.get(id)).toMatchObject({ state: 'active', progress: { percent: 50 }, worker: 'anna', tries: 1 })
    finish()
    expect(await jobs.result(id)).toBe(false)
  })

  it('takes a job from its worker when it is removed, and says so', async () => {
    const jobs = queue()
    const reasons: unknown[] = []
    await using _worker = jobs.work(({ signal }) => never(signal).catch(reason => void reasons.push(reason)), {
      lease: 500,
    })
    const { id } = await jobs.add(null)
    await waitFor('it runs', async () => (await jobs.get(id))?.state === 'active')
    expect(await jobs.remove(id)).toBe(true)
    await waitFor('it heard', () => reasons.length === 1)
    expect(reasons[0]).toBeInstanceOf(JobLost)
    await expect(jobs.result(id)).rejects.toThrow(`there is no job '${id}'`)
  })

  it('gives back what a closed worker had, without counting it as a try', async () => {
    const jobs = queue()
    const worker = jobs.work(({ signal }) => never(signal))
    const { id } = await jobs.add(null)
    await waitFor('it runs', async () => (await jobs.get(id))?.state === 'active')
    await worker.close({ timeout: 0 })
    expect(await jobs.get(id)).toMatchObject({ state: 'waiting', tries: 0 })
    await using _other = jobs.work(({ attempt }) => attempt)
    expect(await jobs.result(id)).toBe(1)
  })

  it('fences: a guard that saw a later try refuses an earlier one', async () => {
    const jobs = queue()
    const guard = createGuard(memoryTokens())
    const tokens: bigint[] = []
    await using _worker = jobs.work(async ({ token, attempt }) => {
      tokens.push(token)
      await guard.run('ledger', token, () => 0)
      if (attempt === 1) throw new Error('once more')
    })
    const { id } = await jobs.add(null, { backoff: fixed(0) })
    await jobs.result(id)
    await expect(guard.run('ledger', tokens[0]!, () => 0)).rejects.toThrow('smaller')
  })

  it('answers now, or not, and carries a cancelled wait’s reason', async () => {
    const jobs = queue()
    const { id } = await jobs.add(null)
    await expect(jobs.result(id, { timeout: 0 })).rejects.toMatchObject({ name: 'WaitEnded', reason: 'timeout' })
    const signal = AbortSignal.abort('gone')
    await expect(jobs.result(id, { signal })).rejects.toMatchObject({ reason: 'cancelled', cause: 'gone' })
  })

  it('ends with its group, and the worker says why', async () => {
    const own = await embedded()
    const jobs = own.recipes.jobs('own')
    const worker = jobs.work(({ signal }) => never(signal))
    await jobs.add(null)
    await waitFor('it runs', () => worker.running === 1)
    await own.close()
    await worker.ended.catch(error => expect(String(error)).toContain('closed'))
    expect(worker.running).toBe(0)
  })
})
