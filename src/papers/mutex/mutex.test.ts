// One suite for the folder (LECTURE, "Mutual exclusion"): what every algorithm must do, and where each one breaks.

import { describe, expect, test } from 'vitest'
import { decode, encode, type NodeId } from '../../core/index.ts'
import { calm, type Micros, runOnce, World } from '../../simulator/index.ts'
import {
  type AnyMutexAlgorithm,
  centralised,
  decentralised,
  type MutexEvent,
  type MutexState,
  mutexScenario,
  ricartAgrawala,
  tokenRing,
} from './index.ts'

const MESSAGE: Micros = 1_000
const EXACT = { ...calm, delayMin: MESSAGE, delaySpread: 0 }
const SECOND: Micros = 1_000_000

interface Case {
  readonly algorithm: AnyMutexAlgorithm
  /** Messages of one entry and exit in a group of N by a member that does not coordinate, nobody else wanting in. */
  messages?(size: number): number
  /** After a member has crashed that wants nothing, or that waits, is another still let in? */
  readonly survives: { readonly first: boolean; readonly last: boolean; readonly waiting: boolean }
  readonly samples: readonly unknown[]
}

const cases: readonly Case[] = [
  {
    algorithm: centralised,
    messages: () => 3,
    survives: { first: false, last: true, waiting: false },
    samples: [
      { kind: 'request', ticket: 1 },
      { kind: 'grant', ticket: 2 ** 52 },
      { kind: 'release', ticket: 0 },
    ],
  },
  {
    algorithm: ricartAgrawala,
    messages: size => 2 * (size - 1),
    survives: { first: false, last: false, waiting: false },
    samples: [
      { kind: 'request', clock: 7 },
      { kind: 'reply', clock: 0 },
    ],
  },
  {
    algorithm: tokenRing({ restMs: 5 }),
    survives: { first: false, last: false, waiting: false },
    samples: [{ kind: 'token', hop: 1_000_000 }],
  },
  {
    algorithm: decentralised(),
    // The member's own vote costs no message.
    messages: size => 3 * (size - 1),
    survives: { first: true, last: true, waiting: true },
    samples: [
      { kind: 'request', attempt: 1 },
      { kind: 'granted', attempt: 1 },
      { kind: 'refused', attempt: 1 },
      { kind: 'release', attempt: 1 },
    ],
  },
]

interface Group {
  readonly world: World
  readonly members: readonly NodeId[]
  readonly events: { readonly member: NodeId; readonly at: Micros; readonly event: MutexEvent }[]
  phase(member: NodeId): MutexState['phase']
  inside(): NodeId[]
}

function group(algorithm: AnyMutexAlgorithm, size: number, seed = 1): Group {
  const world = new World({ seed, network: EXACT })
  const members = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const { protocol, vocabulary } = algorithm
  for (const id of members) world.add({ id, protocol, peers: members, vocabulary })
  const events: Group['events'] = []
  world.listen((node, event) => events.push({ member: node.spec.id, at: world.now, event: event as MutexEvent }))
  for (const id of members) world.start(id)
  const phase = (member: NodeId) => (world.node(member).host?.state as MutexState | undefined)?.phase ?? 'outside'
  return { world, members, events, phase, inside: () => members.filter(member => phase(member) === 'inside') }
}

const enter = { kind: 'enter', id: 1 }
const leave = { kind: 'leave', id: 1 }

describe.each(cases)('LECTURE, mutual exclusion: $algorithm.name', ({ algorithm, survives, samples }) => {
  test.each([1, 2, 3, 7])('never two inside, and everybody served, with %i members', size => {
    const scenario = mutexScenario(algorithm, size)
    for (let seed = 1; seed <= 12; seed++) {
      const { violations } = runOnce(scenario, seed)
      expect(violations, `size ${size}, seed ${seed}`).toEqual([])
    }
  })

  test('the same seed gives the same run', () => {
    const scenario = mutexScenario(algorithm, 4)
    expect(runOnce(scenario, 5).traceHash).toBe(runOnce(scenario, 5).traceHash)
  })

  test('all ask at once: one at a time, all in the end', () => {
    const { world, members, events, inside } = group(algorithm, 5)
    world.listen((node, event) => {
      expect(inside().length).toBeLessThanOrEqual(1)
      if ((event as MutexEvent).kind === 'entered') {
        world.at(world.now + 10_000, () => world.command(node.spec.id, leave))
      }
    })
    for (const member of members) world.command(member, enter)
    world.run(60 * SECOND)
    expect(
      events
        .filter(({ event }) => event.kind === 'left')
        .map(({ member }) => member)
        .sort(),
    ).toEqual(members)
  })

  test.each(['first', 'last'] as const)('a crash of the %s member, which wanted nothing', which => {
    const { world, members, phase } = group(algorithm, 4)
    world.run(SECOND)
    world.crash(members.at(which === 'first' ? 0 : -1)!)
    world.command(members[1]!, enter)
    world.run(world.now + 30 * SECOND)
    // The token may have been on its way past: the second request finds out whether it is lost.
    if (phase(members[1]!) === 'inside') world.command(members[1]!, leave)
    world.run(world.now + 30 * SECOND)
    world.command(members[2]!, enter)
    world.run(world.now + 30 * SECOND)
    expect(phase(members[2]!)).toBe(survives[which] ? 'inside' : 'waiting')
  })

  test('a crash of one that waits', () => {
    const { world, members, phase } = group(algorithm, 4)
    const [, inside, waiting, later] = members
    world.run(SECOND)
    world.command(inside!, enter)
    world.run(world.now + SECOND)
    world.command(waiting!, enter)
    world.run(world.now + SECOND)
    expect([phase(inside!), phase(waiting!)]).toEqual(['inside', 'waiting'])
    world.crash(waiting!)
    world.command(inside!, leave)
    world.command(later!, enter)
    world.run(world.now + 30 * SECOND)
    expect(phase(later!)).toBe(survives.waiting ? 'inside' : 'waiting')
  })

  test('a crash of the member inside blocks the others', () => {
    const { world, members, inside } = group(algorithm, 4)
    world.run(SECOND)
    world.command(members[1]!, enter)
    world.run(world.now + SECOND)
    expect(inside()).toEqual([members[1]])
    world.crash(members[1]!)
    world.command(members[2]!, enter)
    world.run(world.now + 60 * SECOND)
    expect(inside()).toEqual([])
  })

  test('refuses what makes no sense, and goes on', () => {
    const { world, members, events, phase } = group(algorithm, 3)
    const [, member] = members
    const answers = () => events.filter(entry => entry.member === member).map(entry => entry.event)
    world.command(member!, leave)
    expect(answers()).toEqual([{ kind: 'refused', id: 1, why: 'not inside' }])
    world.command(member!, enter)
    world.command(member!, { kind: 'enter', id: 2 })
    expect(answers().at(-1)).toEqual({ kind: 'refused', id: 2, why: 'busy' })
    world.run(SECOND)
    expect(phase(member!)).toBe('inside')
    world.command(member!, { kind: 'leave', id: 2 })
    expect(answers().at(-1)).toEqual({ kind: 'refused', id: 2, why: 'not inside' })
    world.command(member!, leave)
    expect(phase(member!)).toBe('outside')
  })

  test('a member that restarts has forgotten, and stays out', () => {
    const { world, members, events } = group(algorithm, 3)
    world.run(SECOND)
    world.crash(members[1]!)
    world.start(members[1]!)
    world.command(members[1]!, enter)
    expect(events.at(-1)?.event).toEqual({ kind: 'refused', id: 1, why: 'restarted' })
  })

  test('a stranger’s words, and odd ones of a member, let nobody in and stop nobody', () => {
    const { world, members, inside } = group(algorithm, 3)
    const body = { ...(samples.at(-1) as object) }
    for (const from of ['stranger', members[0]!, members[2]!]) {
      for (const sample of samples) {
        world.node(members[1]!).host!.input({ kind: 'message', from, body: sample as typeof body })
      }
    }
    expect(inside()).toEqual([])
  })

  test('every word comes back from the wire; odd bytes are refused', () => {
    for (const sample of samples) {
      const bytes = encode(algorithm.vocabulary, sample)
      expect(decode(algorithm.vocabulary, bytes)).toEqual({ ok: true, value: sample })
      expect(decode(algorithm.vocabulary, bytes.slice(0, -1)).ok).toBe(false)
      expect(decode(algorithm.vocabulary, new Uint8Array([...bytes, 0])).ok).toBe(false)
    }
    expect(decode(algorithm.vocabulary, new Uint8Array([samples.length, 1])).ok).toBe(false)
    expect(decode(algorithm.vocabulary, new Uint8Array([0, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20])).ok).toBe(
      false,
    )
  })
})

describe.each(cases.filter(({ messages }) => messages !== undefined))(
  'LECTURE, comparison, messages per entry and exit: $algorithm.name',
  ({ algorithm, messages }) => {
    test.each([2, 3, 8, 33])('N = %i', size => {
      const { world, members, phase } = group(algorithm, size)
      const member = members[1]!
      world.run(SECOND)
      const before = world.delivered
      world.command(member, enter)
      world.run(world.now + SECOND / 2)
      expect(phase(member)).toBe('inside')
      world.command(member, leave)
      world.run(world.now + 10 * SECOND)
      expect(world.delivered - before).toBe(messages!(size))
    })
  },
)

describe('LECTURE, "Permission-based, centralized", figure (a) to (c)', () => {
  test('the coordinator does not reply to the second until the first releases', () => {
    const { world, phase } = group(centralised, 3)
    world.command('member-2', enter)
    world.run(2 * MESSAGE)
    expect(phase('member-2')).toBe('inside')
    world.command('member-3', enter)
    world.run(SECOND)
    expect(phase('member-3')).toBe('waiting')
    world.command('member-2', leave)
    world.run(world.now + 2 * MESSAGE)
    expect(phase('member-3')).toBe('inside')
  })
})

describe('LECTURE, "Ricart & Agrawala", figure (a) to (c)', () => {
  test('of two that ask at the same moment, the lower timestamp wins, and sends its OK when it is done', () => {
    const { world, phase } = group(ricartAgrawala, 3)
    // The third asks with a clock that is already ahead.
    world.command('member-3', enter)
    world.run(SECOND)
    world.command('member-3', leave)
    world.node('member-1').host!.state.clock = 0
    world.command('member-1', enter)
    world.command('member-3', enter)
    world.run(world.now + 2 * MESSAGE)
    expect([phase('member-1'), phase('member-3')]).toEqual(['inside', 'waiting'])
    world.command('member-1', leave)
    world.run(world.now + MESSAGE)
    expect(phase('member-3')).toBe('inside')
  })

  test('equal timestamps: the place in the group decides', () => {
    const { world, phase } = group(ricartAgrawala, 3)
    world.command('member-3', enter)
    world.command('member-2', enter)
    world.run(SECOND)
    expect([phase('member-2'), phase('member-3')]).toEqual(['inside', 'waiting'])
  })
})

describe('LECTURE, "Token ring algorithm"', () => {
  test('the token goes round: one hop, one message', () => {
    const { world } = group(tokenRing(), 5)
    world.run(100 * MESSAGE)
    expect(world.delivered).toBe(100)
  })
})

describe('LECTURE, "Decentralized mutual exclusion"', () => {
  test.each([
    { resets: 1, inside: ['user-1'] },
    { resets: 2, inside: ['user-1', 'user-2'] },
  ])('N = 8, m = 5, $resets coordinators reset: 2m - N = 2 break it', ({ resets, inside }) => {
    const world = new World({ seed: 3, network: EXACT })
    const coordinators = Array.from({ length: 8 }, (_, place) => `coordinator-${place + 1}`)
    const careful = decentralised({ asked: 5 })
    const { vocabulary } = careful
    for (const id of coordinators) world.add({ id, protocol: careful.protocol, peers: coordinators, vocabulary })
    world.add({ id: 'user-1', protocol: careful.protocol, peers: coordinators, vocabulary })
    world.add({ id: 'user-2', protocol: decentralised().protocol, peers: coordinators, vocabulary })
    for (const id of [...coordinators, 'user-1', 'user-2']) world.start(id)
    world.command('user-1', enter)
    world.run(SECOND)
    const voters = coordinators.filter(id => world.node(id).host!.state.votedFor !== undefined)
    expect(voters.length).toBe(5)
    for (const id of voters.slice(0, resets)) {
      world.crash(id)
      world.start(id)
    }
    world.command('user-2', enter)
    world.run(world.now + 10 * SECOND)
    expect(['user-1', 'user-2'].filter(id => world.node(id).host!.state.phase === 'inside')).toEqual(inside)
  })

  test('goes on with N - m coordinators gone, and stands still with one more', () => {
    for (const [gone, phase] of [
      [3, 'inside'],
      [4, 'waiting'],
    ] as const) {
      const members = group(decentralised(), 7)
      for (const id of members.members.slice(7 - gone)) members.world.crash(id)
      members.world.command('member-1', enter)
      members.world.run(60 * SECOND)
      expect(members.phase('member-1')).toBe(phase)
    }
  })
})
