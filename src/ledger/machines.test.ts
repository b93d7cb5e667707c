// Servers and clients of ledgers together, in a calm world: what is promised to a user, step by step.

import { describe, expect, it } from 'vitest'
import { encode, fromHex, toHex } from '../core/index.ts'
import { calm, type Liar, twisting, World } from '../simulator/index.ts'
import { ledgerClient } from './client/machine.ts'
import type { LedgerEvent } from './client/state.ts'
import { genesisCodec } from './genesis.ts'
import { PATIENCE_MIN } from './leaders.ts'
import { encodeDescriptor } from './light.ts'
import { type Actors, firstDisk, ideals, linked, makeLedger, serverSettings, signed } from './proof/actors.ts'
import { type LedgerReceipt, verifyReceipt } from './receipt.ts'
import { ledgerServer } from './server/machine.ts'
import type { LedgerServerState } from './server/state.ts'
import { ledgerDefaults } from './settings.ts'
import { type Evidence, signingBytes, type Transaction, writeTransaction } from './transactions.ts'
import { ledgerVocabulary } from './wire.ts'

const SECOND = 1_000_000

/** It leads with payments that nobody signed. */
const proposesRubbish = twisting('proposes rubbish', (send, turn) => {
  if (send.body.kind !== 'propose') return turn.do(send as never)
  const leaves = (send.body.leaves as Uint8Array[]).map(leaf => leaf.with(-1, leaf.at(-1)! ^ 1))
  turn.do({ ...send, body: { ...send.body, leaves } } as never)
})

function open(count = 4, liars = 0, holds = false, lying: Readonly<Record<string, Liar>> = {}) {
  const actors = ideals()
  const servers = Array.from({ length: count }, (_, place) => `server-${place + 1}`)
  const world = new World({ seed: 1, network: calm })
  const spec = { peers: servers, vocabulary: ledgerVocabulary }
  for (const id of servers) {
    const honest = ledgerServer({ ...serverSettings(actors, id), holds })
    const protocol = lying[id]?.corrupt(honest) ?? honest
    world.add({ id, protocol, saved: firstDisk(id), ...spec })
  }
  const settings = { ...ledgerDefaults, suite: actors.suite, liars, crashes: 1 }
  world.add({ id: 'client', protocol: ledgerClient(settings), ...spec })
  const events: LedgerEvent[] = []
  world.listen((node, event) => {
    if (node.spec.id === 'client') events.push(event as LedgerEvent)
  })
  for (const id of [...servers, 'client']) world.start(id)
  let ids = 0
  const run = (command: Record<string, unknown>): LedgerEvent | undefined => {
    const id = ++ids
    world.command('client', { id, ...command })
    for (let i = 0; i < 100 && !events.some(event => event.id === id); i++) world.run(world.now + SECOND / 10)
    return events.find(event => event.id === id)
  }
  const create = (name: string) => {
    const coins = makeLedger(actors, { name, servers, crashes: 1, liars, balances: { alice: 1_000n, bob: 50n } })
    expect(run({ kind: 'create', genesis: encodeDescriptor(coins) })).toMatchObject({ kind: 'created', ok: true })
    world.command('client', { kind: 'open', genesis: encodeDescriptor(coins) })
    return coins
  }
  const submit = (ledger: { hex: string }, leaf: Uint8Array) => run({ kind: 'submit', ledger: ledger.hex, leaf })
  return { actors, servers, world, run, create, submit, events }
}

const state = (world: World, id: string) => world.node(id).host!.state as LedgerServerState

function transfer(
  actors: Actors,
  ledger: ReturnType<typeof makeLedger>,
  from: string,
  to: string,
  sequence: number,
  amount: bigint,
) {
  return signed(actors, ledger, from, {
    kind: 'transfer',
    register: 0,
    sequence,
    asset: ledger.id,
    to: actors.signer(to).publicKey,
    amount,
    until: 10_000,
    memo: '',
  })
}

const proofOf = ({ ledger, leaf, index, path, checkpoint }: LedgerReceipt): Evidence => ({
  kind: 'proof',
  ledger,
  leaf,
  index,
  path,
  checkpoint,
})

describe('a ledger', () => {
  it('is found by its name, and by nobody who does not know one', () => {
    const { create, run } = open()
    const coins = create('coins')
    expect(run({ kind: 'find', name: 'coins' })).toMatchObject({ genesis: encode(genesisCodec, coins.genesis) })
    expect(run({ kind: 'find', name: 'others' })).toMatchObject({ kind: 'found', genesis: undefined })
  })

  it.each([
    [4, 0],
    [6, 1],
  ])('of %i servers, %i lying: a transfer is final, and its receipt holds', (count, liars) => {
    const { actors, create, submit, run, world, servers } = open(count, liars)
    const coins = create('coins')
    const event = submit(coins, transfer(actors, coins, 'alice', 'bob', 0, 250n))
    expect(event?.kind).toBe('receipt')
    const { receipt } = event as LedgerEvent & { kind: 'receipt' }
    expect(receipt.index).toBe(0)
    expect(verifyReceipt(receipt, coins, actors.suite)).toMatchObject({ kind: 'transfer', amount: 250n })
    const bob = run({
      kind: 'ask',
      ledger: coins.hex,
      question: { kind: 'account', register: 0, key: actors.signer('bob').publicKey },
    })
    expect(bob).toMatchObject({ answer: { kind: 'account', next: 0, balances: [{ amount: 300n }] } })
    world.run(world.now + SECOND)
    const roots = servers.map(id => toHex(state(world, id).ledgers.get(coins.hex)!.head.root))
    expect(new Set(roots).size).toBe(1)
  })

  it('refuses what cannot be, and says why; waits for a sequence that is ahead', () => {
    const { actors, create, submit, world, events } = open()
    const coins = create('coins')
    expect(submit(coins, transfer(actors, coins, 'alice', 'bob', 0, 2_000n))).toMatchObject({
      kind: 'refused',
      code: 'balance',
    })
    expect(submit(coins, transfer(actors, coins, 'carol', 'bob', 0, 1n))).toMatchObject({
      kind: 'refused',
      code: 'balance',
    })
    expect(submit(coins, transfer(actors, coins, 'alice', 'bob', 65, 1n))).toMatchObject({
      kind: 'refused',
      code: 'sequence ahead',
    })
    world.command('client', {
      kind: 'submit',
      id: 901,
      ledger: coins.hex,
      leaf: transfer(actors, coins, 'alice', 'bob', 1, 1n),
    })
    // As far ahead as may wait.
    const last = transfer(actors, coins, 'alice', 'bob', 64, 1n)
    world.command('client', { kind: 'submit', id: 902, ledger: coins.hex, leaf: last })
    world.run(world.now + SECOND)
    for (const id of [901, 902]) expect(events.find(event => event.id === id)).toBeUndefined()
    expect(submit(coins, transfer(actors, coins, 'alice', 'bob', 0, 1n))).toMatchObject({ kind: 'receipt' })
    world.run(world.now + SECOND)
    expect(events.find(event => event.id === 901)).toMatchObject({ kind: 'receipt' })
    expect(submit(coins, transfer(actors, coins, 'alice', 'carol', 0, 7n))).toMatchObject({
      kind: 'refused',
      code: 'sequence used',
    })
    const forged = transfer(actors, coins, 'alice', 'bob', 2, 5n)
    forged[forged.length - 40]! ^= 1
    expect(submit(coins, forged)).toMatchObject({ kind: 'refused', code: 'unsigned' })
  })

  it('goes on without its leader, and a server that comes back catches up', () => {
    const { actors, create, submit, world } = open()
    const coins = create('coins')
    // Leads attempt 1 of the first fifteen heights.
    world.crash('server-2')
    for (let i = 0; i < 3; i++)
      expect(submit(coins, transfer(actors, coins, 'alice', 'bob', i, 1n))).toMatchObject({ kind: 'receipt' })
    world.start('server-2')
    expect(submit(coins, transfer(actors, coins, 'alice', 'bob', 3, 1n))).toMatchObject({ kind: 'receipt' })
    world.run(world.now + 5 * SECOND)
    expect(state(world, 'server-2').ledgers.get(coins.hex)!.leaves.length).toBe(4)
  })

  describe('a leader that is gone', () => {
    /** Pays until that height, one payment a height, and says at which heights somebody waited for a time-out. */
    function paying(liars: Readonly<Record<string, Liar>> = {}, count = 4) {
      const { actors, create, submit, world } = open(count, count === 4 ? 0 : 1, false, liars)
      const coins = create('coins')
      const attempts: number[] = []
      const waited: number[] = []
      const waits: number[] = []
      let sequence = 0
      const head = () => state(world, 'server-1').ledgers.get(coins.hex)!.head
      const payUntil = (height: number) => {
        while (head().height < height) {
          const began = world.now
          expect(submit(coins, transfer(actors, coins, 'alice', 'bob', sequence++, 1n))).toMatchObject({
            kind: 'receipt',
          })
          const now = head()
          attempts[now.height] = now.attempt
          waits[now.height] = (world.now - began) / 1_000
          if (waits[now.height]! >= PATIENCE_MIN) waited.push(now.height)
        }
      }
      return { world, payUntil, attempts, waited, waits, attemptMax: serverSettings(actors, 'server-1').attemptMax }
    }

    it('is waited for once: in its turn it is passed over, and in the next turn it leads again', () => {
      const { world, payUntil, attempts, waited } = paying()
      world.crash('server-2')
      payUntil(6)
      // It is back, and is heard again; the turn is over soon.
      world.start('server-2')
      payUntil(66)
      expect(waited).toEqual([1])
      expect(attempts.slice(1, 16)).toEqual(Array.from({ length: 15 }, () => 2))
      expect(attempts.slice(16, 67)).toEqual(Array.from({ length: 51 }, () => 1))
    })

    it('is not waited for where it was silent for a whole turn before its own', () => {
      const { world, payUntil, attempts, waited } = paying()
      world.crash('server-4')
      payUntil(50)
      // It leads from height 32 to 47.
      expect([waited, attempts.slice(1, 32), attempts.slice(32, 48)]).toEqual([
        [],
        Array.from({ length: 31 }, () => 1),
        Array.from({ length: 16 }, () => 2),
      ])
    })

    it('whom the leader before it shows no proposals is passed over for one height, and for no more in later turns', () => {
      // It hears of each height when that is certified, and votes in none of sixteen, just before its own turn.
      const hides = twisting('shows nothing to the next leader', (send, turn) => {
        if (send.to !== 'server-3' || send.body.kind !== 'propose') turn.do(send as never)
      })
      const { payUntil, attempts, waited } = paying({ 'server-2': hides }, 6)
      payUntil(5 * 96 + 32)
      const turns = [1, 2, 3, 4, 5].map(turn => attempts.slice(96 * turn + 16, 96 * turn + 32))
      expect(turns).toEqual(turns.map(() => [2, ...Array.from({ length: 15 }, () => 1)]))
      expect(waited).toEqual([])
    })

    it('is not waited for once it has proposed what cannot be', () => {
      const { payUntil, attempts, waited } = paying({ 'server-2': proposesRubbish }, 6)
      payUntil(20)
      expect([waited, attempts.slice(1)]).toEqual([[], [...Array.from({ length: 15 }, () => 2), 1, 1, 1, 1, 1]])
    })

    // It leads the turns that begin with heights 0, 64, 128, …
    it('is waited for less and less often where it votes, also by a server that restarts; it leads when its time has come', () => {
      let proposes = false
      const mute = twisting('proposes nothing', (send, turn) => {
        if (proposes || send.body.kind !== 'propose') turn.do(send as never)
      })
      const { world, payUntil, attempts, waited, waits, attemptMax } = paying({ 'server-2': mute })
      payUntil(100)
      // First as long as the setting says; then by how long heights take.
      expect(waits[1]).toBeGreaterThanOrEqual(attemptMax)
      expect(waits[64]).toBeLessThan(attemptMax)
      for (const server of ['server-1', 'server-3', 'server-4']) {
        world.crash(server)
        world.start(server)
      }
      world.run(world.now + SECOND)
      payUntil(340)
      expect(waited).toEqual([1, 64, 320])
      expect(attempts[130]).toBe(2)
      proposes = true
      payUntil(390)
      // The second turn of fifteen in which it is passed over: by reports, without a wait.
      expect([waited.length, attempts[383], attempts[384]]).toEqual([3, 1, 2])
    })
  })

  it('a server restarts with what it saved, and one without its store votes only when its votes are behind', () => {
    const { actors, create, submit, world } = open()
    const coins = create('coins')
    for (let i = 0; i < 3; i++) submit(coins, transfer(actors, coins, 'alice', 'bob', i, 1n))
    world.crash('server-1')
    world.start('server-1')
    expect(state(world, 'server-1').ledgers.get(coins.hex)!.leaves.length).toBeGreaterThanOrEqual(2)
    world.crash('server-3')
    world.lose('server-3')
    world.start('server-3')
    for (let i = 3; i < 6; i++)
      expect(submit(coins, transfer(actors, coins, 'alice', 'bob', i, 1n))).toMatchObject({ kind: 'receipt' })
    world.run(world.now + 5 * SECOND)
    const back = state(world, 'server-3').ledgers.get(coins.hex)!
    expect(back.leaves.length).toBe(6)
    expect(back.lost).toBeUndefined()
  })

  it('one with an old copy of its store votes only when its votes are behind, also after it was started again', () => {
    const { actors, create, submit, world } = open()
    const [coins, pay] = [
      create('coins'),
      (at: number) => submit(coins, transfer(actors, coins, 'alice', 'bob', at, 1n)),
    ]
    const ledger = () => state(world, 'server-3').ledgers.get(coins.hex)!
    for (let i = 0; i < 2; i++) pay(i)
    const copy = world.node('server-3').disk.read()
    for (let i = 2; i < 4; i++) pay(i)
    world.putBack('server-3', copy)
    world.start('server-3')
    world.command('server-3', { kind: 'lost' })
    expect([ledger().lost?.size, ledger().round.vote]).toEqual([0, undefined])
    world.run(world.now + 5 * SECOND)
    world.crash('server-3')
    world.start('server-3')
    world.run(world.now + 5 * SECOND)
    // All that was certified is here, and the height in which it may have voted last is the next one.
    expect([ledger().head.height, ledger().lost?.size]).toEqual([4, 3])
    for (let i = 4; i < 7; i++) expect(pay(i)?.kind).toBe('receipt')
    world.run(world.now + SECOND)
    expect(ledger().lost).toBeUndefined()
    const again = create('later')
    expect(state(world, 'server-3').ledgers.get(again.hex)!.lost).toBeDefined()
  })

  it('one that waits to hear whether its store is an old copy neither votes, offers a key nor vouches', () => {
    const { actors, create, submit, world, servers, run } = open(4, 0, true)
    for (const id of servers.slice(0, 3)) world.command(id, { kind: 'go' })
    expect(run({ kind: 'offers', of: ['server-4'], needed: 1 })).toBeUndefined()
    const coins = create('coins')
    const pay = (at: number) => submit(coins, transfer(actors, coins, 'alice', 'bob', at, 1n))
    expect(pay(0)?.kind).toBe('receipt')
    world.lose('server-3')
    world.start('server-3')
    world.command('server-3', { kind: 'go' })
    expect(pay(1)).toBeUndefined()
    expect(state(world, 'server-4').ledgers.get(coins.hex)!.voted).toBe(0)
    expect(state(world, 'server-3').ledgers.get(coins.hex)!.lost!.size).toBe(2)
    world.command('server-4', { kind: 'go' })
    world.run(world.now + 5 * SECOND)
    expect(pay(2)?.kind).toBe('receipt')
  })
})

describe('moving between two ledgers', () => {
  function linkedPair() {
    const opened = open()
    const [a, b] = [opened.create('a'), opened.create('b')]
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const link = { number: 0, peer: encodeDescriptor(other), cap: 500n, rate: 0n, window: 0 }
      expect(opened.submit(one, linked(opened.actors, one, link))).toMatchObject({ kind: 'receipt' })
    }
    const burn = (sequence: number, amount: bigint) => {
      const leaf = signed(opened.actors, a, 'alice', {
        kind: 'burn',
        register: 0,
        sequence,
        asset: a.id,
        to: opened.actors.signer('bob').publicKey,
        amount,
        until: 10_000,
        peer: b.id,
        expires: 0,
      })
      return (opened.submit(a, leaf) as LedgerEvent & { kind: 'receipt' }).receipt
    }
    return { ...opened, a, b, burn }
  }

  it('burn and mint: once', () => {
    const { a, b, burn, submit, actors, run } = linkedPair()
    const receipt = burn(0, 100n)
    const mint = writeTransaction({ kind: 'mint', register: 0, evidence: proofOf(receipt) })
    expect(submit(b, mint)).toMatchObject({ kind: 'receipt' })
    const again = { kind: 'mint' as const, register: 0, evidence: { ...proofOf(receipt), path: receipt.path } }
    // The same burn under a newer certificate is other bytes.
    submit(a, transfer(actors, a, 'alice', 'bob', 1, 1n))
    const newer = (run({ kind: 'prove', ledger: a.hex, index: receipt.index }) as LedgerEvent & { kind: 'receipt' })
      .receipt
    expect(submit(b, writeTransaction({ ...again, evidence: proofOf(newer) }))).toMatchObject({
      kind: 'refused',
      code: 'spent',
    })
    const bob = run({
      kind: 'ask',
      ledger: b.hex,
      question: { kind: 'account', register: 0, key: actors.signer('bob').publicKey },
    })
    const { answer } = bob as LedgerEvent & { kind: 'answer' }
    expect(answer).toMatchObject({ balances: expect.arrayContaining([{ asset: a.id, amount: 100n }]) })
  })

  it('the servers of the other ledger are gone for a minute between burn and mint: it arrives, and once', () => {
    const { a, b, burn, submit, world, servers, actors, run } = linkedPair()
    const receipt = burn(0, 100n)
    for (const id of servers) world.crash(id)
    world.run(world.now + 60 * SECOND)
    for (const id of servers) world.start(id)
    const mint = writeTransaction({ kind: 'mint', register: 0, evidence: proofOf(receipt) })
    expect(submit(b, mint)).toMatchObject({ kind: 'receipt', receipt: { index: 1 } })
    expect(submit(b, mint)).toMatchObject({ kind: 'receipt', receipt: { index: 1 } })
    const question = { kind: 'account', register: 0, key: actors.signer('bob').publicKey }
    const { answer } = run({ kind: 'ask', ledger: b.hex, question }) as LedgerEvent & { kind: 'answer' }
    expect(answer).toMatchObject({ balances: expect.arrayContaining([{ asset: a.id, amount: 100n }]) })
  })

  it('burn, void, refund: and then no mint, and no second refund', () => {
    const { a, b, burn, submit, actors } = linkedPair()
    const receipt = burn(0, 100n)
    const unsigned: Transaction = {
      kind: 'void',
      register: 0,
      evidence: proofOf(receipt),
      signature: new Uint8Array(0),
    }
    const signature = actors.signer('alice').sign(signingBytes(fromHex(b.registerIds[0]!)!, unsigned))
    const voided = submit(b, writeTransaction({ ...unsigned, signature })) as LedgerEvent & { kind: 'receipt' }
    expect(voided.kind).toBe('receipt')
    expect(submit(b, writeTransaction({ kind: 'mint', register: 0, evidence: proofOf(receipt) }))).toMatchObject({
      code: 'spent',
    })
    const refund = { kind: 'refund' as const, register: 0, evidence: proofOf(voided.receipt) }
    expect(submit(a, writeTransaction(refund))).toMatchObject({ kind: 'receipt' })
    const other = { ...refund, evidence: { ...proofOf(voided.receipt), checkpoint: voided.receipt.checkpoint } }
    expect(submit(a, writeTransaction(other))).toMatchObject({ kind: 'receipt' })
  })
})
