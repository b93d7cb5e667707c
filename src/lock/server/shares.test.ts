// What one client can take of a server, what operators can mend, and what is kept of accusations.

import { describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../../test/support/machine.ts'
import { encode, keepComplaint, newComplaints, type Saved } from '../../core/index.ts'
import { lockDefaults } from '../settings.ts'
import { COMPLAINTS_SHOWN_MAX, type LockMessage, type ServerRecord, serverRecord, TOKEN_MAX } from '../wire.ts'
import { lockServer } from './machine.ts'
import { NAMES_OF_CLIENT_MAX } from './state.ts'

const on = (saved: ServerRecord): Saved => new Map([['', [encode(serverRecord, saved)]]])
const SERVERS = ['self', 's1', 's2']

function server(saved: Saved = on({ kind: 'first' })) {
  const machine = new Puppet(lockServer({ ...lockDefaults, ttlMax: 10_000 }), SERVERS, saved)
  machine.start()
  const ask = (from: string, body: LockMessage) => sent(machine.hear(from, body))[0]?.body
  const tries = (from: string, name: string, token: number) =>
    ask(from, { kind: 'try', name, attempt: 1, token, ttl: 10_000 })
  return { machine, ask, tries }
}

describe('a server of the group', () => {
  const asked = { name: 'a', attempt: 1, token: 5, ttl: 10_000 }
  const words: readonly LockMessage[] = [
    { kind: 'try', ...asked },
    { kind: 'renew', ...asked },
    { kind: 'keep', ...asked, holder: 's1' },
    { kind: 'wait', ...asked, ticket: 0, ping: 1 },
    { kind: 'inspect', query: 1 },
    { kind: 'account', query: 1 },
    { kind: 'force', query: 1, name: 'a' },
    { kind: 'resetFloor', query: 1 },
  ]
  it.each(words.map(body => [body.kind, body] as const))('has no business with locks: %s', (_kind, body) => {
    const { machine, ask } = server()
    expect(ask('s1', body)).toBeUndefined()
    expect(machine.state.locks.size).toBe(0)
    // The same words of a client are answered.
    expect(ask('s3#1', body)).toBeDefined()
  })
  it('leaves what a client holds as it is', () => {
    const { machine, ask, tries } = server()
    tries('ann#1', 'a', 5)
    ask('s1', { kind: 'release', name: 'a', token: 5, unused: true })
    ask('s1', { kind: 'yield', name: 'a', grant: 0, token: 5 })
    expect(machine.state.locks.get('a')).toMatchObject({ holder: 'ann#1', token: 5 })
  })
})

describe('a share of the names', () => {
  it('is for a certificate, whatever its instances: up to it and no further, and others have theirs', () => {
    const { machine, tries } = server()
    const { state } = machine
    state.shares.set('eve', NAMES_OF_CLIENT_MAX - 1)
    expect(tries('eve#1', 'last', 5)).toMatchObject({ kind: 'granted' })
    expect(tries('eve#2', 'more', 6)).toMatchObject({ kind: 'full' })
    expect(
      sent(machine.hear('eve#3', { kind: 'wait', name: 'x', attempt: 1, token: 7, ttl: 9, ticket: 1, ping: 1 })),
    ).toMatchObject([{ body: { kind: 'full' } }])
    expect(tries('ann#1', 'more', 6)).toMatchObject({ kind: 'granted' })
  })
  it('is given back when a name is forgotten', () => {
    const { machine, ask, tries } = server()
    tries('eve#1', 'a', 5)
    expect(machine.state.shares).toEqual(new Map([['eve', 1]]))
    ask('eve#1', { kind: 'release', name: 'a', token: 5, unused: false })
    machine.pass(100_000)
    expect(machine.state.shares).toEqual(new Map())
  })
  it('and so is the share of the lines, also of those who went without a word', () => {
    const { machine, ask, tries } = server()
    tries('ann#1', 'a', 10)
    ask('ann#1', { kind: 'release', name: 'a', token: 10, unused: false })
    // Its token is too low: it stands in the line until it comes with another, and never does.
    const waits = { kind: 'wait', name: 'a', attempt: 1, token: 5, ttl: 9, ticket: 1, ping: 1 } as const
    expect(ask('eve#1', waits)).toMatchObject({ kind: 'tooLow' })
    expect(machine.state.inLine).toEqual(new Map([['eve', 1]]))
    machine.pass(200_000)
    expect(machine.state.locks.size).toBe(0)
    expect(machine.state.inLine).toEqual(new Map())
  })
  it('and that of the lines with an operator’s reset, which ends all of them', () => {
    const { machine, ask, tries } = server()
    tries('ann#1', 'a', 10)
    ask('eve#1', { kind: 'wait', name: 'a', attempt: 1, token: 11, ttl: 9, ticket: 1, ping: 1 })
    expect(machine.state.inLine).toEqual(new Map([['eve', 1]]))
    machine.command({ kind: 'clock', micros: 5 })
    expect(ask('admin#1', { kind: 'resetFloor', query: 1 })).toMatchObject({ kind: 'floorReset', floor: 5 })
    expect(machine.state.inLine).toEqual(new Map())
  })
  it('above half of it, names that come free are forgotten at once, and no token of theirs comes again', () => {
    const { machine, ask, tries } = server()
    for (const other of ['b', 'c']) tries('ann', other, 1)
    machine.state.shares.set('eve', NAMES_OF_CLIENT_MAX / 2)
    tries('eve#1', 'a', 5)
    ask('eve#1', { kind: 'release', name: 'a', token: 5, unused: true })
    expect(machine.state.locks.has('a')).toBe(false)
    expect(tries('ann', 'a', 5)).toMatchObject({ kind: 'tooLow', maximum: 5 })
    expect(tries('ann', 'a', 6)).toMatchObject({ kind: 'granted' })
  })
})

describe('a spoiled floor', () => {
  const spoiled = on({ kind: 'stopped', floor: TOKEN_MAX, life: 1, leases: [] })
  it('ends all locks until an operator resets it; then nothing is granted for the longest lease', () => {
    const { machine, ask, tries } = server(spoiled)
    machine.command({ kind: 'clock', micros: 1_000_000 })
    expect(tries('ann#1', 'a', 2_000_000)).toMatchObject({ kind: 'tooLow', maximum: TOKEN_MAX })
    expect(ask('ann#1', { kind: 'account', query: 3 })).toMatchObject({ highest: TOKEN_MAX, clock: 1_000_000 })
    const out = machine.hear('admin#1', { kind: 'resetFloor', query: 4 })
    expect(sent(out)[0]?.body).toEqual({ kind: 'floorReset', query: 4, floor: 1_000_000, was: TOKEN_MAX })
    expect(told(out)).toEqual([{ kind: 'floorReset', by: 'admin#1', floor: 1_000_000, was: TOKEN_MAX }])
    machine.pass(9_999)
    expect(tries('ann#1', 'a', 20_000_000)).toMatchObject({ kind: 'locked', recovering: true })
    machine.pass(1)
    expect(tries('ann#1', 'a', 20_000_000)).toMatchObject({ kind: 'granted' })
  })
  it('is reset by operators only, and that is told too', () => {
    const { machine } = server(spoiled)
    machine.command({ kind: 'clock', micros: 1_000_000 })
    const out = machine.hear('eve#1', { kind: 'resetFloor', query: 4 })
    expect(sent(out)[0]?.body).toEqual({ kind: 'notAllowed', query: 4 })
    expect(told(out)).toEqual([{ kind: 'resetRefused', by: 'eve#1' }])
    expect(machine.state.floor).toBe(TOKEN_MAX)
  })
  it('where nothing is ahead of the clock, changes nothing', () => {
    const { machine, tries } = server()
    machine.command({ kind: 'clock', micros: 1_000_000 })
    tries('ann#1', 'a', 900_000)
    machine.hear('admin#1', { kind: 'resetFloor', query: 4 })
    expect(tries('bob#1', 'a', 950_000)).toMatchObject({ kind: 'locked', recovering: false })
  })
  it('a server that lost its store, and hears from too few, goes on by its clock when it is told so', () => {
    const { machine, tries } = server(new Map())
    machine.command({ kind: 'clock', micros: 0 })
    machine.pass(20_000)
    machine.hear('admin#1', { kind: 'resetFloor', query: 4 })
    expect(tries('ann#1', 'a', 20_000_000)).toMatchObject({ kind: 'tooLow' })
    expect(tries('ann#1', 'a', 20_000_001)).toMatchObject({ kind: 'granted' })
  })
})

describe('accusations', () => {
  const complain = (server: string, what = 'lied', name = 'a'): LockMessage => ({
    kind: 'complain',
    server,
    what,
    name,
  })
  it('are kept once for each accuser and accused, told once, and shown', () => {
    const { machine, ask } = server()
    expect(told(machine.hear('ann#1', complain('s1')))).toHaveLength(1)
    expect(told(machine.hear('ann#2', complain('s1', 'again')))).toEqual([])
    machine.hear('eve#1', complain('nobody'))
    machine.hear('s2', complain('s1'))
    const shown = ask('ann#1', { kind: 'account', query: 1 })
    expect(shown?.kind === 'accounted' && shown.complaints).toEqual([
      { client: 'ann#2', server: 's1', what: 'again', name: 'a' },
    ])
  })
  it('of one client never push out those of others; the most accused gives way', () => {
    const complaints = newComplaints<{ client: string; server: string }>()
    for (let i = 0; i < COMPLAINTS_SHOWN_MAX; i++)
      keepComplaint(complaints, { client: `c${i}`, server: 's1' }, COMPLAINTS_SHOWN_MAX)
    expect(keepComplaint(complaints, { client: 'eve', server: 's1' }, COMPLAINTS_SHOWN_MAX)).toBe(false)
    expect(keepComplaint(complaints, { client: 'eve', server: 's2' }, COMPLAINTS_SHOWN_MAX)).toBe(true)
    expect(complaints.lines.size).toBe(COMPLAINTS_SHOWN_MAX)
    expect(complaints.count).toBe(COMPLAINTS_SHOWN_MAX + 2)
  })
})
