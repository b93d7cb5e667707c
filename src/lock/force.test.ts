// Taking a lock by force (protocols/lock 8), told as stories.

import { describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../test/support/machine.ts'
import { encode } from '../core/index.ts'
import { lockClient } from './client/machine.ts'
import { isOperator } from './server/force.ts'
import { lockServer } from './server/machine.ts'
import { lockDefaults } from './settings.ts'
import { type LockMessage, serverRecord } from './wire.ts'

const ADMIN = 'admin#01'

function server() {
  const saved = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
  const machine = new Puppet(lockServer(lockDefaults), [], saved)
  machine.start()
  let attempt = 0
  const ask = (from: string, body: LockMessage) => sent(machine.hear(from, body))
  return {
    machine,
    ask,
    tries: (from: string, token: number) =>
      ask(from, { kind: 'try', name: 'a', attempt: ++attempt, token, ttl: 5_000 }),
    renews: (from: string, token: number) =>
      ask(from, { kind: 'renew', name: 'a', attempt: ++attempt, token, ttl: 5_000 }),
    waits: (from: string, token: number) =>
      ask(from, { kind: 'wait', name: 'a', attempt: ++attempt, token, ttl: 5_000, ticket: token, ping: 1 }),
    forces: (from: string) => machine.hear(from, { kind: 'force', query: 9, name: 'a' }),
  }
}

describe('a server', () => {
  it('frees the lock for an operator, says who had it, and tells the people who run it', () => {
    const { tries, forces } = server()
    tries('ann#1', 5)
    const out = forces(ADMIN)
    expect(sent(out)).toEqual([{ to: ADMIN, body: { kind: 'forced', query: 9, holder: 'ann#1', token: 5 } }])
    expect(told(out)).toEqual([{ kind: 'forced', name: 'a', by: ADMIN, holder: 'ann#1' }])
    expect(tries('bob#1', 6)).toMatchObject([{ body: { kind: 'granted' } }])
  })
  it.each([['ann#1'], ['admin'], ['administrator#01'], ['server-1'], ['#admin#'], ['']])(
    'refuses %j, and tells',
    who => {
      const { tries, renews, forces } = server()
      tries('ann#1', 5)
      const out = forces(who)
      expect(sent(out)).toEqual([{ to: who, body: { kind: 'notAllowed', query: 9 } }])
      expect(told(out)).toEqual([{ kind: 'forceRefused', name: 'a', by: who }])
      expect(renews('ann#1', 5)).toMatchObject([{ body: { kind: 'renewed' } }])
    },
  )
  it('never renews the old token again, nor grants one that is not larger', () => {
    const { tries, renews, forces } = server()
    tries('ann#1', 5)
    forces(ADMIN)
    expect(renews('ann#1', 5)).toMatchObject([{ body: { kind: 'notRenewed' } }])
    expect(tries('bob#1', 5)).toMatchObject([{ body: { kind: 'tooLow', maximum: 5 } }])
    expect(tries('ann#1', 5)).toMatchObject([{ body: { kind: 'tooLow' } }])
    expect(tries('bob#1', 6)).toMatchObject([{ body: { kind: 'granted' } }])
  })
  // The old holder's release names its token as never used, late or falsely: a smaller token must not follow it.
  it('does not take the token back, whatever the old holder says', () => {
    const { ask, tries, forces } = server()
    tries('ann#1', 5)
    forces(ADMIN)
    ask('ann#1', { kind: 'release', name: 'a', token: 5, unused: true })
    expect(tries('bob#1', 4)).toMatchObject([{ body: { kind: 'tooLow', maximum: 5 } }])
  })
  it('gives it to the first who waits at once, under a larger token', () => {
    const { tries, waits, forces } = server()
    tries('ann#1', 5)
    waits('joe#1', 8)
    waits('eve#1', 7)
    expect(sent(forces(ADMIN))).toMatchObject([
      { to: ADMIN, body: { kind: 'forced', holder: 'ann#1' } },
      { to: 'eve#1', body: { kind: 'given', token: 7 } },
    ])
  })
  it('takes a grant from the list as well', () => {
    const { ask, waits, forces, tries } = server()
    const given = waits('eve#1', 7)[0]!.body as LockMessage & { kind: 'given' }
    forces(ADMIN)
    expect(tries('bob#1', 8)).toMatchObject([{ body: { kind: 'granted' } }])
    expect(ask('eve#1', { kind: 'yield', name: 'a', grant: given.grant, token: given.token }), 'too late').toEqual([])
    expect(tries('joe#1', 9)).toMatchObject([{ body: { kind: 'locked' } }])
  })
  it('a free name, or one that it never heard of, stays as it is', () => {
    const { tries, forces } = server()
    expect(sent(forces(ADMIN))).toMatchObject([{ body: { kind: 'forced', holder: '', token: 0 } }])
    expect(tries('bob#1', 1)).toMatchObject([{ body: { kind: 'granted' } }])
  })
})

it('operators are certificate names with an instance', () => {
  expect(isOperator(['admin', 'ops'], 'ops#77')).toBe(true)
  expect(isOperator([], ADMIN)).toBe(false)
  expect(isOperator(['a'], 'ab#1')).toBe(false)
})

describe('a client', () => {
  const SERVERS = ['s1', 's2', 's3']
  const client = () => new Puppet(lockClient(lockDefaults), SERVERS)
  const forced: LockMessage = { kind: 'forced', query: 4, holder: 'ann#1', token: 5 }

  it('asks all, and tells when all have answered', () => {
    const machine = client()
    const out = machine.command({ kind: 'force', id: 4, name: 'a' })
    expect(sent(out)).toEqual(SERVERS.map(to => ({ to, body: { kind: 'force', query: 4, name: 'a' } })))
    machine.hear('s1', forced)
    machine.hear('s1', forced)
    machine.hear('s2', { kind: 'notAllowed', query: 4 })
    expect(told(machine.hear('s3', forced))).toMatchObject([
      { kind: 'forced', id: 4, servers: [{ server: 's1', allowed: true }, { server: 's2', allowed: false }, {}] },
    ])
    expect(machine.pass(10_000), 'told once').toEqual([])
  })
  it('or when the time is up', () => {
    const machine = client()
    machine.command({ kind: 'force', id: 4, name: 'a' })
    machine.hear('s2', forced)
    machine.hear('s9', forced)
    machine.hear('s1', { ...forced, query: 3 })
    expect(told(machine.pass(lockDefaults.answerMax))).toMatchObject([{ servers: [{ server: 's2' }] }])
    expect(machine.hear('s3', forced), 'too late').toEqual([])
  })
})
