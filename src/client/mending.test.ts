// What an operator is told who mends what a client has spoiled, and what status makes of spoiled tokens: one server may lie.

import { describe, expect, it } from 'vitest'
import { type NodeId, Refused, trust, Unavailable } from '../core/index.ts'
import { describeReset, UnlockUncertain } from './force.ts'
import { canGrant, describeTokens } from './inspect.ts'
import { tallyLockComplaints } from './inspect-objects.ts'
import { describeDeleted } from './objects/delete.ts'
import { describeRepaired } from './objects/repair.ts'

const servers = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']
const shape = { trust: trust({ servers: 7, liars: 1 }), servers }
const sound = { asking: false, highest: 0, clock: 0, names: 0, namesOfOne: 0, complaints: [] }

describe('a floor that was reset', () => {
  const lowered = (server: NodeId) => ({ server, allowed: true, was: 900, floor: 100 })
  const refused = (server: NodeId) => ({ server, allowed: false, was: 0, floor: 0 })

  it('says what each server had, and counts those that changed anything', () => {
    const answers = servers.map(lowered)
    answers[6] = { ...lowered('s7'), was: 100 }
    const reset = describeReset(answers, shape)
    expect(reset.mended).toBe(6)
    expect(reset.servers[0]).toEqual({ server: 's1', was: 900n, floor: 100n })
  })
  it('is uncertain where one is left out: it would bring the large tokens back', () => {
    expect(() => describeReset(servers.slice(1).map(lowered), shape)).toThrow(UnlockUncertain)
    expect(() => describeReset(servers.slice(1).map(lowered), shape)).toThrow(/on 6 of 7 servers.*s1: no answer/)
  })
  it('is refused where more servers say so than can lie', () => {
    const one = [...servers.slice(0, 6).map(lowered), refused('s7')]
    expect(() => describeReset(one, shape)).toThrow(UnlockUncertain)
    const two = [...servers.slice(0, 5).map(lowered), refused('s6'), refused('s7')]
    expect(() => describeReset(two, shape)).toThrow(Refused)
  })
})

describe('tokens of a server, by the clock of whoever asks', () => {
  const MINUTE = 60_000_000
  const account = { ...sound, server: 's1' }
  const at = 1_000 * MINUTE
  it('are ahead from two minutes on: one for clocks that are apart, one for steps', () => {
    expect(describeTokens({ ...account, highest: at + 2 * MINUTE, clock: at }, at)).toEqual({})
    const ahead = describeTokens({ ...account, highest: at + 2 * MINUTE + 1_000, clock: at }, at)
    expect(ahead).toEqual({ tokensAheadMs: 120_001 })
  })
  it('of the largest kind leave a server that grants nothing', () => {
    const spoiled = describeTokens({ ...account, highest: Number.MAX_SAFE_INTEGER, clock: at }, at)
    expect(canGrant({ server: 's1', state: 'ready', ...spoiled })).toBe(false)
    expect(canGrant({ server: 's1', state: 'ready' })).toBe(true)
  })
  it('are told from a clock that is off by more than a minute, to either side', () => {
    expect(describeTokens({ ...account, clock: at + MINUTE }, at)).toEqual({})
    expect(describeTokens({ ...account, clock: at + MINUTE + 1_000 }, at)).toEqual({ clockOffMs: 60_001 })
    expect(describeTokens({ ...account, clock: at - MINUTE - 1_000 }, at)).toEqual({ clockOffMs: -60_001 })
    expect(describeTokens({ ...account, asking: true, clock: at }, at)).toEqual({ waitsForFloors: true })
  })
})

describe.each([
  ['repaired', (said: ReadonlyMap<NodeId, never>) => describeRepaired('o', 7, said, shape), 'sound'],
  ['deleted', (said: ReadonlyMap<NodeId, never>) => describeDeleted('o', said, shape), 'absent'],
] as const)('an object that is %s', (done, told, otherwise) => {
  /** What the servers say, in their order; those beyond are silent. */
  const says = (...words: string[]) => new Map(words.map((word, place) => [servers[place]!, word])) as never
  it('names who did it, and who had nothing to do', () => {
    expect(told(says(...Array(5).fill(done), otherwise))).toMatchObject({
      [done]: ['s1', 's2', 's3', 's4', 's5'],
      [otherwise]: ['s6'],
    })
  })
  it('is uncertain with fewer than a quorum', () => {
    const quorum = shape.trust.orderingQuorum!
    expect(() => told(says(...Array(quorum).fill(done)))).not.toThrow()
    expect(() => told(says(...Array(quorum - 1).fill(done)))).toThrow(Unavailable)
  })
  it('is refused where more servers say so than can lie, and not by the word of one', () => {
    expect(told(says(...Array(6).fill(done), 'not allowed'))).toMatchObject({ name: 'o' })
    expect(() => told(says(...Array(5).fill(done), 'not allowed', 'not allowed'))).toThrow(Refused)
  })
})

describe('accusations about locks', () => {
  const by = (client: NodeId, server = 's3') => ({ client, server, what: 'granted what it cannot', name: 'invoices' })
  const account = (server: NodeId, ...complaints: ReturnType<typeof by>[]) => {
    return { ...sound, server, complaints }
  }
  const tally = (...complaints: ReturnType<typeof by>[]) =>
    tallyLockComplaints([account('s1', ...complaints), account('s2', ...complaints)], [], 1)

  it('name the lock; one client accuses, b + 1 say that it lied, and two processes are one client', () => {
    expect(tally(by('ann#1'))).toMatchObject([{ server: 's3', lock: 'invoices', clients: ['ann#1'], lied: false }])
    expect(tally(by('ann#1'), by('ann#2'))).toMatchObject([{ lied: false }])
    expect(tally(by('ann#1'), by('bob#1'))).toMatchObject([{ clients: ['ann#1', 'bob#1'], lied: true }])
  })
  it('that only one server passes on, or the accused, are nothing', () => {
    expect(tallyLockComplaints([account('s1', by('ann#1'))], [], 1)).toEqual([])
    expect(tallyLockComplaints([account('s1', by('ann#1')), account('s3', by('ann#1'))], [], 1)).toEqual([])
  })
})
