// Yields that come late, and how long a first grant lasts (protocols/lock 4).

import { describe, expect, it } from 'vitest'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { encode } from '../../core/index.ts'
import { lockDefaults } from '../settings.ts'
import { type LockMessage, serverRecord } from '../wire.ts'
import { lockServer } from './machine.ts'

const first = new Map([['', [encode(serverRecord, { kind: 'first' })]]])

function server() {
  const machine = new Puppet(lockServer({ ...lockDefaults, ttlMax: 10_000 }), [], first)
  machine.start()
  const wait = (who: string, ticket: number, token: number) =>
    sent(machine.hear(who, { kind: 'wait', name: 'a', attempt: 1, token, ttl: 5_000, ticket, ping: 1 }))
  return { machine, wait, holder: () => machine.state.locks.get('a')?.holder }
}

function grantIn(out: { to: string; body: LockMessage }[], who: string): number {
  const given = out.find(({ to, body }) => to === who && body.kind === 'given')?.body
  return given?.kind === 'given' ? given.grant : Number.NaN
}

describe('a late yield', () => {
  it('of an earlier grant under the same token takes nothing away', () => {
    const { machine, wait, holder } = server()
    const grant = grantIn(wait('bob', 5, 10), 'bob')
    wait('ann', 1, 11)
    const late: LockMessage = { kind: 'yield', name: 'a', grant, token: 10 }
    expect(grantIn(sent(machine.hear('bob', late)), 'ann')).toBe(grant + 1)
    const again = sent(machine.hear('ann', { kind: 'release', name: 'a', token: 11, unused: true }))
    expect(grantIn(again, 'bob'), 'the same token is granted again').toBe(grant + 2)
    wait('ann', 1, 12)
    machine.hear('bob', late)
    expect(holder()).toBe('bob')
  })
  it('of a grant from before the store was lost takes nothing away, although numbers begin anew', () => {
    const { machine, wait, holder } = server()
    const grant = grantIn(wait('bob', 5, 10), 'bob')
    machine.lose()
    machine.pass(10_000)
    expect(grantIn(wait('bob', 5, 20), 'bob'), 'the same number').toBe(grant)
    wait('ann', 1, 21)
    machine.hear('bob', { kind: 'yield', name: 'a', grant, token: 10 })
    expect(holder()).toBe('bob')
  })
})

describe('a first grant to one of several who wait', () => {
  it('lasts a second and a half, to the millisecond', () => {
    const { machine, wait, holder } = server()
    wait('ann', 1, 10)
    machine.hear('ann', { kind: 'renew', name: 'a', attempt: 2, token: 10, ttl: 100 })
    wait('bob', 2, 11)
    wait('eve', 3, 12)
    machine.hear('ann', { kind: 'release', name: 'a', token: 10, unused: false })
    expect(holder()).toBe('bob')
    machine.pass(900)
    wait('eve', 3, 12)
    machine.pass(599)
    expect(holder()).toBe('bob')
    machine.pass(1)
    expect(holder()).toBe('eve')
  })
})
