// Tokens that are far ahead of a server's wall clock (protocols/lock 3).

import { describe, expect, it } from 'vitest'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { encode, type Saved } from '../../core/index.ts'
import { lockDefaults } from '../settings.ts'
import { type LockMessage, type ServerRecord, serverRecord, TOKEN_MAX } from '../wire.ts'
import { lockServer } from './machine.ts'

const on = (record: ServerRecord): Saved => new Map([['', [encode(serverRecord, record)]]])

function server() {
  const machine = new Puppet(lockServer({ ...lockDefaults, ttlMax: 10_000 }), [], on({ kind: 'first' }))
  machine.start()
  const ask = (from: string, body: LockMessage) => sent(machine.hear(from, body))[0]?.body
  return {
    machine,
    ask,
    tries: (from: string, token: number, ttl = 1_000, name = 'a') =>
      ask(from, { kind: 'try', name, attempt: 1, token, ttl }),
    renews: (from: string, token: number, ttl = 1_000, name = 'a') =>
      ask(from, { kind: 'renew', name, attempt: 1, token, ttl }),
  }
}

describe('tokens far ahead of the clock', () => {
  const DAY = 24 * 60 * 60 * 1_000_000
  function withClock(micros: number) {
    const one = server()
    one.machine.command({ kind: 'clock', micros })
    return one
  }
  it('are refused, by try, renewal and wait: up to a day is taken, and not a microsecond more', () => {
    const { ask, tries, renews } = withClock(1_000)
    const wait = { kind: 'wait', name: 'a', attempt: 1, ttl: 1_000, ticket: 1, ping: 1 } as const
    const tooHigh = { kind: 'tooHigh', maximum: 1_000 + DAY }
    expect(tries('eve', 1_001 + DAY)).toMatchObject(tooHigh)
    expect(tries('eve', TOKEN_MAX)).toMatchObject(tooHigh)
    expect(renews('eve', 1_001 + DAY)).toMatchObject(tooHigh)
    expect(ask('eve', { ...wait, token: 1_001 + DAY })).toMatchObject(tooHigh)
    expect(tries('ann', 1_000 + DAY, 10, 'b')).toMatchObject({ kind: 'granted' })
    expect(renews('ann', 1_000 + DAY, 10, 'c')).toMatchObject({ kind: 'renewed' })
    expect(ask('ann', { ...wait, token: 1_000 + DAY })).toMatchObject({ kind: 'given' })
  })
  it('go on with the clock, told or counted', () => {
    const { machine, tries } = withClock(0)
    machine.pass(3)
    expect(tries('ann', 3_000 + DAY, 1)).toMatchObject({ kind: 'granted' })
    machine.command({ kind: 'clock', micros: 10_000 })
    expect(tries('ann', 10_001 + DAY, 1)).toMatchObject({ kind: 'tooHigh' })
    expect(tries('ann', 10_000 + DAY, 1)).toMatchObject({ kind: 'granted' })
  })
  it('leave everybody else their locks, also after a sweep and a restart', () => {
    const { machine, tries } = withClock(0)
    tries('eve', TOKEN_MAX, 10)
    machine.pass(100_000)
    expect(tries('ann', 100_000_000)).toMatchObject({ kind: 'granted' })
    machine.restart()
    machine.pass(10_000)
    expect(tries('ann', 200_000_000)).toMatchObject({ kind: 'granted' })
  })
  it('of a holder are renewed, whatever the clock says meanwhile', () => {
    const { machine, tries, renews } = withClock(0)
    tries('ann', DAY)
    machine.command({ kind: 'clock', micros: 0 })
    machine.pass(1)
    machine.command({ kind: 'clock', micros: 0 })
    expect(renews('ann', DAY)).toMatchObject({ kind: 'renewed' })
  })
})
