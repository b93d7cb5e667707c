// Attempts and claims, one word at a time: what one liar says moves nobody, what more say than can lie does.

import { describe, expect, it } from 'vitest'
import { sized } from '../../test/support/long.ts'
import { Puppet, sent } from '../../test/support/machine.ts'
import { createHost, decode, NOTHING_SAVED, type NodeId } from '../core/index.ts'
import { firstHead, headHash, noteBytes, type Statement } from './checkpoint.ts'
import { ledgerClient } from './client/machine.ts'
import type { LedgerEvent } from './client/state.ts'
import { encodeDescriptor } from './light.ts'
import { append, leafHash, newTree, rootOf } from './merkle.ts'
import { firstDisk, firstSalt, ideals, makeLedger, serverSettings, signed } from './proof/actors.ts'
import { proposalHash, type Report, reportBytes } from './proposal.ts'
import { ledgerServer } from './server/machine.ts'
import { ledgerDefaults } from './settings.ts'
import { type LedgerMessage, ledgerRecord } from './wire.ts'

const servers = ['s1', 's2', 's3', 's4', 's5', 's6']
const actors = ideals()
const coins = makeLedger(actors, { name: 'coins', servers, crashes: 1, liars: 1, balances: { alice: 100n } })
const payment = signed(actors, coins, 'alice', {
  kind: 'transfer',
  register: 0,
  sequence: 0,
  asset: coins.id,
  to: actors.signer('bob').publicKey,
  amount: 1n,
  until: 1_000,
  memo: '',
})

function server(holds = false) {
  const sent: { to: NodeId; body: LedgerMessage }[] = []
  const saved: string[] = []
  const lies: string[] = []
  let now = 0
  const timers = new Map<string, number>()
  const host = createHost(ledgerServer({ ...serverSettings(actors, 's1'), holds }), 's1', servers, firstDisk('s1'), {
    now: () => now,
    below: () => 0,
    bytes: length => new Uint8Array(length),
    send: (to, body) => sent.push({ to, body }),
    timer: (name, after) => timers.set(name, now + after),
    cancel: name => timers.delete(name),
    save: (_lane, record, _kind, durable) => {
      const read = decode(ledgerRecord, record)
      if (read.ok) saved.push(read.value.kind)
      durable?.()
    },
    forget: () => {},
    emit: event => event.kind === 'lied' && lies.push(`${event.server} ${event.what}`),
  })
  host.input({ kind: 'start' })
  const hear = (from: NodeId, body: LedgerMessage) => host.input({ kind: 'message', from, body })
  hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(coins) })
  const ledger = () => host.state.ledgers.get(coins.hex)!
  const wait = (until: number) => {
    for (;;) {
      const [next] = [...timers].sort(([, one], [, other]) => one - other)
      if (next === undefined || next[1] > until) break
      timers.delete(next[0])
      now = next[1]
      host.input({ kind: 'timer', name: next[0] })
    }
    now = until
  }
  const go = () => host.input({ kind: 'command', body: { kind: 'go' } })
  return { hear, ledger, sent, saved, wait, lies, go }
}

/** A server's report, signed: it has not voted, or this was its last vote. */
function report(place: number, attempt: number, vote?: Statement): LedgerMessage {
  const said = { server: place, height: 1, attempt, vote }
  const name = servers[place]!
  const signature = actors.voter(name)(firstSalt(name)).sign(reportBytes(coins, said))
  return { kind: 'report', ledger: coins.id, report: { ...said, signature }, opened: [] }
}

function vote(place: number, said: Statement): LedgerMessage {
  const name = servers[place]!
  const signature = actors.voter(name)(firstSalt(name)).sign(noteBytes(coins, said))
  return { kind: 'vote', ledger: coins.id, ...said, signature }
}

describe('attempts', () => {
  it('are left once: more reports of the same make no second promise', () => {
    const { hear, ledger, saved } = server()
    for (const place of [1, 2, 3]) hear(servers[place]!, report(place, 2))
    expect(ledger().round).toMatchObject({ promised: 2, attempt: 1 })
    expect(saved.filter(kind => kind === 'promised')).toHaveLength(1)
  })
  it('one that left moves nobody, b + 1 do', () => {
    const { hear, ledger } = server()
    hear('s2', report(1, 2))
    expect(ledger().round.promised).toBe(1)
    hear('s3', report(2, 2))
    expect(ledger().round.promised).toBe(2)
    expect(ledger().round.attempt).toBe(1)
  })
  it('n - f reports open the next one', () => {
    const { hear, ledger } = server()
    for (const place of [1, 2, 3]) hear(servers[place]!, report(place, 2))
    expect(ledger().round.attempt).toBe(1)
    hear('s5', report(4, 2))
    expect(ledger().round.attempt).toBe(2)
  })
  it('never more than one ahead, however long it waits and whatever is asked', () => {
    const { hear, ledger, wait, sent } = server()
    hear('client', { kind: 'submit', query: 2, ledger: coins.id, leaf: payment, receipt: true })
    wait(60_000)
    expect(ledger().round).toMatchObject({ attempt: 1, promised: 2 })
    hear('s2', report(1, 10_000))
    hear('s3', report(2, 10_000))
    wait(120_000)
    expect(ledger().round).toMatchObject({ attempt: 1, promised: 2 })
    const attempts = sent.flatMap(({ body }) => (body.kind === 'report' ? [body.report.attempt] : []))
    expect(new Set(attempts)).toEqual(new Set([2]))
  })
  it('whose time is up while it may not promise is left when it may', () => {
    const { hear, ledger, wait, go } = server(true)
    hear('client', { kind: 'submit', query: 2, ledger: coins.id, leaf: payment, receipt: true })
    wait(5_000)
    expect(ledger().round.promised).toBe(1)
    go()
    wait(6_000)
    expect(ledger().round.promised).toBe(2)
  })
  it('is left when its time is up, and not before', () => {
    const { hear, ledger, wait } = server()
    const { attemptMax } = serverSettings(actors, 's1')
    hear('client', { kind: 'submit', query: 2, ledger: coins.id, leaf: payment, receipt: true })
    wait(attemptMax - 1)
    expect(ledger().round.promised).toBe(1)
    wait(attemptMax)
    expect(ledger().round.promised).toBe(2)
  })
  it("another's report, a forged one and one of another height count for nothing", () => {
    const { hear, ledger } = server()
    hear('s2', report(2, 2))
    const other = report(2, 3)
    if (other.kind !== 'report') throw new Error('a report')
    hear('s3', { ...other, report: { ...other.report, attempt: 2 } })
    hear('client', report(3, 2))
    expect(ledger().round.reports.size).toBe(0)
    expect(ledger().round.promised).toBe(1)
  })
})

describe('what reports rest on', () => {
  const { suite } = actors
  const body = { height: 1, attempt: 1, leaves: [payment], reports: [] }
  const proposal = proposalHash(coins, body, suite)
  const tree = newTree()
  append(tree, leafHash(payment, suite.hash), suite.hash)
  const previous = headHash(coins, firstHead(suite), suite)
  const voted: Statement = { height: 1, size: 1, root: rootOf(tree, 1, suite.hash), previous, attempt: 1, proposal }

  // Its only voter loses its store, the others who saw it restart: nobody can show it, and nobody who was away can follow.
  it('is there after a restart of one that was let into an attempt by it, and did not vote for it', () => {
    const puppet = new Puppet(ledgerServer(serverSettings(actors, 's1')), servers, firstDisk('s1'), 's1')
    puppet.start()
    puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(coins) })
    puppet.hear('client', { kind: 'submit', query: 2, ledger: coins.id, leaf: payment, receipt: true })
    // Handed on by one that voted for it: who does not hear it from the leader votes for nothing.
    puppet.hear('s6', { kind: 'propose', ledger: coins.id, ...body })
    puppet.hear('s6', report(5, 2, voted))
    for (const place of [1, 2, 3]) puppet.hear(servers[place]!, report(place, 2))
    const round = () => puppet.state.ledgers.get(coins.hex)!.round
    expect(round()).toMatchObject({ attempt: 2, vote: undefined })
    puppet.pass(5_000)
    expect(round()).toMatchObject({ attempt: 2, promised: 3, vote: undefined })
    puppet.restart()
    const given = sent(puppet.hear('s4', { kind: 'want', ledger: coins.id, height: 1, proposal }))
    expect(given).toMatchObject([{ to: 's4', body: { kind: 'propose', ...body } }])
  })
})

const RUBBISH = sized(10_000, 100_000)

describe('a client that hands in a hundred thousand things that are none', () => {
  it('leaves nothing behind, and the next payment waits to be ordered', () => {
    const { hear, ledger, sent } = server()
    const forged = payment.slice()
    for (let at = 0; at < RUBBISH; at++) {
      // Every hundredth is a payment with a signature spoiled, another each time; the others are no transaction at all.
      forged[forged.length - 1]! ^= 1 + (at % 255)
      forged[forged.length - 2] = ~payment.at(-2)!
      const leaf = at % 100 === 0 ? forged.slice() : Uint8Array.of(at & 255, (at >> 8) & 255, at >> 16)
      hear('mallory', { kind: 'submit', query: 1 + at, ledger: coins.id, leaf, receipt: true })
    }
    const refused = sent.filter(({ to, body }) => to === 'mallory' && body.kind === 'refused')
    expect(refused).toHaveLength(RUBBISH)
    const { pool, leaves } = ledger()
    expect([pool.entries.size, pool.bytes, pool.shares.size, leaves.length]).toEqual([0, 0, 0, 0])
    hear('client', { kind: 'submit', query: 2, ledger: coins.id, leaf: payment, receipt: true })
    expect(pool.ready).toBe(1)
  })
})

describe('who signs what contradicts itself is named', () => {
  const { suite } = actors
  const previous = headHash(coins, firstHead(suite), suite)
  const statement = (attempt: number, fill: number): Statement => {
    const bytes = new Uint8Array(32).fill(fill)
    return { height: 1, size: 1, root: bytes, previous, attempt, proposal: bytes }
  }
  it('two votes of one attempt, told once; the first one counts on', () => {
    const { hear, ledger, lies } = server()
    hear('s2', vote(1, statement(1, 1)))
    hear('s2', vote(1, statement(1, 1)))
    expect(lies).toEqual([])
    for (const fill of [2, 3]) hear('s2', vote(1, statement(1, fill)))
    expect(lies).toEqual(['s2 signed two votes of one attempt'])
    expect(ledger().round.votes.get(1)!.statement.root[0]).toBe(1)
  })
  it('a vote that it denies in a report, whichever comes first', () => {
    const early = server()
    early.hear('s2', vote(1, statement(1, 1)))
    early.hear('s2', report(1, 2))
    expect(early.lies).toEqual(['s2 denied a vote that it signed'])
    const late = server()
    late.hear('s2', report(1, 2))
    late.hear('s2', vote(1, statement(1, 1)))
    expect(late.lies).toEqual(['s2 denied a vote that it signed'])
  })
  it('but not by a vote in the next attempt, by a report that names it, or by what others bring', () => {
    const { hear, lies } = server()
    hear('s2', vote(1, statement(1, 1)))
    hear('s2', report(2, 2))
    hear('s2', report(1, 2, statement(1, 1)))
    hear('s2', vote(1, statement(2, 2)))
    hear('s3', report(2, 2))
    hear('s3', vote(2, statement(2, 1)))
    expect(lies).toEqual([])
  })
})

describe('whose words cannot be is named, and leads no more', () => {
  const { suite } = actors
  const previous = headHash(coins, firstHead(suite), suite)
  const bytes = new Uint8Array(32).fill(7)
  const statement: Statement = { height: 1, size: 1, root: bytes, previous, attempt: 1, proposal: bytes }
  const unsigned = (said: Statement): LedgerMessage => {
    return { kind: 'vote', ledger: coins.id, ...said, signature: new Uint8Array(64) }
  }
  const forged = Uint8Array.from(payment, (byte, at) => (at === payment.length - 1 ? byte ^ 1 : byte))
  const proposal = (leaves: readonly Uint8Array[], attempt = 1, reports: readonly Report[] = []): LedgerMessage => {
    return { kind: 'propose', ledger: coins.id, height: 1, attempt, leaves, reports }
  }
  const reported = (place: number): Report => (report(place, 2) as LedgerMessage & { kind: 'report' }).report

  it('a vote, or a report, under a signature that does not hold; told once', () => {
    const one = server()
    for (const size of [1, 2]) one.hear('s3', unsigned({ ...statement, size }))
    expect(one.lies).toEqual(['s3 gave a word under a signature that does not hold'])
    const second = server()
    second.hear('s3', vote(2, statement))
    second.hear('s3', unsigned({ ...statement, size: 2 }))
    expect(second.lies).toEqual(['s3 gave a word under a signature that does not hold'])
    const other = server()
    const said = { ...reported(2), attempt: 3 }
    other.hear('s3', { kind: 'report', ledger: coins.id, report: said, opened: [] })
    expect(other.lies).toEqual(['s3 gave a word under a signature that does not hold'])
  })
  it('but not one of another height, or after another certificate', () => {
    const { hear, lies } = server()
    hear('s3', unsigned({ ...statement, height: 2 }))
    hear('s3', unsigned({ ...statement, previous: bytes }))
    hear('s3', { kind: 'report', ledger: coins.id, report: { ...reported(2), height: 2 }, opened: [] })
    expect(lies).toEqual([])
  })
  it.each([
    ['leaves that nobody signed', proposal([forged])],
    ['no leaves', proposal([])],
    ['too few reports', proposal([payment], 2, [reported(1), reported(2)])],
    [
      'reports of which one is not signed',
      proposal([payment], 2, [1, 2, 3, 4].map(reported).concat({ ...reported(5), signature: new Uint8Array(64) })),
    ],
  ])('a proposal of %s', (_what, body) => {
    const { hear, lies, ledger } = server()
    hear('s3', body)
    expect(lies).toEqual(['s3 proposed what cannot be'])
    expect(ledger().round.proposals.size).toBe(0)
  })
  it('but not one whose reports rest on a vote for what is not here', () => {
    const { hear, lies } = server()
    const voted = [1, 2, 3, 4, 5].map(
      place => (report(place, 2, statement) as LedgerMessage & { kind: 'report' }).report,
    )
    hear('s3', proposal([payment], 2, voted))
    expect(lies).toEqual([])
  })
  it('but not one whose vote comes behind the certificate: it is not silent either', () => {
    const { hear, ledger, lies } = server()
    hear('s2', proposal([payment]))
    const { statement: voted } = ledger().round.vote!
    for (const place of [1, 2, 3, 4]) hear(servers[place]!, vote(place, voted))
    expect([ledger().head.height, ledger().quiet.get(4), ledger().quiet.get(5)]).toEqual([1, 0, 1])
    hear('s6', vote(5, voted))
    expect([ledger().quiet.get(5), lies]).toEqual([0, []])
  })
  it('its attempt is left at once, and what it proposes is not looked at again', () => {
    const { hear, ledger, sent } = server()
    hear('client', { kind: 'submit', query: 2, ledger: coins.id, leaf: payment, receipt: true })
    hear('s3', proposal([forged]))
    expect(ledger().round.promised).toBe(1)
    // This one leads.
    hear('s2', proposal([forged]))
    expect(ledger().round.promised).toBe(2)
    expect(sent.some(({ body }) => body.kind === 'report')).toBe(true)
    hear('s2', proposal([payment]))
    expect(ledger().round.proposals.size).toBe(0)
    hear('s4', proposal([payment]))
    expect(ledger().round.proposals.size).toBe(1)
  })
})

describe('what a client believes', () => {
  function client() {
    const events: LedgerEvent[] = []
    const settings = { ...ledgerDefaults, suite: actors.suite, liars: 1, crashes: 1 }
    const host = createHost(ledgerClient(settings), 'client', [...servers, 's7'], NOTHING_SAVED, {
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
    host.input({ kind: 'command', body: { kind: 'open', genesis: encodeDescriptor(coins) } })
    return {
      events,
      command: (body: never) => host.input({ kind: 'command', body }),
      hear: (from: NodeId, body: LedgerMessage) => host.input({ kind: 'message', from, body }),
    }
  }

  it('a genesis that b + 1 know', () => {
    const { events, command, hear } = client()
    command({ kind: 'find', id: 7, name: 'coins' } as never)
    const found: LedgerMessage = { kind: 'found', query: 7, genesis: encodeDescriptor(coins) }
    hear('s1', found)
    expect(events).toEqual([])
    hear('s2', found)
    expect(events).toMatchObject([{ kind: 'found' }])
  })
  it('a refusal of those who keep the ledger: one that does not is not counted among them', () => {
    const { events, command, hear } = client()
    command({ kind: 'submit', id: 7, ledger: coins.hex, leaf: payment } as never)
    const refused: LedgerMessage = { kind: 'refused', query: 7, code: 'sequence used', why: 'it is', size: 3 }
    for (const name of ['s7', 's2']) hear(name, refused)
    expect(events).toEqual([])
    hear('s3', refused)
    expect(events).toMatchObject([{ kind: 'refused', code: 'sequence used' }])
  })
})
