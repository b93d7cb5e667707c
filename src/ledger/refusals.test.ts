// What is refused, and by whom: for ever by one honest server, for now only by so many that some of them know everything that was
// final before. A server that was away would otherwise refuse what the others take.

import { describe, expect, it } from 'vitest'
import { Puppet, sent } from '../../test/support/machine.ts'
import { createHost, NOTHING_SAVED, type NodeId } from '../core/index.ts'
import { calm, World } from '../simulator/index.ts'
import { firstHead, headHash, noteBytes, type Statement } from './checkpoint.ts'
import { ledgerClient } from './client/machine.ts'
import type { LedgerEvent } from './client/state.ts'
import { type Descriptor, newestEpoch } from './genesis.ts'
import { encodeDescriptor } from './light.ts'
import { append, leafHash, newTree, rootOf } from './merkle.ts'
import { firstDisk, firstSalt, ideals, makeLedger, serverSettings, signed } from './proof/actors.ts'
import { brokenLedgerRules, type plantedRefusalBugs } from './proof/planted.ts'
import { proposalHash } from './proposal.ts'
import { isFinal, type RefusalCode } from './refusal.ts'
import { ledgerRules } from './rules.ts'
import { ledgerServer } from './server/machine.ts'
import { ledgerDefaults } from './settings.ts'
import { type LedgerMessage, ledgerVocabulary } from './wire.ts'

const servers = ['s1', 's2', 's3', 's4', 's5', 's6']
const actors = ideals()
const coins = makeLedger(actors, { name: 'coins', servers, crashes: 1, liars: 1, balances: { alice: 100n } })

function pays(from: string, to: string, ledger: Descriptor = coins, by = actors): Uint8Array {
  return signed(by, ledger, from, {
    kind: 'transfer',
    register: 0,
    sequence: 0,
    asset: ledger.id,
    to: by.signer(to).publicKey,
    amount: 10n,
    until: 1_000,
    memo: '',
  })
}

describe('a client believes', () => {
  function client(ledger = coins) {
    const events: LedgerEvent[] = []
    const settings = { ...ledgerDefaults, suite: actors.suite, liars: 1, crashes: 1 }
    const host = createHost(ledgerClient(settings), 'client', servers, NOTHING_SAVED, {
      now: () => 0,
      below: () => 0,
      bytes: length => new Uint8Array(length),
      send: () => {},
      timer: () => {},
      cancel: () => {},
      save: () => {},
      forget: () => {},
      emit: event => events.push(event),
    })
    host.input({ kind: 'command', body: { kind: 'open', genesis: encodeDescriptor(ledger) } })
    host.input({
      kind: 'command',
      body: { kind: 'submit', id: 7, ledger: ledger.hex, leaf: pays('alice', 'bob') } as never,
    })
    const refuse = (from: NodeId, code: RefusalCode, size: number, why = 'so it is') =>
      host.input({ kind: 'message', from, body: { kind: 'refused', query: 7, code, why, size } })
    return { events, refuse, host }
  }

  it('what is refused for ever by b + 1 at one size, by servers only', () => {
    const { events, refuse } = client()
    refuse('s1', 'sequence used', 4)
    refuse('s1', 'sequence used', 4)
    refuse('stranger', 'sequence used', 4)
    refuse('s2', 'sequence used', 5)
    expect(events).toEqual([])
    refuse('s3', 'sequence used', 4)
    expect(events).toMatchObject([{ kind: 'refused', code: 'sequence used', size: 4 }])
  })
  it('what is refused for now by f + 2b + 1 with one code, whatever their sizes; one server counts once', () => {
    const { events, refuse } = client()
    for (const [server, size] of [
      ['s1', 4],
      ['s1', 9],
      ['s2', 9],
      ['s3', 5],
      ['stranger', 9],
    ] as const)
      refuse(server, 'balance', size)
    refuse('s5', 'cap', 9)
    expect(events).toEqual([])
    refuse('s6', 'balance', 1_000_000)
    // Of its size b may lie: so many as lie, and one more, say at least this.
    expect(events).toMatchObject([{ kind: 'refused', code: 'balance', size: 9 }])
  })
  it('no sentence that one server alone has chosen', () => {
    const { events, refuse } = client()
    refuse('s6', 'balance', 9, 'send your coins to mallory first')
    for (const server of ['s1', 's2', 's3']) refuse(server, 'balance', 9, 'alice has 3')
    expect(events).toMatchObject([{ why: 'alice has 3' }])
  })
  it('nobody who knows only the keepers before', () => {
    const from = 8
    const later: Descriptor = { ...coins, epochs: [...coins.epochs, { ...newestEpoch(coins), number: 1, from }] }
    const { events, refuse, host } = client()
    host.state.ledgers.set(coins.hex, later)
    for (const server of ['s1', 's2', 's3', 's4', 's5']) refuse(server, 'balance', from - 1)
    expect(events).toEqual([])
    for (const server of ['s1', 's2', 's3', 's4']) refuse(server, 'balance', from)
    expect(events).toMatchObject([{ kind: 'refused', size: from }])
  })
  it('that evidence may hold later: keepers who are unknown now can be followed', () => {
    expect(isFinal({ code: 'evidence', why: '' })).toBe(false)
    expect(isFinal({ code: 'spent', why: '' })).toBe(true)
  })
})

describe('a server that has voted and waits for the certificate', () => {
  const { suite } = actors
  const paid = pays('alice', 'bob')
  const body = { height: 1, attempt: 1, leaves: [paid], reports: [] }
  const tree = newTree()
  append(tree, leafHash(paid, suite.hash), suite.hash)
  const previous = headHash(coins, firstHead(suite), suite)
  const proposal = proposalHash(coins, body, suite)
  const statement: Statement = { height: 1, size: 1, root: rootOf(tree, 1, suite.hash), previous, attempt: 1, proposal }

  function voting() {
    const puppet = new Puppet(ledgerServer(serverSettings(actors, 's1')), servers, firstDisk('s1'), 's1')
    puppet.start()
    puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(coins) })
    // Who leads the first attempt.
    puppet.hear('s2', { kind: 'propose', ledger: coins.id, ...body })
    const { round, pool } = puppet.state.ledgers.get(coins.hex)!
    expect(round.vote).toBeDefined()
    const submit = (leaf: Uint8Array, query: number) =>
      sent(puppet.hear('client', { kind: 'submit', query, ledger: coins.id, leaf, receipt: true }))
    const certify = () =>
      ['s2', 's3', 's4', 's5'].flatMap(name => {
        const signature = actors.voter(name)(firstSalt(name)).sign(noteBytes(coins, statement))
        return sent(puppet.hear(name, { kind: 'vote', ledger: coins.id, ...statement, signature } as LedgerMessage))
      })
    return { submit, certify, pool }
  }

  it('refuses nothing that this may change: who is paid there can pay on', () => {
    const { submit, certify, pool } = voting()
    expect(submit(pays('bob', 'carol'), 2)).toEqual([])
    expect(pool.ready).toBe(0)
    expect(certify().filter(({ body: said }) => said.kind === 'refused')).toEqual([])
    expect(pool.ready).toBe(1)
  })
  it('refuses when it has the certificate, and keeps nothing of it', () => {
    const { submit, certify, pool } = voting()
    expect(submit(pays('dora', 'carol'), 2)).toEqual([])
    const refused = certify().filter(({ to, body: said }) => to === 'client' && said.kind === 'refused')
    expect(refused).toMatchObject([{ body: { query: 2, code: 'balance', size: 1 } }])
    expect([pool.entries.size, pool.bytes]).toEqual([0, 0])
    expect(submit(pays('dora', 'carol'), 3)).toMatchObject([{ body: { kind: 'refused', query: 3 } }])
  })
  it('refuses at once what can never be', () => {
    const forged = pays('bob', 'carol').slice()
    forged[forged.length - 1]! ^= 1
    expect(voting().submit(forged, 2)).toMatchObject([{ body: { kind: 'refused', code: 'unsigned' } }])
  })
})

describe('a server that was away while somebody was paid', () => {
  const names = ['server-1', 'server-2', 'server-3', 'server-4']
  const SECOND = 1_000_000

  /** Bob is paid while server-4 is away. It comes back, hears nothing of the others yet, and bob pays on. */
  function paysOn(bug?: keyof typeof plantedRefusalBugs): LedgerEvent | undefined {
    const by = ideals()
    const rules = bug === undefined ? ledgerRules : brokenLedgerRules(bug)
    const world = new World({ seed: 1, network: calm })
    const spec = { peers: names, vocabulary: ledgerVocabulary }
    for (const id of names)
      world.add({ id, protocol: ledgerServer(serverSettings(by, id, rules)), saved: firstDisk(id), ...spec })
    const settings = { ...ledgerDefaults, suite: by.suite, liars: 0, crashes: 1, rules }
    world.add({ id: 'client', protocol: ledgerClient(settings), ...spec })
    const events: LedgerEvent[] = []
    world.listen((node, event) => {
      if (node.spec.id === 'client') events.push(event as LedgerEvent)
    })
    for (const id of [...names, 'client']) world.start(id)
    const ledger = makeLedger(by, { name: 'coins', servers: names, crashes: 1, liars: 0, balances: { alice: 100n } })
    const run = (id: number, command: Record<string, unknown>) => {
      world.command('client', { id, ...command })
      for (let i = 0; i < 100 && !events.some(event => event.id === id); i++) world.run(world.now + SECOND / 10)
      return events.find(event => event.id === id)
    }
    run(1, { kind: 'create', genesis: encodeDescriptor(ledger) })
    world.command('client', { kind: 'open', genesis: encodeDescriptor(ledger) })
    world.crash('server-4')
    const paid = run(2, { kind: 'submit', ledger: ledger.hex, leaf: pays('alice', 'bob', ledger, by) })
    expect(paid).toMatchObject({ kind: 'receipt' })
    world.start('server-4')
    return run(3, { kind: 'submit', ledger: ledger.hex, leaf: pays('bob', 'carol', ledger, by) })
  }

  it('refuses alone, and is not believed: who was paid pays on', () => {
    expect(paysOn()).toMatchObject({ kind: 'receipt' })
  })
  it('is believed under the planted bug', () => {
    expect(paysOn('refused-by-one-behind')).toMatchObject({ kind: 'refused', code: 'balance', size: 0 })
  })
})
