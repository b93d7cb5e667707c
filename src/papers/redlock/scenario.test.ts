// Redlock's rule: one holder while all tell the truth, two with one liar.

import { describe, expect, it } from 'vitest'
import { runOnce } from '../../simulator/index.ts'
import { redlockScenario } from './index.ts'

const SERVERS = ['server-1', 'server-2', 'server-3', 'server-4', 'server-5']

describe('redlock’s rule', () => {
  it('lets in one at a time while every server is honest, and both in the end', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const { violations, trace } = runOnce(redlockScenario(SERVERS), seed, {}, true)
      expect(violations).toEqual([])
      expect(trace.filter(({ what }) => what.startsWith('acquired'))).toHaveLength(2)
    }
  })
  it('holds for the lease less the asking less the drift, and lets go in time', () => {
    const scenario = redlockScenario(SERVERS)
    const held = {
      ...scenario,
      plan: () => ({
        ...scenario.plan(undefined as never),
        acts: [{ kind: 'use' as const, client: 'client-1', hold: 2_000_000, at: 1_000 }],
      }),
    }
    const { trace } = runOnce(held, 1, {}, true)
    const acquired = trace.find(({ what }) => what.startsWith('acquired'))!
    const released = trace.find(({ what }) => what.startsWith('released'))!
    // Asked at 1 ms of the client's clock: 1 + 1000 - 10 - 2.
    expect(acquired.what).toMatch(/deadline=989/)
    expect(released.at).toBe(989_000)
  })
})
