// One suite for the folder (LECTURE, "Election algorithms"): what every algorithm must do, and what each promises more.

import { describe, expect, test } from 'vitest'
import { decode, encode, type NodeId } from '../../core/index.ts'
import { calm, type Micros, runOnce, World } from '../../simulator/index.ts'
import {
  type AnyElectionAlgorithm,
  bully,
  type ElectionEvent,
  type ElectionState,
  fieldScenario,
  proofOfStake,
  proofOfWork,
  raft,
  ring,
  ringOfTwo,
  wireless,
  zookeeper,
} from './index.ts'

const MESSAGE: Micros = 1_000
const EXACT = { ...calm, delayMin: MESSAGE, delaySpread: 0 }
const SECOND: Micros = 1_000_000

const numberOf = (member: NodeId) => Number(member.split('-')[1])
/** Neither the order of the ids nor its reverse: member-1 has 3, member-2 has 6, member-3 has 2 … */
const merit = (member: NodeId) => (numberOf(member) * 3) % 7
const top = (up: readonly NodeId[]) => up.at(-1)!
const best = (up: readonly NodeId[]) =>
  up.reduce((one, other) =>
    merit(other) > merit(one) || (merit(other) === merit(one) && numberOf(other) > numberOf(one)) ? other : one,
  )

interface Case {
  readonly algorithm: AnyElectionAlgorithm
  /** Who must lead of those that are up; without it, any of them may. */
  readonly right?: (up: readonly NodeId[]) => NodeId
  readonly crashesMax?: number
  /** Messages when the top member is down and the lowest alone notices. */
  messages?(size: number): number
  readonly samples: readonly unknown[]
}

const bytes = new Uint8Array(32).fill(7)
const tag = { round: 3, initiator: 2 }

const cases: readonly Case[] = [
  {
    algorithm: bully(),
    right: top,
    messages: size => size * (size - 1),
    samples: [{ kind: 'election' }, { kind: 'ok' }, { kind: 'coordinator' }],
  },
  {
    algorithm: ring(),
    right: top,
    // Two laps of those that are up, each hop acknowledged, and one that nobody acknowledges.
    messages: size => 4 * (size - 1) + 1,
    samples: [
      { kind: 'election', number: 5, seen: [1, 2] },
      { kind: 'coordinator', number: 5, seen: [2] },
      { kind: 'received', number: 5, lap: 1 },
    ],
  },
  {
    algorithm: zookeeper({ settleMs: 100, transaction: merit }),
    right: best,
    samples: [
      { kind: 'vote', round: 1, id: 2, transaction: 9 },
      { kind: 'led', round: 1, id: 2 },
    ],
  },
  {
    algorithm: raft(),
    messages: size => 3 * size - 4,
    samples: [
      { kind: 'volunteer', term: 1 },
      { kind: 'vote', term: 1 },
      { kind: 'heartbeat', term: 1 },
      { kind: 'still', term: 1 },
    ],
  },
  {
    algorithm: proofOfWork(),
    samples: [
      { kind: 'race', round: 1 },
      { kind: 'victory', round: 1, winner: 2, guess: bytes },
    ],
  },
  {
    algorithm: proofOfStake({ timeoutMs: 100, tokens: member => 1 + merit(member) }),
    messages: size => 5 * size - 7,
    samples: [
      { kind: 'start', round: 1 },
      { kind: 'commit', round: 1, hash: bytes },
      { kind: 'commitments', round: 1, entries: [{ place: 1, hash: bytes }] },
      { kind: 'reveal', round: 1, number: bytes },
      { kind: 'draw', round: 1, entries: [{ place: 1, hash: bytes, number: undefined }] },
      { kind: 'later', round: 1 },
    ],
  },
  {
    algorithm: wireless({ timeoutMs: 100, capacity: merit, neighbours: ringOfTwo }),
    right: best,
    // More may cut the network into pieces.
    crashesMax: 1,
    messages: wirelessMessages,
    samples: [
      { kind: 'build', ...tag },
      { kind: 'child', ...tag },
      { kind: 'taken', ...tag },
      { kind: 'report', ...tag, best: 1, capacity: 5 },
      { kind: 'leader', ...tag, best: 1 },
      { kind: 'later', ...tag, newest: 4 },
    ],
  },
]

/** Every member up asks all neighbours but its parent, those that are up answer; then reports and results. */
function wirelessMessages(size: number): number {
  const members = names(size)
  const up = members.slice(0, -1)
  const links = up.flatMap(member => [...ringOfTwo(member, members)])
  const toUp = links.filter(member => up.includes(member)).length
  const tree = up.length - 1
  return links.length - tree + (toUp - tree) + 2 * tree
}

function names(size: number): NodeId[] {
  return Array.from({ length: size }, (_, place) => `member-${place + 1}`)
}

interface Group {
  readonly world: World
  readonly members: readonly NodeId[]
  readonly events: { readonly member: NodeId; readonly event: ElectionEvent }[]
  leaders(): (NodeId | undefined)[]
  up(): NodeId[]
}

function group(algorithm: AnyElectionAlgorithm, size: number, seed = 1): Group {
  const world = new World({ seed, network: EXACT })
  const members = names(size)
  const { protocol, vocabulary } = algorithm
  for (const id of members) world.add({ id, protocol, peers: members, vocabulary })
  const events: Group['events'] = []
  world.listen((node, event) => events.push({ member: node.spec.id, event: event as ElectionEvent }))
  for (const id of members) world.start(id)
  const up = () => members.filter(member => world.node(member).host !== undefined)
  const leaders = () => up().map(member => (world.node(member).host!.state as ElectionState).leader)
  return { world, members, events, leaders, up }
}

const elect = { kind: 'elect' }

function agreed({ leaders, up }: Group, right?: Case['right']): NodeId {
  const believed = new Set(leaders())
  expect(believed.size).toBe(1)
  const [leader] = believed
  expect(up()).toContain(leader)
  if (right !== undefined) expect(leader).toBe(right(up()))
  return leader!
}

describe.each(cases)('LECTURE, elections: $algorithm.name', ({ algorithm, right, crashesMax, messages, samples }) => {
  test.each([1, 2, 3, 5, 8])('crashes and elections at any time, %i members: all up agree in the end', size => {
    const scenario = fieldScenario(algorithm, size, {
      ...(right === undefined ? {} : { right }),
      ...(crashesMax === undefined ? {} : { crashesMax: Math.min(crashesMax, Math.floor((size - 1) / 2)) }),
    })
    for (let seed = 1; seed <= 12; seed++) {
      const { violations } = runOnce(scenario, seed)
      expect(violations, `size ${size}, seed ${seed}`).toEqual([])
    }
  })

  test('the same seed gives the same run', () => {
    const scenario = fieldScenario(algorithm, 4)
    expect(runOnce(scenario, 5).traceHash).toBe(runOnce(scenario, 5).traceHash)
  })

  test.each([
    ['the lowest notices', (members: readonly NodeId[]) => members.slice(0, 1)],
    ['the next one notices', (members: readonly NodeId[]) => members.slice(-2, -1)],
    ['all notice at once', (members: readonly NodeId[]) => members.slice(0, -1)],
  ])('the top member is down and %s', (_who, notice) => {
    const members = group(algorithm, 7)
    members.world.command('member-1', elect)
    members.world.run(10 * SECOND)
    agreed(members, right)
    members.world.crash('member-7')
    for (const member of notice(members.members)) members.world.command(member, elect)
    members.world.run(members.world.now + 10 * SECOND)
    agreed(members, right)
  })

  test('the leader crashes, again and again, while a majority is left', () => {
    const members = group(algorithm, 5)
    members.world.command('member-2', elect)
    members.world.run(10 * SECOND)
    for (let crashes = 0; crashes < (crashesMax ?? 2); crashes++) {
      const leader = agreed(members, right)
      members.world.crash(leader)
      members.world.command(members.up()[0]!, elect)
      members.world.run(members.world.now + 10 * SECOND)
      expect(agreed(members, right)).not.toBe(leader)
    }
  })

  test('a member that was down comes back, and all agree again', () => {
    const members = group(algorithm, 5)
    members.world.crash('member-5')
    members.world.command('member-1', elect)
    members.world.run(10 * SECOND)
    members.world.start('member-5')
    members.world.command('member-5', elect)
    members.world.run(members.world.now + 10 * SECOND)
    // It may have been told that the group is led, or of a newer round: then a second look for a leader finds all.
    members.world.command('member-5', elect)
    members.world.run(members.world.now + 10 * SECOND)
    agreed(members, right)
  })

  test('a group of one leads itself', () => {
    const alone = group(algorithm, 1)
    alone.world.command('member-1', elect)
    alone.world.run(10 * SECOND)
    expect(agreed(alone)).toBe('member-1')
  })

  test('a stranger’s words, and odd ones of a member, stop nobody', () => {
    const members = group(algorithm, 5)
    for (const from of ['stranger', 'member-1', 'member-3', 'member-5']) {
      for (const body of samples) members.world.node('member-2').host!.input({ kind: 'message', from, body })
    }
    members.world.run(20 * SECOND)
    // Twice: an odd word may have left a member in the middle of an election that never was.
    for (let time = 0; time < 2; time++) {
      for (const member of members.members) members.world.command(member, elect)
      members.world.run(members.world.now + 20 * SECOND)
    }
    agreed(members, right)
  })

  test('the largest numbers that fit on the wire make nobody throw', () => {
    const members = group(algorithm, 3)
    for (const body of samples as Record<string, unknown>[]) {
      const huge = { ...body }
      for (const field of ['round', 'term', 'newest', 'transaction', 'capacity']) {
        if (huge[field] !== undefined) huge[field] = 2 ** 52
      }
      for (const from of ['member-1', 'member-3']) {
        members.world.node('member-2').host!.input({ kind: 'message', from, body: huge })
        members.world.command('member-2', elect)
        expect(() => members.world.run(members.world.now + SECOND)).not.toThrow()
      }
    }
  })

  test('one that is not a member does nothing', () => {
    const world = new World({ seed: 1, network: EXACT })
    const { protocol, vocabulary } = algorithm
    for (const id of ['member-1', 'outside']) world.add({ id, protocol, peers: ['member-1'], vocabulary })
    world.start('outside')
    world.command('outside', elect)
    world.run(SECOND)
    expect(world.delivered).toBe(0)
    expect(world.node('outside').host!.state.leader).toBeUndefined()
  })

  test('every word comes back from the wire; odd bytes are refused', () => {
    for (const sample of samples) {
      const written = encode(algorithm.vocabulary, sample)
      expect(decode(algorithm.vocabulary, written)).toEqual({ ok: true, value: sample })
      expect(decode(algorithm.vocabulary, written.slice(0, -1)).ok).toBe(false)
      expect(decode(algorithm.vocabulary, new Uint8Array([...written, 0])).ok).toBe(false)
    }
    expect(decode(algorithm.vocabulary, new Uint8Array([samples.length])).ok).toBe(false)
  })

  test.each([4, 8, 33])('messages with the top member down, N = %i', size => {
    const members = group(algorithm, size)
    let sent = 0
    const { route } = members.world.network
    members.world.network.route = (...way) => {
      sent++
      return route.apply(members.world.network, way)
    }
    members.world.crash(members.members.at(-1)!)
    members.world.command('member-1', elect)
    members.world.run(60 * SECOND)
    agreed(members, right)
    if (messages !== undefined) expect(sent).toBe(messages(size))
    else expect(sent).toBeGreaterThanOrEqual(2 * (size - 1))
  })
})
