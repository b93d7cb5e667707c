// Others keep the ledger: the chain from the genesis to the keepers of now, in a calm world and by hand.

import { describe, expect, it } from 'vitest'
import { calm, World } from '../simulator/index.ts'
import { noteBytes } from './checkpoint.ts'
import { ledgerClient } from './client/machine.ts'
import type { LedgerEvent } from './client/state.ts'
import type { Descriptor, Voter } from './genesis.ts'
import { encodeDescriptor, followEpochs, readDescriptor } from './light.ts'
import { firstDisk, firstSalt, ideals, makeLedger, nextEpoch, serverSettings, signed } from './proof/actors.ts'
import { brokenLedgerRules, plantedEpochBugs } from './proof/planted.ts'
import { verifyReceipt } from './receipt.ts'
import { ledgerServer } from './server/machine.ts'
import type { LedgerServerState } from './server/state.ts'
import { ledgerDefaults } from './settings.ts'
import { type EpochStep, writeTransaction } from './transactions.ts'
import { ledgerVocabulary } from './wire.ts'

const SERVERS = ['server-1', 'server-2', 'server-3', 'server-4']
const SECOND = 1_000_000

function group(bug?: string, names: readonly string[] = SERVERS) {
  const actors = ideals()
  const rules = brokenLedgerRules(bug)
  const world = new World({ seed: 1, network: calm })
  const spec = { peers: names, vocabulary: ledgerVocabulary }
  for (const id of names)
    world.add({ id, protocol: ledgerServer(serverSettings(actors, id, rules)), saved: firstDisk(id), ...spec })
  const settings = { ...ledgerDefaults, suite: actors.suite, liars: 0, crashes: 1 }
  for (const id of ['client', 'late']) world.add({ id, protocol: ledgerClient(settings), ...spec })
  const events: LedgerEvent[] = []
  world.listen((node, event) => {
    if (node.spec.id === 'client' || node.spec.id === 'late') events.push(event as LedgerEvent)
  })
  for (const id of [...names, 'client', 'late']) world.start(id)
  let ids = 0
  const run = (command: Record<string, unknown>, client = 'client'): LedgerEvent | undefined => {
    const id = ++ids
    world.command(client, { id, ...command })
    for (let i = 0; i < 100 && !events.some(event => event.id === id); i++) world.run(world.now + SECOND / 10)
    return events.find(event => event.id === id)
  }
  const coins = makeLedger(actors, { name: 'coins', servers: names, crashes: 1, liars: 0, balances: { alice: 100n } })
  run({ kind: 'create', genesis: encodeDescriptor(coins) })
  world.command('client', { kind: 'open', genesis: encodeDescriptor(coins) })
  const pay = (sequence: number, from = 'alice', target = 'bob') => {
    const to = actors.signer(target).publicKey
    const fields = { register: 0, sequence, asset: coins.id, to, amount: 1n, until: 1_000, memo: '' }
    const event = run({
      kind: 'submit',
      ledger: coins.hex,
      leaf: signed(actors, coins, from, { kind: 'transfer', ...fields }),
    })
    return (event as LedgerEvent & { kind: 'receipt' }).receipt
  }
  const state = (id: string) => world.node(id).host!.state as LedgerServerState
  return { actors, world, run, events, coins, pay, state }
}

/** The epoch as the operator signs it, with the pledges of those it names, handed in. */
function change({ actors, run, coins }: ReturnType<typeof group>, ledger: Descriptor, servers: readonly Voter[]) {
  const next = nextEpoch(actors, ledger, { servers, crashes: 1, liars: 0 })
  const pledged = run({ kind: 'pledge', ledger: coins.hex, leaf: writeTransaction(next) })
  const { pledges } = pledged as LedgerEvent & { kind: 'pledged' }
  return run({ kind: 'submit', ledger: coins.hex, leaf: writeTransaction({ ...next, pledges }) })
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
    const next = nextEpoch(actors, coins, {
      servers: [...coins.genesis.servers.slice(0, 3), fresh],
      crashes: 1,
      liars: 0,
    })
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
    // Who kept it before signs what came after.
    const votes = SERVERS.slice(0, 3).map((name, server) => {
      return { server, signature: actors.voter(name)(firstSalt(name)).sign(noteBytes(coins, after.checkpoint)) }
    })
    const replaced = { ...after, checkpoint: { ...after.checkpoint, votes } }
    expect(() => verifyReceipt(replaced, known, actors.suite)).toThrow(
      'it is of epoch 0, which ended at 2 leaves, and claims 3',
    )
    const file = encodeDescriptor(known)
    expect(readDescriptor(file, actors.suite)).toEqual(known)
    const turned = { ...steps[0]!, path: [...steps[0]!.path].reverse() }
    if (turned.path.length > 1) expect(() => followEpochs(coins, [turned], actors.suite)).toThrow('not the last')
    expect(() => followEpochs(known, steps as EpochStep[], actors.suite)).toThrow('was replaced')
  })
  it('nobody but the operators names keepers', () => {
    const { actors, run, coins } = group()
    const next = nextEpoch(actors, coins, coins.genesis, 'mallory')
    expect(run({ kind: 'pledge', ledger: coins.hex, leaf: writeTransaction(next) })).toMatchObject({ code: 'epoch' })
  })
})

describe('one that is left out', () => {
  const five = [...SERVERS, 'server-5']
  const voters = ({ genesis }: Descriptor) => genesis.servers.slice(0, 4)

  it('and does not know it, is not counted: what it refuses is not refused', () => {
    const one = group(undefined, five)
    const { world, coins, pay } = one
    world.crash('server-5')
    expect(change(one, coins, voters(coins))?.kind).toBe('receipt')
    pay(0)
    // Its log ends before bob was paid.
    world.start('server-5')
    expect(pay(0, 'bob', 'alice')?.index).toBe(2)
  })
  it('whoever reads without knowing of it is told first, also where nothing has happened since', () => {
    const one = group(undefined, five)
    const { world, run, coins, events } = one
    change(one, coins, voters(coins))
    world.command('late', { kind: 'open', genesis: encodeDescriptor(coins) })
    world.run(world.now + SECOND)
    events.length = 0
    expect(run({ kind: 'ask', ledger: coins.hex, question: { kind: 'head' } }, 'late')?.kind).toBe('answer')
    expect(events.find(event => event.kind === 'epoch')?.descriptor.epochs).toHaveLength(2)
  })
  it('and is named again, knows it when somebody reads, also where nothing has happened since', () => {
    const one = group(undefined, five)
    const { world, run, coins, events } = one
    const read = () => run({ kind: 'ask', ledger: coins.hex, question: { kind: 'head' } })?.kind
    // Servers that have just started ask the others what they keep.
    world.run(world.now + 10 * SECOND)
    change(one, coins, voters(coins))
    read()
    const known = events.findLast(event => event.kind === 'epoch')!.descriptor
    expect(change(one, known, coins.genesis.servers)?.kind).toBe('receipt')
    // All others are needed for an answer, and nobody has told it that it keeps the ledger.
    world.crash('server-1')
    expect(read()).toBe('answer')
  })
  it('loses its store, hears how the ledger went on, and is named again', () => {
    const one = group(undefined, five)
    const { actors, world, coins, pay, state, events } = one
    const known = () => events.findLast(event => event.kind === 'epoch')!.descriptor
    change(one, coins, voters(coins))
    pay(0)
    world.lose('server-5')
    world.start('server-5')
    world.run(world.now + 3 * SECOND)
    const held = state('server-5').ledgers.get(coins.hex)!
    expect([held.keepers.number, held.place, held.lost, held.head.size]).toEqual([1, -1, undefined, 2])
    const salt = state('server-5').salt!
    const fresh = { name: 'server-5', key: actors.voter('server-5')(salt).publicKey, salt }
    world.crash('server-4')
    expect(change(one, known(), [...voters(coins), fresh])?.kind).toBe('receipt')
    expect(pay(1).index).toBe(3)
  })
})

/** What each planted bug of changing keepers leads to, and the rules do not. */
const STORIES: Readonly<Record<string, (bug?: string) => boolean>> = {
  // A height is under way, and two leaves wait for the next, the epoch first: what comes behind it must be certified by those who keep it then.
  'epoch-in-the-middle': bug => {
    const one = group(bug)
    const { actors, world, run, coins, state } = one
    const next = nextEpoch(actors, coins, coins.genesis)
    const pledged = run({ kind: 'pledge', ledger: coins.hex, leaf: writeTransaction(next) })
    const { pledges } = pledged as LedgerEvent & { kind: 'pledged' }
    const to = actors.signer('bob').publicKey
    const fields = { register: 0, asset: coins.id, to, amount: 1n, until: 1_000, memo: '' }
    const paid = (sequence: number) => signed(actors, coins, 'alice', { kind: 'transfer', sequence, ...fields })
    for (const [id, leaf] of [paid(0), writeTransaction({ ...next, pledges }), paid(1)].entries())
      world.command('client', { kind: 'submit', id: 100 + id, ledger: coins.hex, leaf })
    world.run(world.now + SECOND)
    const { closings, descriptor, leaves } = state('server-1').ledgers.get(coins.hex)!
    expect(leaves.length).toBe(3)
    return closings[0]!.size === descriptor.epochs[1]!.from
  },
  // It lost its store and got a fresh key; it voted under that, and lost its store again.
  'fresh-key-forgets': bug => {
    const one = group(bug)
    const { actors, world, coins, pay, state } = one
    const lose = () => {
      world.lose('server-4')
      world.start('server-4')
      world.run(world.now + 2 * SECOND)
    }
    lose()
    const salt = state('server-4').salt!
    const fresh = { name: 'server-4', key: actors.voter('server-4')(salt).publicKey, salt }
    expect(change(one, coins, [...coins.genesis.servers.slice(0, 3), fresh])?.kind).toBe('receipt')
    pay(0)
    lose()
    const { keepers, lost } = state('server-4').ledgers.get(coins.hex)!
    expect(keepers.number).toBe(1)
    return lost !== undefined
  },
}

describe('planted bugs of changing keepers', () => {
  it('none is forgotten', () => expect(Object.keys(STORIES).sort()).toEqual(Object.keys(plantedEpochBugs).sort()))
  it.each(Object.entries(STORIES))('%s', (bug, story) => {
    expect([story(), story(bug)]).toEqual([true, false])
  })
})
