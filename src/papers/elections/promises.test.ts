// What single algorithms of the folder promise beyond one leader that all agree on, and what they do not.

import { describe, expect, test } from 'vitest'
import { type NodeId, seededRandom } from '../../core/index.ts'
import { calm, type Micros, runOnce, World } from '../../simulator/index.ts'
import {
  type AnyElectionAlgorithm,
  bully,
  drawOwner,
  type ElectionState,
  expectedTries,
  fieldScenario,
  leadingZeros,
  proofOfStake,
  proofOfWork,
  raft,
  raftDefaults,
  ring,
  solutionHash,
  wireless,
  workDefaults,
  zookeeper,
} from './index.ts'

const EXACT = { ...calm, delayMin: 1_000, delaySpread: 0 }
const SECOND: Micros = 1_000_000
const elect = { kind: 'elect' }

function group(algorithm: AnyElectionAlgorithm, members: readonly NodeId[], seed = 1): World {
  const world = new World({ seed, network: EXACT })
  const { protocol, vocabulary } = algorithm
  for (const id of members) world.add({ id, protocol, peers: members, vocabulary })
  for (const id of members) world.start(id)
  return world
}

const stateOf = (world: World, member: NodeId) => world.node(member).host!.state as ElectionState
const leadersOf = (world: World) =>
  [...world.nodes.keys()].filter(id => world.node(id).host !== undefined).map(id => stateOf(world, id).leader)
const FIVE = ['a', 'b', 'c', 'd', 'e']

describe('LECTURE, "Election by bullying"', () => {
  test('the next one below the crashed needs one question and N - 1 announcements', () => {
    const world = group(bully(), FIVE)
    world.crash('e')
    world.command('d', elect)
    world.run(SECOND)
    // Neither the question to e nor its announcement arrives.
    expect(world.delivered).toBe(3)
    expect(leadersOf(world)).toEqual(['d', 'd', 'd', 'd'])
  })

  test('the one that took over crashes before it could win: those that waited start again', () => {
    const world = group(bully(), FIVE)
    world.crash('e')
    world.command('a', elect)
    world.run(50_000)
    world.crash('d')
    world.run(5 * SECOND)
    expect(leadersOf(world)).toEqual(['c', 'c', 'c'])
  })
})

describe('LECTURE, "Election in a ring"', () => {
  test('two start at once, as P3 and P6 in the figure: both lists come out the same', () => {
    const world = group(ring(), ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'])
    world.crash('p7')
    world.command('p3', elect)
    world.command('p6', elect)
    world.run(5 * SECOND)
    expect(new Set(leadersOf(world))).toEqual(new Set(['p6']))
  })
})

describe('LECTURE, "Leader election in ZooKeeper server group"', () => {
  const transaction = (member: NodeId) => ({ a: 9, b: 9, c: 1, d: 2, e: 8 })[member] ?? 0

  test('the latest transaction first, then the highest id', () => {
    const world = group(zookeeper({ settleMs: 100, transaction }), FIVE)
    world.command('c', elect)
    world.run(5 * SECOND)
    expect(new Set(leadersOf(world))).toEqual(new Set(['b']))
  })

  test('without a majority nobody leads', () => {
    const world = group(zookeeper({ settleMs: 100, transaction }), FIVE)
    for (const id of ['a', 'b', 'c']) world.crash(id)
    world.command('d', elect)
    world.run(30 * SECOND)
    expect(leadersOf(world)).toEqual([undefined, undefined])
  })

  test('one that comes back follows the leader there is, though it would have won', () => {
    const world = group(zookeeper({ settleMs: 100, transaction }), FIVE)
    world.crash('b')
    world.command('a', elect)
    world.run(5 * SECOND)
    expect(new Set(leadersOf(world))).toEqual(new Set(['a']))
    world.start('b')
    world.command('b', elect)
    world.run(world.now + 5 * SECOND)
    expect(leadersOf(world)).toEqual(['a', 'a', 'a', 'a', 'a'])
  })
})

describe('LECTURE, "Leader election in Raft"', () => {
  test.each([2, 3, 5])('never two leaders a term, %i members: loss, partitions, pauses, restarts; then one', size => {
    // What a lost heartbeat told is told again: without heartbeats a member may miss the result for ever.
    const scenario = fieldScenario(raft({ ...raftDefaults, heartbeatMs: 20 }), size, { hostile: true })
    for (let seed = 1; seed <= 60; seed++) {
      const { violations } = runOnce(scenario, seed)
      expect(violations, `size ${size}, seed ${seed}`).toEqual([])
    }
  })

  test('planted: a vote that is not saved gives a term two leaders', () => {
    const scenario = fieldScenario(raft({ ...raftDefaults, heartbeatMs: 20, planted: 'forgets its vote' }), 3, {
      hostile: true,
    })
    const broken = Array.from({ length: 300 }, (_, seed) => runOnce(scenario, seed).violations).flat()
    expect(broken.map(({ what }) => what).join()).toMatch(/has two leaders/)
  })

  test('a leader that hears a volunteer says that it still leads, and the volunteer follows', () => {
    const world = group(raft(), FIVE)
    world.command('a', elect)
    world.run(5 * SECOND)
    const { leader, round } = stateOf(world, 'a')
    const other = FIVE.find(id => id !== leader)!
    // Its word reaches the leader only: with the others' votes it would have won.
    for (const id of FIVE) {
      if (id !== leader && id !== other) world.network.cut(world.node(other).index, world.node(id).index)
    }
    world.command(other, elect)
    world.run(world.now + 5 * SECOND)
    expect(stateOf(world, other)).toMatchObject({ role: 'follower', leader, round })
  })

  test('with heartbeats nobody need be told: silence is noticed, and a leader of an older term steps down', () => {
    const settings = { ...raftDefaults, heartbeatMs: 20 }
    const world = group(raft(settings), FIVE)
    world.run(5 * SECOND)
    const [first] = new Set(leadersOf(world))
    expect(new Set(leadersOf(world)).size).toBe(1)
    const cut = world.node(first!).index
    const others = FIVE.filter(id => id !== first)
    for (const id of others) {
      world.network.cut(cut, world.node(id).index)
      world.network.cut(world.node(id).index, cut)
    }
    world.run(world.now + 5 * SECOND)
    expect(stateOf(world, first!).leader).toBe(first)
    const [second] = new Set(others.map(id => stateOf(world, id).leader))
    expect(second).not.toBe(first)
    world.network.heal()
    world.run(world.now + 5 * SECOND)
    expect(new Set(leadersOf(world)).size).toBe(1)
    expect(stateOf(world, first!)).toMatchObject({ role: 'follower' })
  })

  test('a minority elects nobody', () => {
    const world = group(raft(), FIVE)
    for (const id of ['c', 'd', 'e']) world.crash(id)
    world.command('a', elect)
    world.run(30 * SECOND)
    expect(leadersOf(world)).toEqual([undefined, undefined])
  })
})

describe('seeds that once failed', () => {
  test.each([
    ['an older vote that arrived later took the place of a newer one', zookeeper(), 9, [9, 46, 79]],
    ['a leader’s word overtook the question that made it leader', raft(), 9, [78, 149]],
  ] as const)('%s', (_story, algorithm, size, seeds) => {
    for (const seed of seeds) expect(runOnce(fieldScenario(algorithm, size), seed).violations).toEqual([])
  })
})

describe('LECTURE, "Elections by proof of work"', () => {
  test('leading zeroes are counted in bits', () => {
    expect(leadingZeros(new Uint8Array([0x80]))).toBe(0)
    expect(leadingZeros(new Uint8Array([0, 0x1f]))).toBe(11)
    expect(leadingZeros(new Uint8Array([0, 0]))).toBe(16)
  })

  test('p = 2^-K: the share of guesses that suffice, K = 1 … 6', () => {
    const random = seededRandom(4)
    const guesses = 6_000
    const zeros = Array.from({ length: guesses }, () => leadingZeros(solutionHash('a', 1, random.bytes(32))))
    for (let difficulty = 1; difficulty <= 6; difficulty++) {
      const rate = zeros.filter(count => count >= difficulty).length / guesses
      const p = 1 / expectedTries(difficulty)
      expect(Math.abs(rate - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / guesses))
    }
  })

  test('a solution is one member’s and one round’s', () => {
    const random = seededRandom(5)
    let guess = random.bytes(32)
    while (leadingZeros(solutionHash('a', 1, guess)) < 10) guess = random.bytes(32)
    expect(leadingZeros(solutionHash('b', 1, guess))).toBeLessThan(10)
    expect(leadingZeros(solutionHash('a', 2, guess))).toBeLessThan(10)
    const world = group(proofOfWork({ ...workDefaults, difficulty: 10 }), FIVE)
    const claim = (winner: number, round: number) => ({ kind: 'victory', round, winner, guess })
    world.node('c').host!.input({ kind: 'message', from: 'b', body: claim(1, 1) })
    world.node('c').host!.input({ kind: 'message', from: 'a', body: claim(0, 2) })
    expect(stateOf(world, 'c').round).toBe(0)
    world.node('c').host!.input({ kind: 'message', from: 'b', body: claim(0, 1) })
    world.run(SECOND)
    expect(stateOf(world, 'c').leader).toBe('a')
  })

  test('the chance to lead is the share of the tries', () => {
    const settings = { ...workDefaults, difficulty: 6, tries: (member: NodeId) => (member === 'a' ? 3 : 1) }
    const runs = 300
    let won = 0
    for (let seed = 1; seed <= runs; seed++) {
      const world = group(proofOfWork(settings), ['a', 'b', 'c', 'd'], seed)
      world.command('b', elect)
      world.run(2 * SECOND)
      if (stateOf(world, 'd').leader === 'a') won++
    }
    expect(Math.abs(won / runs - 0.5)).toBeLessThan(5 * Math.sqrt(0.25 / runs))
  })
})

describe('LECTURE, "Elections by proof of stake"', () => {
  test('every token has the same chance: 20,000 draws', () => {
    const random = seededRandom(6)
    const stakes = [1, 0, 2, 5, 12]
    const draws = 20_000
    const won = stakes.map(() => 0)
    for (let i = 0; i < draws; i++) won[drawOwner(random.bytes(32), stakes)]!++
    for (const [at, tokens] of stakes.entries()) {
      const p = tokens / 20
      expect(Math.abs(won[at]! / draws - p)).toBeLessThanOrEqual(5 * Math.sqrt((p * (1 - p)) / draws))
    }
  })

  test('nobody is drawn where there are no tokens', () => {
    expect(drawOwner(new Uint8Array(32), [0, 0])).toBe(-1)
    expect(drawOwner(new Uint8Array(32), [])).toBe(-1)
  })

  test('whole elections: three of six tokens lead half the time, with the richest member down', () => {
    const tokens = (member: NodeId) => ({ a: 1, b: 2, c: 3, d: 94 })[member] ?? 0
    const runs = 300
    const won = new Map<string, number>()
    for (let seed = 1; seed <= runs; seed++) {
      const world = group(proofOfStake({ timeoutMs: 100, tokens }), ['a', 'b', 'c', 'd'], seed)
      world.crash('d')
      world.command('b', elect)
      world.run(SECOND)
      const { leader } = stateOf(world, 'a')
      won.set(leader!, (won.get(leader!) ?? 0) + 1)
    }
    for (const [member, p] of [
      ['a', 1 / 6],
      ['b', 1 / 3],
      ['c', 1 / 2],
    ] as const) {
      expect(Math.abs((won.get(member) ?? 0) / runs - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / runs))
    }
    expect(won.has('d')).toBe(false)
  })

  test('a number that was not promised, and a list that was changed afterwards, are refused', () => {
    const tokens = () => 1
    const world = group(proofOfStake({ timeoutMs: 100, tokens }), ['a', 'b', 'c'])
    world.command('a', elect)
    world.run(3_000)
    const entries = [...world.node('b').host!.state.commitments].map(([place, hash]) => ({ place, hash }))
    const forged = entries.map(entry => ({ ...entry, number: new Uint8Array(32) }))
    world.node('b').host!.input({ kind: 'message', from: 'a', body: { kind: 'draw', round: 1, entries: forged } })
    const shorter = [{ ...entries[0]!, number: world.node('a').host!.state.number }]
    world.node('b').host!.input({ kind: 'message', from: 'a', body: { kind: 'draw', round: 1, entries: shorter } })
    expect(entries.length).toBe(3)
    expect(stateOf(world, 'b').leader).toBeUndefined()
    world.run(SECOND)
    expect(new Set(leadersOf(world)).size).toBe(1)
  })
})

describe('LECTURE, "A solution for wireless networks"', () => {
  // A sample network of ten, as in the pictures: capacities 4, 6, 3, 2, 1, 4, 2, 8, 5, 4 for a … j.
  const TEN = [...'abcdefghij']
  const LINKS = ['ab', 'aj', 'bc', 'bg', 'cd', 'ce', 'de', 'df', 'ef', 'eg', 'fi', 'gj', 'gh', 'hi']
  const capacity = (member: NodeId) => [4, 6, 3, 2, 1, 4, 2, 8, 5, 4][TEN.indexOf(member)]!
  const neighbours = (member: NodeId) =>
    LINKS.filter(link => link.includes(member)).map(link => link.replace(member, ''))
  const network = wireless({ timeoutMs: 100, capacity, neighbours })

  test('the best capacity is reported back to the source, and told to all', () => {
    const world = group(network, TEN)
    world.command('a', elect)
    world.run(5 * SECOND)
    expect(new Set(leadersOf(world))).toEqual(new Set(['h']))
  })

  test('the best is down: the next best', () => {
    const world = group(network, TEN)
    world.crash('h')
    world.command('a', elect)
    world.run(5 * SECOND)
    expect(new Set(leadersOf(world))).toEqual(new Set(['b']))
  })

  test('a network in two pieces: a leader in each that looks for one', () => {
    const world = group(network, TEN)
    for (const id of ['g', 'c']) world.crash(id)
    world.command('a', elect)
    world.command('h', elect)
    world.run(10 * SECOND)
    const of = (ids: string) => [...ids].map(id => stateOf(world, id).leader)
    expect(new Set(of('abj'))).toEqual(new Set(['b']))
    expect(new Set(of('defhi'))).toEqual(new Set(['h']))
  })

  test('nobody speaks to one that is out of reach', () => {
    const world = group(network, TEN)
    const { route } = world.network
    const ways = new Set<string>()
    world.network.route = (from, to, now, arrive) => {
      ways.add([TEN[from], TEN[to]].sort().join(''))
      return route.call(world.network, from, to, now, arrive)
    }
    world.command('a', elect)
    world.run(5 * SECOND)
    expect([...ways].sort()).toEqual([...LINKS].sort())
  })
})
