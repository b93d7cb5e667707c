// What must hold between messages: each machine's `check` finds a state that was bent by hand.

import { describe, expect, it } from 'vitest'
import { Client } from '../../test/support/lock-client.ts'
import { Puppet } from '../../test/support/machine.ts'
import { encode } from '../core/index.ts'
import { lockClient } from './client/machine.ts'
import { type Acquisition, type ClientState, QUESTIONS_MAX } from './client/state.ts'
import { lockKeeper } from './keeper/machine.ts'
import type { KeeperState, Kept } from './keeper/state.ts'
import { lockServer } from './server/machine.ts'
import type { LockEntry, ServerState } from './server/state.ts'
import { lockDefaults } from './settings.ts'
import { serverRecord } from './wire.ts'

describe('a client', () => {
  const check = (bend: (state: ClientState, acquisition: Acquisition) => void) => () => {
    const client = new Client()
    client.holds()
    bend(client.state, client.acquisition)
    lockClient(lockDefaults).check!(client.state)
  }
  it('is well as it is', () => expect(check(() => {})).not.toThrow())
  it.each<[string, (state: ClientState, acquisition: Acquisition) => void]>([
    ['used that was never tried', state => (state.used = state.seen + 1)],
    ['held under and called unused', state => (state.used = 0)],
    ['the next try could repeat', (state, acquisition) => (acquisition.token = state.seen + 1)],
    ['an attempt that never began', (state, acquisition) => (acquisition.attempt = state.attempts + 1)],
    ['did not choose', (_state, acquisition) => (acquisition.phase = 'waiting')],
    ['a ttl of 0 ms', (_state, acquisition) => (acquisition.ttl = 0)],
    ['more servers than there are', (_state, { heardAt }) => ['a', 'b', 'c', 'd', 'e'].map(id => heardAt.set(id, 0))],
    [
      'too many questions',
      ({ questions }) => {
        for (let id = 0; id <= QUESTIONS_MAX; id++) questions.set(id, { kind: 'force', servers: [] })
      },
    ],
  ])('%s', (broken, bend) => expect(check(bend)).toThrow(broken))
})

describe('a server', () => {
  const check = (bend: (state: ServerState, entry: LockEntry) => void) => () => {
    const saved = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
    const server = new Puppet(lockServer(lockDefaults), [], saved)
    server.start()
    server.hear('ann', { kind: 'try', name: 'a', attempt: 1, token: 5, ttl: 1_000 })
    for (const [place, client] of ['bob', 'cid'].entries())
      server.hear(client, { kind: 'wait', name: 'a', attempt: 1, token: 9, ttl: 1_000, ticket: 6 + place, ping: 1 })
    bend(server.state, server.state.locks.get('a')!)
    lockServer(lockDefaults).check!(server.state)
  }
  it('is well as it is', () => expect(check(() => {})).not.toThrow())
  it.each<[string, (state: ServerState, entry: LockEntry) => void]>([
    ['not reserved on disk', state => (state.floor = state.reserved + 1)],
    ['between floor and reserve', state => (state.highest = state.reserved + 1)],
    ['above the reserved floor', (state, entry) => (entry.maximum = state.reserved + 1)],
    ['went back', (_state, entry) => (entry.before = 6)],
    ['never reserved', (state, entry) => (entry.closed = state.reserved + 1)],
    ['not under its largest token', (_state, entry) => (entry.token = 4)],
    ['was given to another', (_state, entry) => (entry.lease = entry.waiters![0])],
    ['out of order', (_state, entry) => entry.waiters!.reverse()],
  ])('%s', (broken, bend) => expect(check(bend)).toThrow(broken))
})

describe('a keeper', () => {
  const settings = { ...lockDefaults, holder: 'ann#1', blockedMax: 5_000 }
  const check = (bend: (state: KeeperState, kept: Kept) => void) => () => {
    const keeper = new Puppet(lockKeeper(settings), ['s1'])
    keeper.command({ kind: 'hold', id: 1, name: 'a', token: 5, ttl: 1_000, deadline: keeper.now + 900 })
    bend(keeper.state, keeper.state.leases.get('a')!)
    lockKeeper(settings).check!(keeper.state)
  }
  it('is well as it is', () => expect(check(() => {})).not.toThrow())
  it.each<[string, (state: KeeperState, kept: Kept) => void]>([
    ['a renewal that never began', (_state, kept) => (kept.attempt = 1)],
    ['a ttl of NaN ms', (_state, kept) => (kept.ttl = Number.NaN)],
    ['without an end', (_state, kept) => (kept.deadline = Number.POSITIVE_INFINITY)],
    ['more servers than there are', (_state, { until }) => ['s1', 's2'].map(server => until.set(server, 0))],
  ])('%s', (broken, bend) => expect(check(bend)).toThrow(broken))
})
