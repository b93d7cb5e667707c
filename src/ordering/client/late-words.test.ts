// Words that come late, from too few, or in another's name: what a client does not count.

import { describe, expect, it } from 'vitest'
import {
  opened,
  propose,
  rank,
  SERVERS,
  settings,
  TestGroup,
  text,
  utf8,
} from '../../../test/support/ordering-group.ts'
import type { NodeId } from '../../core/index.ts'
import { LOWEST_RANK } from '../rules.ts'
import { longestTurn } from '../settings.ts'
import { emptyContent } from '../versions/content.ts'
import { FIRST_DIGEST } from '../versions/digest.ts'
import type { Head, OrderingMessage, ProposedHead, Rank } from '../wire.ts'
import { applyOperation, newBatch, openSession } from './batch.ts'
import { silentSessions } from './other-operations.ts'
import type { ClientObject, ClientState } from './state.ts'

const NOTHING: Head = { version: 0, digest: FIRST_DIGEST }

function got(own: Rank, more: Partial<OrderingMessage & { kind: 'got' }> = {}): OrderingMessage {
  const rest = { proposed: undefined, change: undefined, changes: [], pending: [], silent: [] }
  return { kind: 'got', object: 'o', rank: own, committed: NOTHING, ...rest, ...more }
}

function accepted(own: Rank, { version, digest }: Head): OrderingMessage {
  return { kind: 'accepted', object: 'o', rank: own, version, digest, pending: [], silent: [] }
}

/** A client that has asked for its first turn, and servers whose answers the story tells. */
function asking(): { made: TestGroup; own: Rank; object: ClientObject } {
  const made = new TestGroup(SERVERS)
  made.join('c')
  made.command('c', { kind: 'open', id: 1, object: 'o', ttl: 1_000_000 })
  return { made, own: made.clientObject('c').rank, object: made.clientObject('c') }
}

describe('answers to an attempt (protocols/ordering, rejoin: the longest attempt)', () => {
  // The process stood still meanwhile: its timers did not fire. A server may have lost its store since, and waited.
  it.each([
    [0, 'proposing'],
    [1, 'getting'],
  ] as const)('to a get: %d ms after the longest attempt, the client is %s', (late, phase) => {
    const { made, own, object } = asking()
    made.now = object.sentAt + settings.attemptMax + late
    for (const server of ['s1', 's2']) made.hear(server, 'c', got(own))
    expect(object.phase).toBe(phase)
  })
  it.each([
    [0, 1],
    [1, 0],
  ])('to a proposal: %d ms after it, decided are %d', (late, decided) => {
    const { made, own, object } = asking()
    for (const server of ['s1', 's2']) made.hear(server, 'c', got(own))
    const proposal = object.proposal!
    made.now = proposal.sentAt + settings.attemptMax + late
    for (const server of ['s1', 's2']) made.hear(server, 'c', accepted(own, proposal))
    expect(made.heard('decided')).toHaveLength(decided)
  })
})

describe('a turn that is longer than any', () => {
  it.each([
    ['the longest there is', 0, 0],
    ['one millisecond more', 1, 1],
  ])('is a lie also when the others have answered before: %s', (_, more, lies) => {
    const { made, own, object } = asking()
    for (const server of ['s1', 's2']) made.hear(server, 'c', got(own))
    expect(object.phase).toBe('proposing')
    const remaining = longestTurn(settings) + more
    made.hear('s3', 'c', { kind: 'busy', object: 'o', rank: own, promised: own, remaining })
    expect(made.heard('lied')).toHaveLength(lies)
  })
})

describe('a version that is decided after the replica went beyond it', () => {
  // c completes version 1, which somebody left half done, while the changes it asked for are on their way. Others decide
  // it too and go on to 2, which the late changes bring. Then c hears that its own proposal was taken.
  it('is not put over it', () => {
    const { made, own, object } = asking()
    const one = propose(1, 1, 'one', FIRST_DIGEST, 'a')
    const two = propose(2, 2, 'two', one.digest, 'b')
    const proposed: ProposedHead = { version: 1, digest: one.digest, parent: one.parent, rank: one.rank }
    made.hear('s1', 'c', got(own, { proposed }))
    made.hear('s2', 'c', got(own))
    const { query } = object.fetching!
    made.hear('s3', 'c', got(own, { proposed, change: one.change }))
    expect(object.phase).toBe('proposing')
    const head = { version: 2, digest: two.digest }
    made.hear('s1', 'c', { kind: 'committed', object: 'o', head, change: undefined })
    const changes = [one, two].map(({ version, change }) => ({ version, change }))
    const rest = { base: FIRST_DIGEST, committed: head, known: true }
    made.hear('s1', 'c', { kind: 'changes', object: 'o', query, from: 0, changes, ...rest })
    expect(object.replica.version).toBe(2)
    for (const server of ['s1', 's2']) made.hear(server, 'c', accepted(own, one))
    expect(made.heard('decided')).toMatchObject([{ head: { version: 1 } }])
    expect(object.replica).toMatchObject({ digest: two.digest })
    expect([object.replica.version >= 2, text(object.replica.table.get('x'))]).toEqual([true, 'two'])
  })
})

describe('a read of what is only proposed', () => {
  const half = propose(1, 1, 'half', FIRST_DIGEST, 'a')
  const shown = (ranks: readonly Rank[]) => {
    const made = new TestGroup(SERVERS)
    made.join('c')
    made.command('c', { kind: 'read', id: 1, object: 'o', keys: ['x'], stale: false })
    const { query } = [...(made.hosts.get('c')!.state as ClientState).readings.values()][0]!
    for (const [place, taken] of ranks.entries()) {
      const { version, digest, parent, change } = half
      const proposed = { version, digest, parent, rank: taken }
      const entries = [{ key: 'x', value: undefined }]
      const rest = { object: 'o', query, committed: NOTHING, applied: 0, entries, silent: [] }
      made.hear(SERVERS[place]!, 'c', { kind: 'readings', ...rest, proposed, change })
    }
    return made.heard('value').length
  }
  it('needs q who took it in one rank; those who only heard of it took it in none', () => {
    expect(shown([rank(1, 'a'), rank(1, 'a')])).toBe(1)
    expect(shown([rank(1, 'a'), LOWEST_RANK])).toBe(0)
    expect(shown([LOWEST_RANK, LOWEST_RANK])).toBe(0)
  })
})

describe('a session is ended by the others', () => {
  const seven = { ...settings, liars: 1, crashes: 1 }
  const reports = (count: number, sentAt = 0) => {
    const silent = new Map<NodeId, { sentAt: number; sessions: string[] }>()
    for (let i = 1; i <= count; i++) silent.set(`s${i}`, { sentAt, sessions: ['1.0'] })
    return { silent } as unknown as ClientObject
  }
  it('where f + b + 1 have not heard of it, and not by fewer', () => {
    expect(silentSessions(reports(2), seven, 0)).toEqual([])
    expect(silentSessions(reports(3), seven, 0)).toEqual(['1.0'])
  })
  it('by reports of half a second, and not by older ones', () => {
    expect(silentSessions(reports(3), seven, 500)).toEqual(['1.0'])
    expect(silentSessions(reports(3), seven, 501)).toEqual([])
  })
  it('where b + 1 say that it is gone, and not by fewer', () => {
    const servers = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']
    const faults = { liars: 1, crashes: 1 }
    const made = new TestGroup(servers, faults)
    made.join('c', faults)
    made.do('c', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    const gone: OrderingMessage = { kind: 'gone', object: 'o', session: '1.0', version: 9 }
    for (let i = 0; i < 3; i++) made.hear('s7', 'c', gone)
    expect(made.heard('lost')).toEqual([])
    made.hear('s6', 'c', gone)
    expect(made.heard('lost')).toHaveLength(1)
  })
})

describe('an operation in another’s session', () => {
  it('is not applied', () => {
    const applier = settings.findApplier('o')!
    const batch = newBatch('o', emptyContent())
    openSession(batch, { kind: 'open', client: 'c', nonce: new Uint8Array(16), ttl: 1_000 })
    const of = (client: NodeId) =>
      ({ kind: 'apply', client, session: '1.0', seq: 1, ack: 1, body: utf8.encode('x') }) as const
    expect(applyOperation(batch, applier, of('d'), settings.rules)).toBe(false)
    expect(applyOperation(batch, applier, of('c'), settings.rules)).toBe(true)
  })
  it('is not kept by a server, and does not keep the session alive', () => {
    const made = opened()
    const apply = (client: NodeId) => {
      return { kind: 'apply', client, session: '1.0', seq: 1, ack: 1, body: utf8.encode('x') } as const
    }
    const heard = made.server('s1').heard.get('1.0')
    made.now += 100
    // In its own name, and in the name of the one whose session it is.
    made.tell('d', 's1', { kind: 'submit', object: 'o', operations: [apply('d')] })
    made.tell('d', 's1', { kind: 'submit', object: 'o', operations: [apply('c')] })
    made.tell('d', 's1', { kind: 'ping', object: 'o', session: '1.0', ping: 1 })
    expect(made.server('s1').pending.size).toBe(0)
    expect(made.server('s1').heard.get('1.0')).toBe(heard)
    made.tell('c', 's1', { kind: 'submit', object: 'o', operations: [apply('c')] })
    expect(made.server('s1').pending.size).toBe(1)
  })
})

describe('an open while another has the turn', () => {
  it('is said once to the contacts', () => {
    const made = opened()
    made.join('d')
    made.do('d', { kind: 'copy', id: 1, object: 'o' })
    const object = made.clientObject('d')
    object.othersUntil = made.now + 100
    const before = made.carried.length
    made.do('d', { kind: 'open', id: 2, object: 'o', ttl: 10_000 })
    const submits = made.carried.slice(before).filter(({ from, body }) => from === 'd' && body.kind === 'submit')
    expect(submits).toHaveLength(1)
  })
  it('and a closed object leaves no timer behind', () => {
    const made = opened()
    made.join('d')
    made.do('d', { kind: 'copy', id: 1, object: 'o' })
    made.clientObject('d').othersUntil = made.now + 100
    made.command('d', { kind: 'open', id: 2, object: 'o', ttl: 10_000 })
    made.do('d', { kind: 'close', object: 'o' })
    expect(made.pendingTimers('d')).toEqual([])
  })
})
