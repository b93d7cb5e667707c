// Every map that somebody else's message can fill has a bound for each peer: the list in docs/reference/limits.md, filled
// to the bound and beyond.

import { describe, expect, it } from 'vitest'
import { type Growing, gapsIn, listedUnder } from '../../test/support/limits.ts'
import { Puppet } from '../../test/support/machine.ts'
import { firstHead, headHash, type Statement } from './checkpoint.ts'
import { ledgerClient } from './client/machine.ts'
import { ANSWERS_BYTES_MAX } from './client/state.ts'
import { encodeDescriptor } from './light.ts'
import { firstDisk, firstSalt, ideals, makeLedger, serverSettings, signed } from './proof/actors.ts'
import { BATCH_BYTES_MAX, type Report, reportBytes } from './proposal.ts'
import { HELD_BYTES_OF_SERVER_MAX, heldBytes } from './server/holding.ts'
import { ledgerServer } from './server/machine.ts'
import { POOL_BYTES_OF_CLIENT_MAX, POOL_OF_CLIENT_MAX, POOLED_BYTES_OF_CLIENT_MAX } from './server/pool.ts'
import { LEDGERS_OF_CLIENT_MAX } from './server/state.ts'
import { BROUGHT_MAX } from './server/voter.ts'
import { ledgerDefaults } from './settings.ts'
import { TRANSACTION_BYTES_MAX } from './transactions.ts'
import type { LedgerMessage } from './wire.ts'

const servers = ['s1', 's2', 's3', 's4', 's5', 's6']
const actors = ideals()
const make = (name: string) =>
  makeLedger(actors, { name, servers, crashes: 1, liars: 1, balances: { alice: 100n, bob: 100n } })
const coins = make('coins')
const { suite } = actors

function payment(from: string, sequence = 0): Uint8Array {
  const to = actors.signer('carol').publicKey
  const words = { register: 0, sequence, asset: coins.id, to, amount: 1n, until: 1_000, memo: '' } as const
  return signed(actors, coins, from, { kind: 'transfer', ...words })
}

function server() {
  const puppet = new Puppet(ledgerServer(serverSettings(actors, 's1')), servers, firstDisk('s1'), 's1')
  puppet.start()
  puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(coins) })
  const ledger = () => puppet.state.ledgers.get(coins.hex)!
  const submit = (from: string, leaf: Uint8Array) =>
    puppet
      .hear(from, { kind: 'submit', query: 2, ledger: coins.id, leaf, receipt: true })
      .flatMap(one => (one.kind === 'send' && one.to === from ? [one.body.kind] : []))
  return { puppet, ledger, submit }
}

/** Reports of all but one server that they voted for what nobody has shown. */
function reports(): Report[] {
  const bytes = new Uint8Array(32).fill(9)
  const previous = headHash(coins, firstHead(suite), suite)
  const vote: Statement = { height: 1, size: 1, root: bytes, previous, attempt: 1, proposal: bytes }
  return servers.slice(1).map((name, at) => {
    const said = { server: at + 1, height: 1, attempt: 2, vote }
    return { ...said, signature: actors.voter(name)(firstSalt(name)).sign(reportBytes(coins, said)) }
  })
}

const propose = (height: number, attempt: number, leaves: readonly Uint8Array[], shown: readonly Report[] = []) =>
  ({ kind: 'propose', ledger: coins.id, height, attempt, leaves, reports: shown }) satisfies LedgerMessage

/** By the constant: what fills it, and one beyond. */
const cases: Record<string, Record<string, () => void>> = {
  POOL_OF_CLIENT_MAX: {
    'leaves that wait, of one client'() {
      const { ledger, submit } = server()
      ledger().pool.shares.set('eve', { leaves: POOL_OF_CLIENT_MAX, bytes: 0 })
      expect(submit('eve#1', payment('alice'))).toEqual(['crowded'])
      expect(submit('ann#1', payment('alice'))).toEqual([])
    },
  },
  POOL_BYTES_OF_CLIENT_MAX: {
    'their bytes, counted as they come and go'() {
      const { ledger, submit } = server()
      const leaf = payment('alice')
      ledger().pool.shares.set('eve', { leaves: 1, bytes: POOL_BYTES_OF_CLIENT_MAX - leaf.length })
      expect(submit('eve#1', leaf)).toEqual([])
      expect(ledger().pool.shares.get('eve')).toEqual({ leaves: 2, bytes: POOL_BYTES_OF_CLIENT_MAX })
      expect(submit('eve#2', payment('bob'))).toEqual(['crowded'])
      expect(submit('ann#1', payment('bob'))).toEqual([])
    },
  },
  POOLED_BYTES_OF_CLIENT_MAX: {
    // Leaves ahead of their account wait for as long as nobody sends what is before them.
    'the same over all ledgers, counted as they come and go'() {
      const { puppet, submit } = server()
      const leaf = payment('alice', 1)
      const one = leaf.length + 1_024
      puppet.state.pooledBytesOf.set('eve', POOLED_BYTES_OF_CLIENT_MAX - one)
      expect(submit('eve#1', leaf)).toEqual([])
      expect(puppet.state.pooledBytesOf.get('eve')).toBe(POOLED_BYTES_OF_CLIENT_MAX)
      const other = make('other')
      puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(other) })
      const to = actors.signer('carol').publicKey
      const words = { register: 0, sequence: 0, asset: other.id, to, amount: 1n, until: 1_000, memo: '' } as const
      const theirs = signed(actors, other, 'bob', { kind: 'transfer', ...words })
      const submitThere = (from: string) =>
        puppet
          .hear(from, { kind: 'submit', query: 2, ledger: other.id, leaf: theirs, receipt: true })
          .flatMap(said => (said.kind === 'send' && said.to === from ? [said.body.kind] : []))
      expect(submitThere('eve#2')).toEqual(['crowded'])
      expect(submitThere('ann#1')).toEqual([])
      expect(puppet.state.pooledBytesOf.get('ann')).toBe(theirs.length + 1_024)
    },
    'and given back when they are in'() {
      const alone = makeLedger(actors, {
        name: 'alone',
        servers: ['s1'],
        crashes: 0,
        liars: 0,
        balances: { alice: 9n },
      })
      const puppet = new Puppet(ledgerServer(serverSettings(actors, 's1')), ['s1'], firstDisk('s1'), 's1')
      puppet.start()
      puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(alone) })
      const to = actors.signer('carol').publicKey
      const words = { register: 0, sequence: 0, asset: alone.id, to, amount: 1n, until: 1_000, memo: '' } as const
      const leaf = signed(actors, alone, 'alice', { kind: 'transfer', ...words })
      puppet.hear('eve#1', { kind: 'submit', query: 2, ledger: alone.id, leaf, receipt: true })
      puppet.pass(5_000)
      expect(puppet.state.ledgers.get(alone.hex)!.leaves).toHaveLength(1)
      expect(puppet.state.pooledBytesOf.size).toBe(0)
    },
  },
  LEDGERS_OF_CLIENT_MAX: {
    'ledgers of one client'() {
      const { puppet } = server()
      const create = (from: string, name: string) =>
        puppet
          .hear(from, { kind: 'create', query: 1, genesis: encodeDescriptor(make(name)) })
          .flatMap(one => (one.kind === 'send' && one.body.kind === 'created' ? [one.body.why] : []))
      for (let at = 1; at < LEDGERS_OF_CLIENT_MAX; at++) create('client#2', `n${at}`)
      expect(puppet.state.ledgers.size).toBe(LEDGERS_OF_CLIENT_MAX)
      expect(create('client#3', 'beyond')[0]).not.toBe('')
      expect(create('ann#1', 'hers')).toEqual([''])
    },
  },
  BROUGHT_MAX: {
    'good proposals of one server, at one height'() {
      const { puppet, ledger } = server()
      const leaves = [payment('alice'), payment('bob')]
      // The first attempt of a height is free: a liar may sign as many as there are orders of leaves.
      ledger().round.brought.set(1, BROUGHT_MAX - 1)
      puppet.hear('s2', propose(1, 1, leaves))
      expect(ledger().round.proposals.size).toBe(1)
      puppet.hear('s2', propose(1, 1, [...leaves].reverse()))
      expect(ledger().round.proposals.size).toBe(1)
      puppet.hear('s3', propose(1, 1, [...leaves].reverse()))
      expect(ledger().round.proposals.size).toBe(2)
    },
  },
  HELD_BYTES_OF_SERVER_MAX: {
    'proposals of one server, and its words about heights to come, over all ledgers'() {
      const { puppet, ledger } = server()
      const other = make('other')
      puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(other) })
      const leaves = [payment('alice')]
      const bytes = heldBytes(leaves)
      // In the other ledger it has brought as much as it may, but for two such words.
      const { round } = puppet.state.ledgers.get(other.hex)!
      round.broughtBytes.set('s2', HELD_BYTES_OF_SERVER_MAX - 2 * bytes)
      puppet.hear('s2', propose(1, 1, leaves))
      puppet.hear('s2', propose(2, 1, leaves))
      expect([ledger().round.proposals.size, ledger().early.size]).toEqual([1, 1])
      expect([...ledger().round.broughtBytes]).toEqual([['s2', bytes]])
      // Said again it takes no more; and neither more proposals, nor words that wait for one, nor early ones are kept.
      puppet.hear('s2', propose(2, 1, leaves))
      puppet.hear('s2', propose(1, 1, [payment('bob')]))
      puppet.hear('s2', propose(1, 2, leaves, reports()))
      puppet.hear('s2', { kind: 'want', ledger: coins.id, height: 2, proposal: new Uint8Array(32) })
      expect([ledger().round.proposals.size, ledger().round.stalled.size, ledger().early.size]).toEqual([1, 0, 1])
      puppet.hear('s3', propose(1, 1, [payment('bob')]))
      puppet.hear('s3', propose(1, 2, leaves, reports()))
      expect([ledger().round.proposals.size, ledger().round.stalled.size]).toEqual([2, 1])
      // A height that is certified makes room: what is said again is taken.
      round.broughtBytes.clear()
      puppet.hear('s2', propose(1, 2, leaves, reports()))
      expect(ledger().round.stalled.size).toBe(2)
    },
  },
  BATCH_BYTES_MAX: {
    'of one word about a height, twice that: nothing larger is kept until it can be looked at'() {
      const { puppet, ledger } = server()
      const large = Array.from({ length: 2 * (BATCH_BYTES_MAX / TRANSACTION_BYTES_MAX) + 1 }, () => {
        return new Uint8Array(TRANSACTION_BYTES_MAX)
      })
      puppet.hear('s2', propose(1, 2, large, reports()))
      expect(ledger().round.stalled.size).toBe(0)
      puppet.hear('s3', propose(1, 2, [payment('alice')], reports()))
      expect(ledger().round.stalled.size).toBe(1)
      puppet.hear('s2', propose(2, 1, large))
      expect(ledger().early.size).toBe(0)
      puppet.hear('s2', propose(2, 1, [payment('alice')]))
      expect(ledger().early.size).toBe(1)
    },
  },
  ANSWERS_BYTES_MAX: {
    'answers of one server to a client, over all its calls'() {
      const settings = { ...ledgerDefaults, suite, liars: 1, crashes: 1 }
      const client = new Puppet(ledgerClient(settings), servers, undefined, 'client')
      client.start()
      client.command({ kind: 'open', genesis: encodeDescriptor(coins) })
      const leaf = new Uint8Array(TRANSACTION_BYTES_MAX)
      const count = Math.floor(ANSWERS_BYTES_MAX / TRANSACTION_BYTES_MAX) + 10
      const answer = (from: string, query: number) =>
        client.hear(from, { kind: 'receipt', query, leaf, index: 0, path: [], checkpoint: firstHead(suite) })
      for (let id = 1; id <= count; id++) {
        client.command({ kind: 'submit', id, ledger: coins.hex, leaf: payment('alice', id) })
        // Said again it takes the place of the one before.
        for (let twice = 0; twice < 2; twice++) answer('s2', id)
      }
      const kept = client.state.shares.get('s2')!
      expect(kept).toBeGreaterThan(ANSWERS_BYTES_MAX - 2 * TRANSACTION_BYTES_MAX)
      answer('s3', count)
      expect([...client.state.calls.values()].at(-1)!.answers.size).toBe(1)
      for (let id = 1; id <= count; id++) client.command({ kind: 'cancel', id })
      expect(client.state.shares.size).toBe(0)
    },
  },
}

describe('what a peer can fill', () => {
  const all = Object.entries(cases).flatMap(([name, of]) =>
    Object.entries(of).map(([what, go]) => ({ name, what, go })),
  )

  it('is listed, and each has its case', () =>
    expect(Object.keys(cases).sort()).toEqual(listedUnder('What a peer can fill: ledgers')))
  it.each(all)('$name: $what', ({ go }) => go())
})

// A new field that can grow belongs into this list, with its bound.
describe('the list is whole: nothing that grows is without a bound', () => {
  const GROWING: Growing = {
    'LedgerServerState.peers': 'one for each server',
    'LedgerServerState.rolled': 'one for each server',
    'LedgerServerState.ledgers': 'LEDGERS_OF_CLIENT_MAX',
    'LedgerServerState.names': 'LEDGERS_OF_CLIENT_MAX',
    'LedgerServerState.pooledBytesOf': 'POOLED_BYTES_OF_CLIENT_MAX',
    'LedgerServerState.blamed': 'one for each server and lie',
    'Round.opened': 'one for each server',
    'Round.proposals': 'BROUGHT_MAX',
    'Round.brought': 'one for each server',
    'Round.broughtBytes': 'HELD_BYTES_OF_SERVER_MAX',
    'Round.kept': 'BROUGHT_MAX',
    'Round.led': 'BROUGHT_MAX',
    'Round.votes': 'one for each server',
    'Round.reports': 'one for each server',
    'Round.stalled': 'HELD_BYTES_OF_SERVER_MAX',
    'Round.wanted': 'one for each vote, until the next beat',
    'Round.unchecked': 'one for each server',
    'Pooled.askers': 'ASKERS_MAX',
    'Pool.entries': 'POOL_OF_CLIENT_MAX',
    'Pool.shares': 'POOL_MAX',
    'Catching.leaves': 'what is certified',
    'Catching.frontier': 'what is certified',
    'ServedLedger.places': 'one for each server',
    'ServedLedger.closings': 'what is certified',
    'ServedLedger.leaves': 'what is certified',
    'ServedLedger.indexes': 'what is certified',
    'ServedLedger.lost': 'one for each server',
    'ServedLedger.passedOver': 'one for each server',
    'ServedLedger.hours': 'one for each server',
    'ServedLedger.early': 'HELD_BYTES_OF_SERVER_MAX',
    'ServedLedger.late': 'one for each server',
    'Call.answers': 'ANSWERS_BYTES_MAX',
    'LedgerClientState.servers': 'one for each server',
    'LedgerClientState.ledgers': 'its own: what its user asked for',
    'LedgerClientState.calls': 'CALLS_MAX',
    'LedgerClientState.shares': 'ANSWERS_BYTES_MAX',
    'LedgerClientState.certified': 'CERTIFIED_MAX',
    'LedgerClientState.doubted': 'one for each ledger that its user opened',
  }

  it('of the states', () => expect(gapsIn(['ledger/server/state.ts', 'ledger/client/state.ts'], GROWING)).toEqual([]))
})
