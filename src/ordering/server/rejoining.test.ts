// A server that lost its store takes its state from the others (protocols/ordering, "rejoin"): stories in which what it is told
// is more than what it may believe.

import { describe, expect, it } from 'vitest'
import { get, propose, rank, SERVERS, settings, TestGroup, text } from '../../../test/support/ordering-group.ts'
import { type NodeId, outlasting, seededRandom } from '../../core/index.ts'
import { choose, type Voucher } from '../choose.ts'
import { orderingRules } from '../rules.ts'
import type { OrderingSettings } from '../settings.ts'
import { FIRST_DIGEST } from '../versions/digest.ts'
import type { Head, OrderingMessage } from '../wire.ts'

/** Comfortably more than a server waits before it asks. */
const REJOINS_IN = settings.attemptMax * 1.1

function loseStore(group: TestGroup, id: NodeId, change: Partial<OrderingSettings> = {}): void {
  group.leave(id)
  group.disks.delete(id)
  group.serve(id, { ...change, rejoins: true })
}

/** What each of these says to a client that comes with its rank. */
function ask(group: TestGroup, servers: readonly NodeId[], counter: number, client: NodeId): Map<NodeId, Voucher> {
  group.pass(settings.turnMs)
  return new Map(
    servers.map(server => {
      const [got] = group.tell(client, server, get(counter, client))
      if (got?.kind !== 'got') throw new Error(`${server} says ${got?.kind}`)
      return [server, got]
    }),
  )
}

/** Who of them takes it. */
function takers(group: TestGroup, servers: readonly NodeId[], proposal: ReturnType<typeof propose>): NodeId[] {
  return servers.filter(server =>
    group.tell(proposal.rank.client, server, proposal).some(({ kind }) => kind === 'accepted'),
  )
}

describe('a version that is half done', () => {
  // n = 7, f = b = 1, q = 5. s1 took `half` in rank 1, nobody else did. s2 alone has promised rank 10. s7 comes back empty
  // and hears of both from s1, s2 and the liar s5: so it promises 10, and takes `half`. In rank 10, says the liar. But in
  // rank 10 nobody took anything, and in rank 5 another version is decided without s7 and s2.
  const faults = { liars: 1, crashes: 1 }
  const nothing: Head = { version: 0, digest: FIRST_DIGEST }
  const half = propose(1, 1, 'half', FIRST_DIGEST, 'a')
  const lie = (counter: number, client: NodeId) => ({
    rank: rank(counter, client),
    version: half.version,
    parent: half.parent,
    digest: half.digest,
  })

  function answerOfLiar(body: OrderingMessage): OrderingMessage | undefined {
    if (body.kind === 'recall') {
      const { query } = body
      const answer = { promised: rank(10, 'j'), committed: nothing, proposed: lie(1, 'a') }
      const objects = ['o', 'invented'].map(object => ({ object, ...answer }))
      return { kind: 'recalled', query, objects, more: false }
    }
    if (body.kind !== 'read') return undefined
    const { object, query } = body
    const proposed = lie(1_000_000, 'a')
    return {
      ...{ kind: 'readings', object, query, committed: nothing, proposed },
      ...{ change: half.change, applied: 0, entries: [], silent: [] },
    }
  }

  function rejoined(): TestGroup {
    const group = new TestGroup(['s1', 's2', 's3', 's4', 's5', 's6', 's7'], faults)
    group.leave('s5')
    group.tell('a', 's1', get(1, 'a'))
    group.tell('a', 's1', half)
    ask(group, ['s2'], 10, 'j')
    loseStore(group, 's7', faults)
    // s6 is slow, and the liar is the first to tell what is asked for.
    group.lost = ({ from, to, body }) => {
      const answer = from === 's7' && to === 's5' ? answerOfLiar(body) : undefined
      if (answer !== undefined) group.hear('s5', 's7', answer)
      return from === 's6' || (to === 's7' && body.kind === 'readings')
    }
    group.pass(REJOINS_IN)
    // Where it does not believe the liar alone, it waits for the others.
    group.lost = () => false
    group.pass(1_000)
    return group
  }

  it('is taken in no higher rank than b + 1 took it in: what is decided above that stands', () => {
    const group = rejoined()
    expect(group.state('s7').rejoin).toBeUndefined()
    const honest = ['s1', 's3', 's4', 's6']
    expect(choose(ask(group, honest, 5, 'e'), 1, orderingRules)).toMatchObject({ version: 0, committed: true })
    const decided = propose(5, 1, 'decided', FIRST_DIGEST, 'e')
    // With the liar, who takes everything, they are five.
    expect(takers(group, honest, decided)).toEqual(honest)
    const replies = ask(group, ['s2', 's3', 's4', 's7'], 11, 'k')
    replies.set('s5', { committed: nothing, proposed: lie(10, 'j') })
    expect(choose(replies, 1, orderingRules)?.digest).toEqual(decided.digest)
  })

  // A liar could tell of so many that there is no place for another.
  it('of an object that only liars tell of is none', () => {
    expect([...rejoined().state('s7').objects.keys()]).toEqual(['o'])
  })

  // s1 took `half` of a, nobody else did; s2 and s3 promised b a higher rank. s3 comes back empty and is told of `half`.
  // It never took it: whoever reads from s1 and s3 must not count two who did, for b may have another version decided.
  it.each(['as it is', 'after a restart'])(
    'is not shown on the word of one who took it and one who was told, %s',
    when => {
      const group = new TestGroup(SERVERS)
      ask(group, ['s1', 's2'], 1, 'a')
      group.tell('a', 's1', half)
      ask(group, ['s2', 's3'], 10, 'b')
      loseStore(group, 's3')
      group.pass(REJOINS_IN)
      expect(group.state('s3').rejoin).toBeUndefined()
      if (when === 'after a restart') group.serve('s3')
      group.join('r')
      group.command('r', { kind: 'read', id: 1, object: 'o', keys: ['x'], stale: false })
      group.carry(({ from, to }) => from === 's2' || to === 's2')
      const shown = group.heard('value').flatMap(event => (event.kind === 'value' ? event.entries : []))
      const decided = takers(group, SERVERS, propose(10, 1, 'decided', FIRST_DIGEST, 'b')).length >= 2
      expect({ decided, shown: shown.map(({ value }) => text(value)) }).not.toEqual({ decided: true, shown: ['half'] })
    },
  )
})

describe('an answer to the question of an earlier life', () => {
  // s3 has lost its store before; s2 told it then that there is nothing. It has taken part in a decision since, and loses
  // its store again. The old answer comes a second time: with it, s3 would come back without what it decided with s2.
  it('is no answer', () => {
    const group = new TestGroup(SERVERS, {}, seededRandom(1))
    loseStore(group, 's3')
    group.pass(REJOINS_IN)
    const late = group.carried.find(({ from, body }) => from === 's2' && body.kind === 'recalled')!
    ask(group, ['s2', 's3'], 7, 'c')
    expect(takers(group, ['s2', 's3'], propose(7, 1, 'decided'))).toEqual(['s2', 's3'])
    loseStore(group, 's3')
    group.lost = ({ from, body }) => from === 's2' && body.kind === 'recalled'
    group.pass(REJOINS_IN)
    group.hear('s2', 's3', late.body)
    group.carry()
    expect(group.state('s3').rejoin).toBeDefined()
    group.lost = () => false
    group.pass(REJOINS_IN)
    expect(choose(ask(group, ['s1', 's3'], 8, 'd'), 0, orderingRules)).toMatchObject({ version: 1 })
  })
})

describe('a server that comes back empty', () => {
  const faults = { liars: 1, crashes: 1 }
  const SEVEN = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']

  it('asks nobody until the longest attempt is over by any clock, and then does', () => {
    const group = new TestGroup(SERVERS)
    ask(group, SERVERS, 5, 'c')
    loseStore(group, 's3')
    const recalls = () => group.carried.filter(({ from, body }) => from === 's3' && body.kind === 'recall').length
    const wait = outlasting(settings.attemptMax, settings.drift)
    group.pass(wait - 1)
    expect(recalls()).toBe(0)
    expect(group.state('s3').rejoin).toBeDefined()
    group.pass(1)
    expect(recalls()).toBe(2)
    expect(group.server('s3').promised).toEqual(rank(5))
  })

  it('has on disk what it took over: it restarts at once, and has promised the same', () => {
    const group = new TestGroup(SERVERS)
    ask(group, SERVERS, 5, 'c')
    const first = propose(5, 1, 'one')
    takers(group, SERVERS, first)
    for (const server of SERVERS) {
      group.tell('c', server, { kind: 'commit', object: 'o', rank: rank(5), version: 1, digest: first.digest })
    }
    ask(group, SERVERS, 9, 'd')
    loseStore(group, 's3')
    // It cannot fetch what it lacks: nothing else than what it took over is written.
    group.lost = ({ body }) => body.kind === 'fetch'
    group.pass(REJOINS_IN)
    expect(group.server('s3')).toMatchObject({ promised: rank(9, 'd'), committed: { version: 1 } })
    group.serve('s3')
    expect(group.server('s3')).toMatchObject({ promised: rank(9, 'd'), committed: { version: 1 } })
  })

  it('takes only the change that was vouched for, of a version that is half done', () => {
    const group = new TestGroup(SEVEN, faults)
    const half = propose(5, 1, 'half')
    ask(group, SEVEN, 5, 'c')
    takers(group, ['s1', 's2'], half)
    loseStore(group, 's7', faults)
    const forged = propose(5, 1, 'forged')
    group.lost = ({ from, to, body }) => {
      if (from === 's7' && to === 's6' && body.kind === 'read') {
        const { object, query } = body
        const { version, parent, change } = forged
        const proposed = { version, parent, digest: half.digest, rank: rank(5) }
        const rest = { committed: { version: 0, digest: FIRST_DIGEST }, applied: 0, entries: [], silent: [] }
        group.hear('s6', 's7', { kind: 'readings', object, query, proposed, change, ...rest })
      }
      return false
    }
    group.pass(REJOINS_IN)
    expect(group.state('s7').rejoin).toBeUndefined()
    expect(group.server('s7').proposed?.change).toEqual(half.change)
  })
})
