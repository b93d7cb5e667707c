// A client that was let in and lies: what it may not leave behind at a server, and what an operator takes away again.

import { describe, expect, it } from 'vitest'
import { get, propose, rank, SERVERS, settings, TestGroup } from '../../../test/support/ordering-group.ts'
import { encode } from '../../core/index.ts'
import { brokenOrderingRules } from '../proof/planted.ts'
import { longestTurn, type OrderingSettings } from '../settings.ts'
import { encodeChange, SESSION_NAME_BYTES_MAX, sessionCodec, sessionKey, silentName } from '../versions/content.ts'
import { FIRST_DIGEST, nextDigest } from '../versions/digest.ts'
import { COMPLAINTS_SHOWN_MAX, COUNTER_MAX, KEY_BYTES_MAX, type OrderingMessage, orderingVocabulary } from '../wire.ts'
import { MADE_AT_ONCE_MAX, OBJECTS_OF_CLIENT_MAX } from './state.ts'

const WALL = 1_800_000_000_000
const DAY = settings.rankAheadMax

function group(change: Partial<OrderingSettings> = {}): TestGroup {
  const made = new TestGroup(SERVERS, { operators: ['admin'], ...change })
  for (const server of SERVERS) {
    // biome-ignore lint/suspicious/noExplicitAny: a server's command, in a group whose commands are clients'
    made.hosts.get(server)!.input({ kind: 'command', body: { kind: 'clock', micros: WALL * 1_000 } as any })
  }
  return made
}

describe('a rank far in the future', () => {
  it('is promised up to a day above the clock, and not beyond', () => {
    const made = group()
    expect(made.tell('c', 's1', get(WALL + DAY))).toMatchObject([{ kind: 'got' }])
    made.pass(settings.turnMs)
    const now = WALL + made.now
    expect(made.tell('d', 's1', get(now + DAY + 1, 'd'))).toMatchObject([{ kind: 'full', what: 'ranks' }])
    expect(made.tell('d', 's1', get(now + DAY, 'd'))).toMatchObject([{ kind: 'got' }])
    expect(made.events).toMatchObject([{ kind: 'rankBeyond', client: 'd', ahead: DAY + 1 }])
  })
  it('is not taken with a proposal either, and is told of once for each client', () => {
    const made = group()
    expect(made.tell('c', 's1', propose(COUNTER_MAX, 1, 'x'))).toEqual([])
    made.tell('c#2', 's1', propose(COUNTER_MAX, 1, 'x', undefined, 'c#2'))
    expect(made.server('s1').promised.counter).toBe(0)
    expect(made.events).toHaveLength(1)
  })
  it('ends the object with a planted bug: any-rank-is-promised', () => {
    const made = group({ rules: brokenOrderingRules('any-rank-is-promised') })
    made.tell('c', 's1', get(COUNTER_MAX))
    made.pass(settings.turnMs)
    expect(made.tell('d', 's1', get(WALL, 'd'))).toMatchObject([{ kind: 'refused' }])
  })
})

describe('the longest turn', () => {
  // Found by seed 100101 of `coterie sim server --servers 7 --liars 1`: 1,001 of 1,000 milliseconds, and an honest server was blamed.
  it('is never said to be longer than any, whatever fractions the clock has', () => {
    const made = group({ turnMs: longestTurn(settings) })
    for (let count = 1; count <= 200; count++) {
      made.now += longestTurn(settings) + 0.1 + count / 7
      made.tell('c', 's1', get(2 * count, 'c'))
      const [said] = made.tell('d', 's1', get(2 * count + 1, 'd'))
      expect(said).toMatchObject({ kind: 'busy', remaining: longestTurn(settings) })
    }
  })
})

describe('a version that nobody knows', () => {
  const GARBAGE = new Uint8Array(32).fill(9)
  const commit = (version: number, digest: Uint8Array = GARBAGE): OrderingMessage => {
    return { kind: 'commit', object: 'o', rank: rank(5), version, digest }
  }
  /** Version 1 is at all servers, version 2 at the first two only. */
  function lagging(change: Partial<OrderingSettings> = {}) {
    const made = new TestGroup(SERVERS, change)
    const first = propose(5, 1, 'one')
    const second = propose(5, 2, 'two', first.digest)
    for (const server of SERVERS) made.tell('c', server, first)
    for (const server of ['s1', 's2']) made.tell('c', server, second)
    return { made, first, second }
  }

  it.each([2, 3, 2 ** 40])('is not committed by a client’s word: %i', version => {
    const { made } = lagging()
    for (const server of SERVERS) made.tell('liar#1', server, commit(version))
    made.pass(settings.turnMs)
    for (const server of SERVERS) expect(made.server(server).committed.version).toBeLessThan(2)
    expect(made.tell('d', 's1', get(100, 'd'))).toMatchObject([{ kind: 'got', committed: { version: 1 } }])
  })
  it('carries no proposal either, and the client is told of once', () => {
    const { made } = lagging()
    for (const version of [2, 3, 2 ** 40]) {
      expect(made.tell('liar', 's3', propose(9, version, 'x', GARBAGE, 'liar'))).toEqual([])
    }
    expect(made.server('s3').proposed?.version).toBe(1)
    made.pass(5_000)
    expect(made.server('s3').waiting).toEqual([])
    expect(made.state('s3').waitingBytesOf.size).toBe(0)
    expect(made.events).toMatchObject([{ kind: 'versionUnvouched', object: 'o', client: 'liar', who: 's3' }])
  })
  it('is taken where b + 1 others know it, and what rests on it at once', () => {
    const { made, first, second } = lagging()
    const third = propose(5, 3, 'three', second.digest)
    expect(made.tell('c', 's3', third)).toMatchObject([{ kind: 'accepted', version: 3 }])
    expect(made.server('s3')).toMatchObject({ committed: { version: 2 }, proposed: { version: 3 } })
    const other = lagging().made
    other.tell('c', 's3', commit(1, first.digest))
    expect(other.server('s3').committed.version).toBe(1)
  })
  it('and not by the word of b: with one liar, one more must know it', () => {
    const { made, second } = lagging({ liars: 1 })
    made.lost = ({ from, body }) => from === 's2' && body.kind === 'vouched'
    made.tell('c', 's3', propose(5, 3, 'three', second.digest))
    expect(made.server('s3').proposed?.version).toBe(1)
    // Twice is once.
    const { query } = made.server('s3').waiting[0]!
    made.tell('s1', 's3', { kind: 'vouched', object: 'o', query, known: true })
    expect(made.server('s3').proposed?.version).toBe(1)
    made.lost = () => false
    made.now += 100
    expect(made.tell('c', 's3', propose(5, 3, 'three', second.digest))).toMatchObject([{ kind: 'accepted' }])
  })
  it('is no proposal whose digest is not that of its change, and no other state of what is committed', () => {
    const { made, first, second } = lagging()
    const forged = { ...propose(9, 2, 'x', first.digest, 'liar'), digest: GARBAGE }
    expect(made.tell('liar', 's3', forged)).toEqual([])
    made.tell('c', 's1', { kind: 'commit', object: 'o', rank: rank(5), version: 2, digest: second.digest })
    expect(made.tell('liar', 's1', propose(9, 2, 'other', first.digest, 'liar'))).toEqual([])
    expect(made.tell('liar', 's1', propose(9, 2, 'two', first.digest, 'liar'))).toMatchObject([{ kind: 'accepted' }])
  })
  it('keeps so many messages and bytes of one client waiting, and another has its own', () => {
    const { made } = lagging()
    for (let i = 0; i < 10; i++) made.tell(`liar#${i % 2}`, 's3', commit(10 + i))
    made.tell('c', 's3', commit(10))
    expect(made.server('s3').waiting.map(({ from }) => from)).toEqual(['liar#0', 'liar#1', 'liar#0', 'liar#1', 'c'])
  })
  it('ends the object with a planted bug: any-version-is-committed', () => {
    const { made } = lagging({ rules: brokenOrderingRules('any-version-is-committed') })
    made.tell('liar#1', 's3', commit(2 ** 40))
    expect(made.server('s3').committed.version).toBe(2 ** 40)
  })
})

describe('an operator repairs', () => {
  const repair = (version: number): OrderingMessage => ({ kind: 'repair', query: 1, object: 'o', version })
  const spoil = (made: TestGroup) => {
    const first = propose(5, 1, 'kept')
    for (const server of SERVERS) {
      made.tell('c', server, first)
      made.tell('c', server, { kind: 'commit', object: 'o', rank: rank(5), version: 1, digest: first.digest })
      made.server(server).promised = rank(COUNTER_MAX)
      made.server(server).committed = { version: 2 ** 40, digest: new Uint8Array(32).fill(9) }
    }
  }

  it('ranks beyond the clock and versions that nobody has; the others stay, also after a restart', () => {
    const made = group()
    spoil(made)
    const told = made.tell('admin#1', 's1', repair(1))
    expect(told).toMatchObject([{ kind: 'repaired', outcome: 'repaired' }])
    expect(made.server('s1')).toMatchObject({ promised: { counter: WALL }, committed: { version: 1 } })
    made.serve('s1', { operators: ['admin'] })
    expect(made.server('s1')).toMatchObject({ promised: { counter: WALL }, committed: { version: 1 } })
    expect(made.server('s1').content.version).toBe(1)
    made.pass(settings.turnMs)
    expect(made.tell('d', 's1', get(WALL + 1_000, 'd'))).toMatchObject([{ kind: 'got', committed: { version: 1 } }])
    expect(made.events).toMatchObject([{ kind: 'repaired', object: 'o', by: 'admin#1' }])
  })
  it('nothing where nothing is spoiled, and nobody else repairs', () => {
    const made = group()
    made.tell('c', 's1', get(WALL))
    expect(made.tell('admin#1', 's1', repair(0))).toMatchObject([{ outcome: 'sound' }])
    spoil(made)
    for (const somebody of ['c#1', 'admin', 'administrator#1', 's2']) {
      expect(made.tell(somebody, 's1', repair(1))).toMatchObject([{ outcome: 'not allowed' }])
    }
    expect(made.server('s1').promised.counter).toBe(COUNTER_MAX)
  })
  it('not a version that the server has, or that others have', () => {
    const made = group()
    spoil(made)
    made.server('s1').promised = rank(WALL)
    expect(made.tell('admin#1', 's1', repair(2 ** 40))).toMatchObject([{ outcome: 'sound' }])
  })
  it('all servers at once, by a client’s command', () => {
    const made = group()
    spoil(made)
    made.join('admin#1')
    made.do('admin#1', { kind: 'repair', id: 7, object: 'o', version: 1 })
    const event = made.heard('repaired').find(({ who }) => who === 'admin#1')
    expect(event).toMatchObject({ id: 7, object: 'o' })
    expect(event?.kind === 'repaired' && 'outcomes' in event && [...event.outcomes.values()]).toEqual(
      SERVERS.map(() => 'repaired'),
    )
  })
})

describe('new names', () => {
  const named = (name: string, counter = WALL, client = 'c#1'): OrderingMessage => {
    return { ...get(counter, client), object: name } as OrderingMessage
  }
  it('of one client are so many in a second, for all its processes; another still makes some', () => {
    const made = group()
    for (let i = 0; i < MADE_AT_ONCE_MAX; i++) made.hear(`c#${i % 3}`, 's1', named(`n${i}`, WALL, `c#${i % 3}`))
    expect(made.state('s1').objects.size).toBe(MADE_AT_ONCE_MAX)
    expect(made.tell('c#9', 's1', named('beyond', WALL, 'c#9')).at(-1)).toMatchObject({ kind: 'full', what: 'objects' })
    expect(made.tell('d#1', 's1', named('other', WALL, 'd#1'))).toMatchObject([{ kind: 'got' }])
    made.now += 1_000
    expect(made.tell('c#9', 's1', named('beyond', WALL, 'c#9')).at(-1)).toMatchObject({ kind: 'got' })
  })
  it('and so many in all', () => {
    const made = group()
    made.state('s1').made.set('c', { all: OBJECTS_OF_CLIENT_MAX - 1, since: 0, lately: 0 })
    expect(made.tell('c#1', 's1', named('last'))).toMatchObject([{ kind: 'got' }])
    expect(made.tell('c#1', 's1', named('beyond'))).toMatchObject([{ kind: 'full' }])
    // What is there is served.
    made.pass(settings.turnMs)
    expect(made.tell('c#1', 's1', named('last', WALL + 1_000))).toMatchObject([{ kind: 'got' }])
  })
})

describe('complaints', () => {
  const about = (server: string, what: string): OrderingMessage => {
    return { kind: 'complain', object: 'o', server, version: 1, what }
  }
  it('have one line for each accuser and accused, so that nobody pushes the others out', () => {
    const made = group()
    made.tell('ann#1', 's1', about('s3', 'true'))
    for (let i = 0; i < 1_000; i++) made.tell(`c#${i}`, 's1', about('s2', `false ${i}`))
    const { complaints } = made.state('s1')
    expect([...complaints.lines.values()].map(({ client, what }) => [client, what])).toEqual([
      ['ann#1', 'true'],
      ['c#999', 'false 999'],
    ])
    expect(complaints.count).toBe(1_001)
    made.tell('s2', 's1', about('s3', 'a server is no client'))
    expect(complaints.count).toBe(1_001)
  })
  it('are as many as are shown: of the one that is accused most, the oldest goes', () => {
    const made = group()
    for (let i = 0; i < COMPLAINTS_SHOWN_MAX - 1; i++) made.tell(`c${i}#1`, 's1', about('s2', 'x'))
    made.tell('ann#1', 's1', about('s3', 'x'))
    for (let i = 0; i < 3; i++) made.tell(`d${i}#1`, 's1', about('s2', 'x'))
    made.tell('bob#1', 's1', about('s3', 'x'))
    const kept = [...made.state('s1').complaints.lines.values()]
    expect(kept).toHaveLength(COMPLAINTS_SHOWN_MAX)
    expect(kept.filter(({ server }) => server === 's3').map(({ client }) => client)).toEqual(['ann#1', 'bob#1'])
    expect(kept[0]).toMatchObject({ client: 'c1#1' })
  })
})

describe('sessions that a server has not heard of', () => {
  // Sixty of them for each of a hundred thousand objects would be a gigabyte.
  it('are answered, and not remembered: anybody can ping in the name of some', () => {
    const made = group()
    made.tell('c', 's1', get(WALL))
    made.pass(2_000)
    const ping = (session: string) => made.tell('c', 's1', { kind: 'ping', object: 'o', session, ping: 1 })
    for (let i = 0; i < 1_000; i++) expect(ping(`9.${i}`)).toMatchObject([{ kind: 'pong' }])
    expect(made.server('s1').heard.size).toBe(0)
  })
  it('count as heard when it comes to them, for their whole time', () => {
    const made = group()
    const session = { client: 'd', nonce: new Uint8Array(16), ttl: 1_000, next: 1, responses: [] }
    const change = encodeChange([{ key: sessionKey('1.0'), value: encode(sessionCodec, session) }])
    const digest = nextDigest(settings.hash, FIRST_DIGEST, 1, change)
    made.tell('d', 's1', { kind: 'ping', object: 'o', session: '1.0', ping: 1 })
    made.pass(5_000)
    made.tell('c', 's1', { ...propose(5, 1, ''), change, digest })
    made.tell('c', 's1', propose(5, 2, 'two', digest))
    made.pass(999)
    expect(made.server('s1')).toMatchObject({ content: { version: 1 }, silent: [] })
    made.pass(1_000)
    expect(made.server('s1').silent).toEqual(['1.0'])
  })
})

describe('a session whose name no message holds', () => {
  /** A version that opens it, and one after it; then its time is over, and it would be named as silent. */
  function spoiled(name: string): TestGroup {
    const made = group()
    const session = { client: 'liar#1', nonce: new Uint8Array(16), ttl: 1, next: 1, responses: [] }
    const change = encodeChange([{ key: sessionKey(name), value: encode(sessionCodec, session) }])
    const digest = nextDigest(settings.hash, FIRST_DIGEST, 1, change)
    made.tell('c', 's1', { ...propose(5, 1, ''), change, digest })
    made.tell('c', 's1', propose(5, 2, 'two', digest))
    made.pass(2_000)
    return made
  }
  const said = (made: TestGroup) => made.tell('d', 's1', get(100, 'd'))

  it('is none: what a server says afterwards fits into its words', () => {
    for (const length of [SESSION_NAME_BYTES_MAX + 1, KEY_BYTES_MAX - 2]) {
      const made = spoiled('9'.repeat(length))
      expect(made.server('s1').content).toMatchObject({ version: 1, sessions: new Map(), opened: new Map() })
      const [answer] = said(made)
      expect(answer).toMatchObject({ kind: 'got', silent: [] })
      encode(orderingVocabulary, answer!)
    }
  })
  it('is one up to there, also as a lease with the longest number', () => {
    const name = '9'.repeat(SESSION_NAME_BYTES_MAX)
    const [answer] = said(spoiled(name))
    expect(answer).toMatchObject({ kind: 'got', silent: [name] })
    encode(orderingVocabulary, answer!)
    const lease = { client: '', nonce: new Uint8Array(12), ttl: 1, next: COUNTER_MAX, responses: [] }
    encode(orderingVocabulary, { ...(answer as OrderingMessage & { kind: 'got' }), silent: [silentName(name, lease)] })
  })
})
