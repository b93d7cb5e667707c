// The machines alone, message by message: get, propose and commit at a server (BACKOFF figure 3, protocols/ordering), and a
// client with its servers in one group.

import { describe, expect, it } from 'vitest'
import {
  get,
  opened,
  propose,
  rank,
  SERVERS,
  settings,
  TestGroup,
  text,
  utf8,
} from '../../test/support/ordering-group.ts'
import { proofsOf } from '../../test/support/signed-scenario.ts'
import { idealSignatures } from '../crypto/index.ts'
import { INSPECTIONS_MAX } from './client/inspection.ts'
import { brokenOrderingRules } from './proof/planted.ts'
import { prove } from './rank-proofs.ts'
import type { ServerState } from './server/state.ts'
import type { OrderingSettings } from './settings.ts'
import { FIRST_DIGEST } from './versions/digest.ts'
import type { OrderingMessage } from './wire.ts'

describe('a server (figure 3)', () => {
  it('lines 5-10: serves a higher rank and refuses a lower one, naming what it promised', () => {
    const group = new TestGroup(SERVERS)
    expect(group.tell('c', 's1', get(5))).toMatchObject([{ kind: 'got', committed: { version: 0 } }])
    expect(group.tell('c', 's1', get(5))).toMatchObject([{ kind: 'refused', promised: rank(5) }])
    expect(group.tell('c', 's1', get(4))).toMatchObject([{ kind: 'refused', promised: rank(5) }])
  })
  it('tells another that it is busy, without raising its rank, until the turn has run out', () => {
    const group = new TestGroup(SERVERS)
    group.tell('c', 's1', get(5))
    expect(group.tell('d', 's1', get(6, 'd'))).toMatchObject([{ kind: 'busy', promised: rank(5) }])
    expect(group.server('s1').promised).toEqual(rank(5))
    group.pass(settings.turnMs)
    expect(group.tell('d', 's1', get(6, 'd'))).toMatchObject([{ kind: 'got' }])
  })
  it('lines 11-18: takes a proposal of its rank or a higher one; protocols/ordering 2: its parent is committed', () => {
    const group = new TestGroup(SERVERS)
    group.tell('c', 's1', get(5))
    const first = propose(5, 1, 'one')
    expect(group.tell('c', 's1', first)).toMatchObject([{ kind: 'accepted', version: 1 }])
    expect(group.server('s1').committed.version).toBe(0)
    group.tell('c', 's1', propose(5, 2, 'two', first.digest))
    expect(group.server('s1').committed).toEqual({ version: 1, digest: first.digest })
    expect(text(group.server('s1').content.table.get('x'))).toBe('one')
    expect(group.tell('c', 's1', propose(4, 3, 'late'))).toMatchObject([{ kind: 'refused' }])
  })
  it('F 1: within a rank it goes forward only, and says yes again to what it took', () => {
    const group = new TestGroup(SERVERS)
    const first = propose(5, 1, 'one')
    const second = propose(5, 2, 'two', first.digest)
    group.tell('c', 's1', first)
    group.tell('c', 's1', second)
    expect(group.tell('c', 's1', first)).toEqual([])
    expect(group.tell('c', 's1', second)).toMatchObject([{ kind: 'accepted', version: 2 }])
    expect(group.server('s1').proposed?.version).toBe(2)
    group.tell('c', 's1', { kind: 'commit', object: 'o', rank: rank(5), version: 1, digest: first.digest })
    group.tell('c', 's1', { kind: 'commit', object: 'o', rank: rank(5), version: 2, digest: second.digest })
    group.tell('c', 's1', { kind: 'commit', object: 'o', rank: rank(5), version: 1, digest: first.digest })
    expect(group.server('s1').committed.version).toBe(2)
  })
  it('does not listen to who speaks under another’s rank, nor to a server that speaks as a client', () => {
    const group = new TestGroup(SERVERS)
    expect(group.tell('d', 's1', get(5, 'c'))).toEqual([])
    expect(group.tell('s2', 's1', get(5, 's2'))).toEqual([])
    expect(group.tell('s2', 's1', propose(5, 1, 'lie', FIRST_DIGEST, 's2'))).toEqual([])
    expect(group.hosts.get('s1')!.state).toMatchObject({ complaints: { count: 0 } })
  })
  it('has after a crash what it promised and took', () => {
    const group = new TestGroup(SERVERS)
    const first = propose(5, 1, 'one')
    group.tell('c', 's1', first)
    group.tell('c', 's1', propose(5, 2, 'two', first.digest))
    group.pass(settings.turnMs)
    group.tell('d', 's1', get(9, 'd'))
    group.serve('s1')
    expect(group.server('s1')).toMatchObject({
      promised: rank(9, 'd'),
      committed: { version: 1 },
      proposed: { version: 2 },
    })
    expect(text(group.server('s1').content.table.get('x'))).toBe('one')
  })
})

describe('a client with its servers (figure 2)', () => {
  it('cold: get and propose; warm: one round trip, a propose and its answers', () => {
    const group = opened()
    expect(group.heard('opened')).toMatchObject([{ id: 1, session: '1.0' }])
    const start = group.carried.length
    group.do('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('a') })
    const kinds = group.carried.slice(start).map(({ body }) => body.kind)
    expect(kinds).toEqual([...Array(3).fill('propose'), ...Array(3).fill('accepted'), ...Array(3).fill('commit')])
    expect(group.heard('answered').map(event => 'body' in event && text(event.body))).toEqual(['1:a'])
  })
  it('many at once become one version, in their order; what throws is an error and changes nothing', () => {
    const group = opened()
    for (const [place, word] of ['a', 'throw', 'b'].entries()) {
      group.command('c', { kind: 'submit', id: 10 + place, object: 'o', body: utf8.encode(word) })
    }
    group.carry()
    expect(group.heard('answered')).toMatchObject([
      { id: 10, ok: true, version: 2 },
      { id: 11, ok: false, version: 3 },
      { id: 12, ok: true, version: 3 },
    ])
    group.do('c', { kind: 'read', id: 20, object: 'o', keys: ['last', 'none'], stale: false })
    const [value] = group.heard('value')
    expect(value).toMatchObject({ id: 20, version: 3 })
    expect(value?.kind === 'value' && value.entries.map(entry => text(entry.value))).toEqual(['b', undefined])
  })
  it('an operation of one who has not the turn goes by way of who has it', () => {
    const group = opened()
    group.join('d')
    group.do('d', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    group.do('d', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('from d') })
    expect(group.heard('answered')).toMatchObject([{ who: 'd', id: 2 }])
    expect(group.carried.filter(({ from, body }) => from === 'd' && body.kind === 'propose')).toEqual([])
  })
  it('a version that a dead client left half done is completed by the next', () => {
    const group = opened()
    group.command('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('half') })
    group.carry(({ to, body }) => to === 'c' || to === 's3' || body.kind === 'commit')
    group.leave('c')
    group.pass(settings.turnMs)
    group.join('d')
    group.do('d', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    group.do('d', { kind: 'copy', id: 3, object: 'o' })
    group.pass(1_000)
    const [copied] = group.heard('copied')
    expect(copied?.kind === 'copied' && text(copied.table.get('last'))).toBe('half')
  })
  it('a watcher is told of every change, in order, and of none before', () => {
    const group = opened()
    group.do('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('before') })
    group.join('w')
    group.do('w', { kind: 'watch', id: 7, object: 'o' })
    expect(group.heard('watching')).toMatchObject([{ id: 7, version: 2 }])
    for (const word of ['x', 'y', 'z']) {
      group.do('c', { kind: 'submit', id: word.charCodeAt(0), object: 'o', body: utf8.encode(word) })
    }
    const told = group
      .heard('changed')
      .flatMap(event => (event.kind === 'changed' ? [[event.version, text(event.writes[0]?.value)]] : []))
    expect(told).toEqual([
      [3, 'x'],
      [4, 'y'],
      [5, 'z'],
    ])
  })
  it('and so is one that had the turn before: its replica was at the newest version when it began to watch', () => {
    const group = opened()
    group.do('c', { kind: 'watch', id: 7, object: 'o' })
    expect(group.heard('watching')).toMatchObject([{ id: 7, version: 1 }])
    group.join('d')
    group.do('d', { kind: 'open', id: 8, object: 'o', ttl: 60_000 })
    group.pass(2_000)
    group.do('d', { kind: 'submit', id: 9, object: 'o', body: utf8.encode('x') })
    group.pass(2_000)
    expect(group.heard('changed').map(event => 'version' in event && event.version)).toEqual([2, 3])
  })
  const watchFrom = (group: TestGroup, from: number) => {
    for (const word of ['x', 'y', 'z']) {
      group.do('c', { kind: 'submit', id: word.charCodeAt(0), object: 'o', body: utf8.encode(word) })
    }
    group.join('w')
    group.do('w', { kind: 'watch', id: 7, object: 'o', from })
    group.pass(2_000)
    group.do('c', { kind: 'submit', id: 99, object: 'o', body: utf8.encode('now') })
    return group.events.flatMap(event => {
      if (event.who !== 'w' || !('version' in event) || !('id' in event)) return []
      return [[event.kind, event.version, event.kind === 'changed' ? text(event.writes[0]?.value) : undefined]]
    })
  }
  it('a watch goes on from a version that the servers still remember, one by one', () => {
    expect(watchFrom(opened(), 2)).toEqual([
      ['watching', 2, undefined],
      ['changed', 3, 'y'],
      ['changed', 4, 'z'],
      ['changed', 5, 'now'],
    ])
  })
  it('and shows the table where they do not', () => {
    expect(watchFrom(opened({ recentChangesMax: 1 }), 1)).toEqual([
      ['watching', 4, undefined],
      ['skipped', 4, undefined],
      ['changed', 5, 'now'],
    ])
  })
  it('an ended session takes nothing more; a session that falls silent is ended by the others', () => {
    const group = opened()
    group.do('c', { kind: 'end', id: 5, object: 'o' })
    expect(group.heard('ended')).toMatchObject([{ id: 5 }])
    group.do('c', { kind: 'submit', id: 6, object: 'o', body: utf8.encode('late') })
    expect(group.heard('failed')).toMatchObject([{ id: 6, reason: 'no session', outcome: 'did not happen' }])
    group.do('c', { kind: 'open', id: 7, object: 'o', ttl: 1_000 })
    group.join('d')
    group.do('d', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    group.leave('c')
    group.pass(20_000)
    expect([...group.server('s1').content.sessions.values()].map(({ client }) => client)).toEqual(['d'])
  })
  it('§6.2: with signed ranks one refusal that shows a signature is enough, and none without', () => {
    const signatures = idealSignatures()
    const group = new TestGroup(SERVERS)
    for (const server of SERVERS) group.serve(server, { proofs: proofsOf(signatures, server), liars: 1, crashes: 1 })
    group.join('c', { proofs: proofsOf(signatures, 'c'), liars: 1, crashes: 0 })
    group.command('c', { kind: 'open', id: 1, object: 'o', ttl: 1_000 })
    const counter = () => group.clientObject('c').rank.counter
    const before = counter()
    const promised = rank(before + 10, 'd')
    const refusal = { kind: 'refused' as const, object: 'o', rank: rank(before), promised }
    group.hosts.get('c')!.input({ kind: 'message', from: 's1', body: { ...refusal, proof: new Uint8Array(64) } })
    expect(counter()).toBe(before)
    const proof = prove({ ...settings, proofs: proofsOf(signatures, 'd') }, 'o', promised)
    const another = prove({ ...settings, proofs: proofsOf(signatures, 'd') }, 'other', promised)
    group.hosts.get('c')!.input({ kind: 'message', from: 's1', body: { ...refusal, proof: another } })
    expect(counter()).toBe(before)
    group.hosts.get('c')!.input({ kind: 'message', from: 's1', body: { ...refusal, proof } })
    expect(counter()).toBeGreaterThan(promised.counter)
    expect(group.tell('d', 's2', get(99, 'd'))).toEqual([])
  })
})

describe('who lied (b = 1)', () => {
  const SEVEN = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']
  const faults = { liars: 1, crashes: 1 }
  const groupOfSeven = () => {
    const made = new TestGroup(SEVEN, faults)
    made.join('c', faults)
    made.do('c', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    return made
  }
  const lies = (made: TestGroup) =>
    made.heard('lied').flatMap(event => (event.kind === 'lied' ? [[event.server, event.what]] : []))
  const committed = (version: number, digest: Uint8Array): OrderingMessage => {
    return { kind: 'committed', object: 'o', head: { version, digest }, change: undefined }
  }
  const hear = (made: TestGroup, from: string, body: OrderingMessage) => {
    made.hosts.get('c')!.input({ kind: 'message', from, body })
  }

  it('one who calls another state committed than b + 1 do; once, and the others are told', () => {
    const made = groupOfSeven()
    const [right, wrong] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    hear(made, 's7', committed(9, wrong))
    hear(made, 's1', committed(9, right))
    expect(lies(made)).toEqual([])
    hear(made, 's2', committed(9, right))
    hear(made, 's3', committed(9, right))
    expect(lies(made)).toEqual([['s7', 'another state of a committed version']])
    made.carry(({ to }) => to === 'c')
    const { complaints } = made.hosts.get('s1')!.state as ServerState
    expect([...complaints.lines.values()]).toMatchObject([{ server: 's7', version: 9 }])
    expect(complaints.count).toBe(1)
  })
  it('one whose answer is not the one that b + 1 give', () => {
    const made = groupOfSeven()
    made.command('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('a') })
    const { id, nonce } = made.clientObject('c').session
    const answer = (word: string): OrderingMessage => {
      const responses = [{ seq: 1, version: 2, ok: true, body: utf8.encode(word) }]
      return { kind: 'answered', object: 'o', session: id, nonce, next: 2, responses }
    }
    hear(made, 's7', answer('wrong'))
    hear(made, 's1', answer('right'))
    expect(lies(made)).toEqual([])
    hear(made, 's2', answer('right'))
    expect(lies(made)).toEqual([['s7', 'an answer that was never given']])
  })
})

describe('a planted bug that the simulator seldom meets', () => {
  // Decided at s1 and s2, and answered; then late copies of the proposal before come to both.
  const story = (change: Partial<OrderingSettings>) => {
    const group = opened(change)
    const old = group.carried.filter(({ body }) => body.kind === 'propose')
    group.command('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('answered') })
    group.carry(({ body }) => body.kind === 'commit')
    expect(group.heard('answered')).toMatchObject([{ id: 2 }])
    for (const { from, to, body } of old) group.tell(from, to, body)
    group.leave('c')
    group.pass(settings.turnMs)
    group.join('d', change)
    group.do('d', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    group.do('d', { kind: 'copy', id: 3, object: 'o' })
    group.pass(1_000)
    const [copied] = group.heard('copied')
    return copied?.kind === 'copied' && text(copied.table.get('last'))
  }

  it('F 1, lower-version-in-a-rank: a late copy of v makes a server forget v + 1, which was answered', () => {
    expect(story({})).toBe('answered')
    expect(story({ rules: brokenOrderingRules('lower-version-in-a-rank') })).toBeUndefined()
  })
})

describe('a server that lost its store', () => {
  it('does not vote until the longest attempt has passed, then has rank and state from the others', () => {
    const group = opened()
    group.do('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('kept') })
    const { promised, committed } = group.server('s1')
    group.disks.delete('s1')
    group.serve('s1', { rejoins: true })
    expect(group.tell('d', 's1', get(99, 'd'))).toEqual([])
    expect(group.tell('d', 's1', { kind: 'read', object: 'o', query: 1, keys: [], content: false })).toEqual([])
    group.pass(settings.attemptMax * 1.1)
    expect(group.server('s1').promised).toEqual(promised)
    expect(group.server('s1').committed.version).toBeGreaterThanOrEqual(committed.version)
    expect(text(group.server('s1').content.table.get('last'))).toBe('kept')
    // It is a server like the others now, also after a restart that is told to rejoin again.
    group.serve('s1', { rejoins: true })
    expect(group.tell('d', 's1', { kind: 'read', object: 'o', query: 1, keys: [], content: false })).toMatchObject([
      { kind: 'readings' },
    ])
  })
})

describe('limits of a client', () => {
  it('inspections under way have a bound, and end when all servers answered', () => {
    const group = opened()
    for (let id = 100; id < 100 + INSPECTIONS_MAX; id++) group.command('c', { kind: 'inspect', id })
    group.command('c', { kind: 'inspect', id: 999 })
    expect(group.heard('failed')).toMatchObject([{ id: 999, reason: 'crowded', outcome: 'did not happen' }])
    group.carry()
    expect(group.heard('inspected')).toHaveLength(INSPECTIONS_MAX)
    group.do('c', { kind: 'inspect', id: 999 })
    expect(group.heard('inspected').at(-1)).toMatchObject({ id: 999 })
  })
})

describe('how long a session certainly lives', () => {
  const told = (group: TestGroup) => {
    return group.heard('extended').map(event => (event.kind === 'extended' ? Math.floor(event.deadline) : 0))
  }
  it('is told from when the open and each ping was sent that n - f have echoed, and never goes back', () => {
    const group = opened()
    const belief = Math.floor((10_000 * (1 - settings.drift)) / (1 + settings.drift))
    expect(told(group)).toEqual([belief])
    group.pass(2_500)
    expect(told(group).at(-1)).toBe(2_500 + belief)
    // Only one of three echoes: two are needed.
    group.lost = ({ from }) => from !== 's1'
    group.pass(2_500)
    expect(told(group).at(-1)).toBe(2_500 + belief)
    group.pass(2_500 + belief - group.now)
    expect(group.heard('lost')).toHaveLength(0)
    group.pass(1)
    expect(group.heard('lost')).toHaveLength(1)
    expect(told(group)).toEqual([...told(group)].sort((a, b) => a - b))
  })
})
