// A candidacy whose `lead` fails: it steps down, stands no more until it is asked, and the error is heard.

import { describe, expect, it, vi } from 'vitest'
import type { ElectionCommand } from '../../election/index.ts'
import { type Candidacy, Leadership } from './leadership.ts'

const claim = { kind: 'claim', name: 'jobs', term: 1, electorate: 1, asked: 1 } as const
const CLAIM = { ...claim, view: { rows: [], leftOut: [] }, ballots: [], voided: [], openings: [] }

function standing(lead: () => Promise<void> | void) {
  const told: ElectionCommand[] = []
  const withdrawn = vi.fn()
  const failed = vi.fn()
  const leadership = new Leadership(
    'jobs',
    () => 0,
    () => 0,
    command => told.push(command),
    failed,
  )
  const candidacy: Candidacy = leadership.stand(lead, withdrawn)
  const elect = (term: number) =>
    leadership.take({ kind: 'elected', name: 'jobs', term, deadline: 1_000, claim: CLAIM })
  return { leadership, candidacy, told, withdrawn, failed, elect }
}

describe('a lead that throws', () => {
  it('steps down once, stands no more, and the candidacy ends with the error', async () => {
    const { candidacy, told, withdrawn, elect, leadership } = standing(() => {
      throw new Error('no database')
    })
    elect(11)
    await expect(candidacy.ended).rejects.toThrow('no database')
    expect(withdrawn).toHaveBeenCalledTimes(1)
    expect(told).toEqual([{ kind: 'resign', name: 'jobs' }])
    expect(leadership.leads()).toBe(false)
  })
  it('is heard also where nobody looks at `ended`', async () => {
    const { failed, elect } = standing(() => Promise.reject(new Error('no database')))
    elect(11)
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(1))
    expect(failed).toHaveBeenCalledWith(expect.objectContaining({ message: 'no database' }), false)
  })
  it('says whether somebody looks at `ended`', async () => {
    const { failed, elect, candidacy } = standing(() => Promise.reject(new Error('no database')))
    const { ended } = candidacy
    elect(11)
    await expect(ended).rejects.toThrow('no database')
    expect(failed).toHaveBeenCalledWith(expect.anything(), true)
  })
  it('withdraws before it steps down: nobody elects it again in between', async () => {
    const order: string[] = []
    const { withdrawn, told, elect, candidacy } = standing(() => Promise.reject(new Error('no database')))
    withdrawn.mockImplementation(() => order.push(`withdrawn, ${told.length} told`))
    elect(11)
    await candidacy.ended.catch(() => {})
    expect(order).toEqual(['withdrawn, 0 told'])
  })
  it('stands again when it is asked', async () => {
    const { leadership, candidacy, elect } = standing(() => {
      throw new Error('no database')
    })
    elect(11)
    await candidacy.ended.catch(() => {})
    const led: number[] = []
    leadership.stand(
      term => {
        led.push(term.number)
      },
      () => {},
    )
    elect(12)
    expect(led).toEqual([12])
  })
  it('that never ends holds the end of its candidacy up for the rest of its term, and no longer', async () => {
    const { candidacy, told, elect } = standing(() => new Promise(() => {}))
    elect(11)
    const before = performance.now()
    await candidacy.close()
    // The term has a second left.
    expect(performance.now() - before).toBeGreaterThan(900)
    expect(told).toEqual([{ kind: 'resign', name: 'jobs' }])
  })
  it('after the candidacy was closed says nothing', async () => {
    let reject: (error: Error) => void = () => {}
    const { candidacy, failed, elect } = standing(
      () =>
        new Promise<void>((_resolve, no) => {
          reject = no
        }),
    )
    elect(11)
    const closed = candidacy.close()
    reject(new Error('was stopped'))
    await closed
    await candidacy.ended
    expect(failed).not.toHaveBeenCalled()
  })
})
