// Whoever was caught stands in the status: each server says whom it caught itself, and who asks counts how many say so.

import { describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../test/support/machine.ts'
import { SERVERS_MAX } from '../core/index.ts'
import { ledgerClient } from './client/machine.ts'
import { encodeDescriptor } from './light.ts'
import { firstDisk, ideals, makeLedger, serverSettings } from './proof/actors.ts'
import { ledgerServer } from './server/machine.ts'
import { ledgerDefaults } from './settings.ts'
import type { LedgerMessage } from './wire.ts'

const servers = ['s1', 's2', 's3', 's4', 's5', 's6']
const actors = ideals()
const coins = makeLedger(actors, { name: 'coins', servers, crashes: 1, liars: 1, balances: { alice: 100n } })

describe('a server', () => {
  it('says whom it caught at what, each thing once', () => {
    const puppet = new Puppet(ledgerServer(serverSettings(actors, 's1')), servers, firstDisk('s1'), 's1')
    puppet.start()
    puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(coins) })
    const ask = () => sent(puppet.hear('client#1', { kind: 'caught', query: 7 })).map(({ body }) => body)
    expect(ask()).toEqual([{ kind: 'blamed', query: 7, lies: [] }])
    const { previous } = puppet.state.ledgers.get(coins.hex)!
    const statement = { height: 1, size: 1, root: new Uint8Array(32), previous, attempt: 1 }
    const vote = { ...statement, proposal: new Uint8Array(32), signature: new Uint8Array(64) }
    for (let i = 0; i < 3; i++) puppet.hear('s2', { kind: 'vote', ledger: coins.id, ...vote })
    const what = ['gave a word under a signature that does not hold']
    expect(ask()).toEqual([{ kind: 'blamed', query: 7, lies: [{ server: 's2', what }] }])
  })
})

describe('a genesis that names clients as keepers', () => {
  it('makes no server of them: whoever asks is told of servers, and no more of them than a word has room for', () => {
    const clients = Array.from({ length: SERVERS_MAX - 1 }, (_, place) => `client-${place}`)
    const theirs = makeLedger(actors, {
      name: 'theirs',
      servers: ['s1', ...clients],
      crashes: 1,
      liars: 1,
      balances: {},
    })
    const puppet = new Puppet(ledgerServer(serverSettings(actors, 's1')), servers, firstDisk('s1'), 's1')
    puppet.start()
    puppet.hear('client-0', { kind: 'create', query: 1, genesis: encodeDescriptor(theirs) })
    const { previous } = puppet.state.ledgers.get(theirs.hex)!
    const statement = { height: 1, size: 1, root: new Uint8Array(32), previous, attempt: 1 }
    const vote = { ...statement, proposal: new Uint8Array(32), signature: new Uint8Array(64) }
    for (const client of clients) puppet.hear(client, { kind: 'vote', ledger: theirs.id, ...vote })
    expect(puppet.state.blamed.size).toBe(clients.length)
    const [answer] = sent(puppet.hear('client#1', { kind: 'caught', query: 7 }))
    expect(answer?.body).toEqual({ kind: 'blamed', query: 7, lies: [] })
  })
})

describe('all ledgers of a server', () => {
  it('are told to each of the others twice a second at most', () => {
    const puppet = new Puppet(ledgerServer(serverSettings(actors, 's1')), servers, firstDisk('s1'), 's1')
    puppet.start()
    puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(coins) })
    const ask = (from: string) => sent(puppet.hear(from, { kind: 'roll' })).map(({ to, body }) => [to, body.kind])
    expect(ask('s2')).toEqual([['s2', 'genesis']])
    for (let i = 0; i < 100; i++) expect(ask('s2')).toEqual([])
    expect(ask('s3')).toEqual([['s3', 'genesis']])
    puppet.pass(499)
    expect(ask('s2')).toEqual([])
    puppet.pass(1)
    expect(ask('s2')).toEqual([['s2', 'genesis']])
    expect(ask('client#1')).toEqual([])
  })
})

describe('a client', () => {
  function client() {
    const { suite } = actors
    const settings = { ...ledgerDefaults, suite, servers, crashes: 1, liars: 1 }
    const puppet = new Puppet(ledgerClient(settings as never), servers, undefined, 'client#1')
    puppet.start()
    puppet.command({ kind: 'caught', id: 1 })
    const answer = (server: string): LedgerMessage => ({
      kind: 'blamed',
      query: 1,
      lies: server === 's1' ? [{ server: 's2', what: ['proposed what cannot be'] }] : [],
    })
    const hear = (server: string) => told(puppet.hear(server, answer(server)))
    return { puppet, hear }
  }

  it('has the answer when all servers have said theirs', () => {
    const { hear } = client()
    for (const server of servers.slice(0, -1)) expect(hear(server)).toEqual([])
    const [event] = hear('s6')
    expect(event).toMatchObject({ kind: 'caught', id: 1 })
    expect(event?.kind === 'caught' && event.told.get('s1')).toEqual([
      { server: 's2', what: ['proposed what cannot be'] },
    ])
  })
  it('waits for a silent one for a moment only', () => {
    const { puppet, hear } = client()
    for (const server of servers.slice(0, -1)) hear(server)
    const events = told(puppet.pass(2_000))
    expect(events).toMatchObject([{ kind: 'caught', id: 1 }])
    const [event] = events
    expect(event?.kind === 'caught' && [...event.told.keys()]).toEqual(servers.slice(0, -1))
  })
})
