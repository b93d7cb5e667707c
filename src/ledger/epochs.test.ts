// Others keep the ledger: the chain from the genesis to the keepers of now, in a calm world and by hand.

import { describe, expect, it } from 'vitest'
import { calm, World } from '../simulator/index.ts'
import { ledgerClient } from './client/machine.ts'
import type { LedgerEvent } from './client/state.ts'
import { type Descriptor, epochHash, newestEpoch, type Voter } from './genesis.ts'
import { encodeDescriptor, followEpochs, readDescriptor } from './light.ts'
import { type Actors, firstDisk, ideals, makeLedger, serverSettings, signed } from './proof/actors.ts'
import { verifyReceipt } from './receipt.ts'
import { ledgerServer } from './server/machine.ts'
import type { LedgerServerState } from './server/state.ts'
import { ledgerDefaults } from './settings.ts'
import { type EpochStep, signingBytes, type Transaction, writeTransaction } from './transactions.ts'
import { ledgerVocabulary } from './wire.ts'

const SERVERS = ['server-1', 'server-2', 'server-3', 'server-4']
const SECOND = 1_000_000

function group() {
  const actors = ideals()
  const world = new World({ seed: 1, network: calm })
  const spec = { peers: SERVERS, vocabulary: ledgerVocabulary }
  for (const id of SERVERS)
    world.add({ id, protocol: ledgerServer(serverSettings(actors, id)), saved: firstDisk(id), ...spec })
  const settings = { ...ledgerDefaults, suite: actors.suite, liars: 0, crashes: 1 }
  world.add({ id: 'client', protocol: ledgerClient(settings), ...spec })
  const events: LedgerEvent[] = []
  world.listen((node, event) => {
    if (node.spec.id === 'client') events.push(event as LedgerEvent)
  })
  for (const id of [...SERVERS, 'client']) world.start(id)
  let ids = 0
  const run = (command: Record<string, unknown>): LedgerEvent | undefined => {
    const id = ++ids
    world.command('client', { id, ...command })
    for (let i = 0; i < 100 && !events.some(event => event.id === id); i++) world.run(world.now + SECOND / 10)
    return events.find(event => event.id === id)
  }
  const coins = makeLedger(actors, { name: 'coins', servers: SERVERS, crashes: 1, liars: 0, balances: { alice: 100n } })
  run({ kind: 'create', genesis: encodeDescriptor(coins) })
  world.command('client', { kind: 'open', genesis: encodeDescriptor(coins) })
  const pay = (sequence: number) => {
    const to = actors.signer('bob').publicKey
    const fields = { register: 0, sequence, asset: coins.id, to, amount: 1n, until: 1_000, memo: '' }
    const event = run({
      kind: 'submit',
      ledger: coins.hex,
      leaf: signed(actors, coins, 'alice', { kind: 'transfer', ...fields }),
    })
    return (event as LedgerEvent & { kind: 'receipt' }).receipt
  }
  const state = (id: string) => world.node(id).host!.state as LedgerServerState
  return { actors, world, run, events, coins, pay, state }
}

function draft(actors: Actors, ledger: Descriptor, servers: readonly Voter[], operator = 'operator') {
  const now = newestEpoch(ledger)
  const previous = epochHash(ledger, now, actors.suite)
  const unsigned = {
    kind: 'epoch' as const,
    number: now.number + 1,
    previous,
    servers,
    crashes: 1,
    liars: 0,
    signatures: [],
    pledges: [],
  } satisfies Transaction
  const signature = actors.signer(operator).sign(signingBytes(ledger.id, unsigned))
  return { ...unsigned, signatures: [{ server: 0, signature }] }
}

describe('epochs', () => {
  it('a server that lost its store keeps the ledger under a fresh key; old receipts hold, and the chain is checked', () => {
    const { actors, world, run, events, coins, pay, state } = group()
    const before = pay(0)
    world.lose('server-4')
    world.start('server-4')
    world.run(world.now + 2 * SECOND)
    const salt = state('server-4').salt!
    const fresh = { name: 'server-4', key: actors.voter('server-4')(salt).publicKey, salt }
    const next = draft(actors, coins, [...coins.genesis.servers.slice(0, 3), fresh])
    const pledged = run({ kind: 'pledge', ledger: coins.hex, leaf: writeTransaction(next) })
    expect(pledged).toMatchObject({ kind: 'pledged' })
    const { pledges } = pledged as LedgerEvent & { kind: 'pledged' }
    expect(pledges.length).toBeGreaterThanOrEqual(3)
    expect(run({ kind: 'submit', ledger: coins.hex, leaf: writeTransaction(next) })).toMatchObject({ code: 'unsigned' })
    expect(run({ kind: 'submit', ledger: coins.hex, leaf: writeTransaction({ ...next, pledges }) })?.kind).toBe(
      'receipt',
    )
    const after = pay(1)
    world.run(world.now + SECOND)
    const steps = events.flatMap(event => (event.kind === 'epoch' ? event.steps : []))
    expect(steps).toHaveLength(1)
    for (const id of SERVERS) {
      const held = state(id).ledgers.get(coins.hex)!
      expect([held.keepers.number, held.lost, held.head.size]).toEqual([1, undefined, 3])
    }
    const known = followEpochs(coins, steps as EpochStep[], actors.suite)
    for (const receipt of [before, after]) expect(verifyReceipt(receipt, known, actors.suite).kind).toBe('transfer')
    expect(() => verifyReceipt(after, coins, actors.suite)).toThrow('does not hold')
    const file = encodeDescriptor(known)
    expect(readDescriptor(file, actors.suite)).toEqual(known)
    const turned = { ...steps[0]!, path: [...steps[0]!.path].reverse() }
    if (turned.path.length > 1) expect(() => followEpochs(coins, [turned], actors.suite)).toThrow('not the last')
    expect(() => followEpochs(known, steps as EpochStep[], actors.suite)).toThrow('was replaced')
  })
  it('nobody but the operators names keepers', () => {
    const { actors, run, coins } = group()
    const next = draft(actors, coins, coins.genesis.servers, 'mallory')
    expect(run({ kind: 'pledge', ledger: coins.hex, leaf: writeTransaction(next) })).toMatchObject({ code: 'epoch' })
  })
})
