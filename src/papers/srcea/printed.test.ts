// SRCEA as printed: that it does what the paper says where that holds, and fails where the errata say so.

import { describe, expect, test } from 'vitest'
import { decode, encode, type NodeId, seededRandom } from '../../core/index.ts'
import { calm, type Micros, World } from '../../simulator/index.ts'
import { type HeapEntry, height, insert, remove, root } from './heap.ts'
import {
  ATTRIBUTES,
  type BlockCipher,
  initialisationVector,
  open,
  readVote,
  type SrceaSettings,
  seal,
  srcea,
  srceaDefaults,
  tally,
  voteMessage,
} from './index.ts'

const EXACT = { ...calm, delayMin: 1_000, delaySpread: 0 }
const SECOND: Micros = 1_000_000

const numberOf = (member: NodeId) => Number(member.split('-')[1])
/** member-1 is nearest, member-2 joined first, member-3 failed least; nobody is best in two. */
const three = (member: NodeId) => {
  const number = numberOf(member)
  return {
    distance: number === 1 ? 0 : 10 + number,
    joined: number === 2 ? 0 : 10 + number,
    failures: number === 3 ? 0 : 10 + number,
  }
}
const one = (member: NodeId) => {
  const number = numberOf(member)
  return { distance: number, joined: number, failures: number }
}

function elect(settings: Partial<SrceaSettings>, size: number, prepare: (world: World) => void = () => {}) {
  const world = new World({ seed: 1, network: EXACT })
  const members = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const { protocol, vocabulary } = srcea({ ...srceaDefaults, ...settings })
  for (const id of members) world.add({ id, protocol, peers: members, vocabulary })
  for (const id of members) world.start(id)
  prepare(world)
  for (const id of members) if (world.node(id).host !== undefined) world.command(id, { kind: 'elect' })
  world.run(10 * SECOND)
  const leaders = members.map(id => world.node(id).host?.state.leader as NodeId | undefined)
  return { world, messages: world.delivered, leaders, agreed: new Set(leaders) }
}

describe('SRCEA §3.1, min-heaps and candidate selection', () => {
  test('the root is the smallest value, and of equals the smallest id; removal keeps that', () => {
    const random = seededRandom(3)
    const heap: HeapEntry[] = []
    let left: HeapEntry[] = []
    for (let step = 0; step < 500; step++) {
      if (left.length > 0 && random.chance(0.4)) {
        const { id } = left[random.below(left.length)]!
        left = left.filter(entry => entry.id !== id)
        remove(heap, id, 'id')
      } else {
        const entry = { value: random.below(5), id: step }
        left.push(entry)
        insert(heap, entry, 'id')
      }
      const best = [...left].sort((a, b) => a.value - b.value || a.id - b.id)[0]
      expect(root(heap)).toBe(best?.id)
    }
  })

  test('height', () => {
    expect([0, 1, 2, 3, 4, 7, 8].map(height)).toEqual([0, 1, 2, 2, 3, 3, 4])
  })

  test('erratum 4: ties by arrival, and nodes that learned of each other in other orders disagree', () => {
    const settings: Partial<SrceaSettings> = {
      attributes: () => ({ distance: 1, joined: 1, failures: 0 }),
      arrivals: (node, members) => (numberOf(node) <= 3 ? members : [...members].reverse()),
    }
    expect(elect({ ...settings, ties: 'id' }, 6).agreed).toEqual(new Set(['member-1']))
    expect(elect({ ...settings, ties: 'arrival' }, 6).agreed).toEqual(new Set(['member-1', 'member-6']))
  })
})

describe('SRCEA §4.2.1, messages (erratum 2)', () => {
  test.each([4, 5, 20, 100])('one candidate: 2(n-1), n = %i', size => {
    const { messages, agreed } = elect({ attributes: one }, size)
    expect(messages).toBe(2 * (size - 1))
    expect(agreed).toEqual(new Set(['member-1']))
  })

  test.each([4, 5, 20, 100])('three candidates: 5n - 7 by algorithm 2, n = %i', size => {
    const { messages, agreed } = elect({ attributes: three }, size)
    expect(messages).toBe(5 * size - 7)
    expect(agreed).toEqual(new Set(['member-1']))
  })

  test('the other readings of "verification": 6(n-1), and (n-1)(n+3)', () => {
    expect(elect({ attributes: three, verification: 'candidates' }, 20).messages).toBe(6 * 19)
    expect(elect({ attributes: three, verification: 'everybody' }, 20).messages).toBe(19 * 23)
  })

  test('alive messages: n - 1 each time', () => {
    const { world, leaders } = elect({ attributes: one, aliveMs: 500 }, 5)
    const before = world.delivered
    world.run(world.now + SECOND)
    expect(leaders[0]).toBe('member-1')
    expect(world.delivered - before).toBe(2 * 4)
  })
})

describe('SRCEA §3.2, votes', () => {
  test('voters rank by what matters to them', () => {
    const settings: Partial<SrceaSettings> = {
      attributes: three,
      priorities: voter => (numberOf(voter) <= 2 ? ATTRIBUTES : ['failures', 'distance', 'joined']),
    }
    expect(elect(settings, 9).agreed).toEqual(new Set(['member-3']))
  })

  test('a tie goes to the smallest id', () => {
    const { points, winner } = tally(
      [4, 2, 7],
      [
        [4, 2, 7],
        [2, 4, 7],
      ],
      2,
      'meant',
    )
    expect(points).toEqual([5, 5, 2])
    expect(winner).toBe(2)
  })

  test('erratum 1: the weights of equation 2, taken literally, elect the least wanted', () => {
    const ballots = [
      [0, 1, 2],
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
    ]
    expect(tally([0, 1, 2], ballots, 4, 'meant').winner).toBe(0)
    expect(tally([0, 1, 2], ballots, 4, 'literal').winner).toBe(2)
    expect(elect({ attributes: three, weights: 'literal' }, 9).agreed).toEqual(new Set(['member-3']))
  })

  test('M_wv: with three quarters of the ballots it is enough, with fewer not', () => {
    const ballots = (count: number) => Array.from({ length: count }, (_, at) => [at % 3, (at + 1) % 3, (at + 2) % 3])
    expect(tally([0, 1, 2], ballots(9), 12, 'meant').enough).toBe(true)
    expect(tally([0, 1, 2], ballots(6), 12, 'meant').enough).toBe(false)
  })
})

describe('SRCEA algorithm 2, what cannot be meant', () => {
  test('erratum 5, line 11: a vote where the announcement is meant, and nobody hears of a coordinator', () => {
    expect(elect({ attributes: one, line11: 'literal' }, 5).agreed).toEqual(new Set([undefined]))
  })

  test('erratum 5, line 19, exit(P1): a candidate that nobody hears makes another its coordinator', () => {
    const attributes = (member: NodeId) => ({
      ...one(member),
      distance: -numberOf(member),
      joined: -numberOf(member),
      failures: -numberOf(member),
    })
    const cut = (world: World) => {
      for (let to = 0; to < 4; to++) world.network.cut(4, to)
    }
    expect(elect({ attributes, line19: 'literal' }, 5, cut).leaders[4]).toBe('member-1')
    expect(elect({ attributes }, 5, cut).leaders[4]).toBeUndefined()
  })

  test('a failed coordinator that stays in the view is the candidate, and nobody leads', () => {
    const { leaders } = elect({ attributes: one }, 5, world => world.crash('member-1'))
    expect(new Set(leaders)).toEqual(new Set([undefined]))
  })

  test('erratum 6: some ballots are lost, and two coordinators announce themselves', () => {
    const settings: Partial<SrceaSettings> = {
      attributes: three,
      priorities: voter => (numberOf(voter) % 2 === 0 ? ATTRIBUTES : ['joined', 'failures', 'distance']),
    }
    // Of those that prefer the other, two ballots in nine do not arrive.
    const { leaders } = elect(settings, 9, world => {
      for (const from of ['member-5', 'member-7']) world.network.cut(world.node(from).index, 0)
      for (const from of ['member-4', 'member-6']) world.network.cut(world.node(from).index, 1)
    })
    expect(leaders[0]).toBe('member-1')
    expect(leaders[1]).toBe('member-2')
  })
})

describe('SRCEA, words and bytes', () => {
  const { vocabulary } = srcea()
  test.each([
    { kind: 'vote', order: [1, 2, 0] },
    { kind: 'coordinator' },
    { kind: 'verified', coordinator: 3 },
    { kind: 'alive' },
  ] as const)('$kind comes back from the wire', message => {
    const bytes = encode(vocabulary, message)
    expect(decode(vocabulary, bytes)).toEqual({ ok: true, value: message })
    expect(decode(vocabulary, new Uint8Array([...bytes, 0])).ok).toBe(false)
  })

  // Not AES: any permutation of a block shows what the mechanism around it does.
  const cipher: BlockCipher = {
    encrypt: (key, block) => block.map((byte, at) => (byte + key[at]!) & 0xff).reverse(),
    decrypt: (key, block) =>
      block
        .slice()
        .reverse()
        .map((byte, at) => (byte - key[at]!) & 0xff),
  }
  const random = seededRandom(8)
  const keys = { encryption: random.bytes(16), hashing: random.bytes(32) }

  test('what is sealed opens; changed, too old or for another number of nodes it does not', () => {
    const message = voteMessage(7, [1, 2, 3], 1_000)
    const sent = seal(message, keys, 9, 1_000, cipher)
    expect(open(sent, keys, 9, 900, cipher)).toEqual(message)
    expect(readVote(message)).toEqual({ sender: 7, order: [1, 2, 3] })
    expect(open(sent, keys, 9, 1_001, cipher)).toBeUndefined()
    const changed = sent.sealed.slice()
    changed[3]! ^= 1
    expect(open({ ...sent, sealed: changed }, keys, 9, 900, cipher)).toBeUndefined()
    expect(open({ ...sent, sealed: sent.sealed.slice(1) }, keys, 9, 900, cipher)).toBeUndefined()
    expect(open(sent, keys, 10, 900, cipher)).not.toEqual(message)
    expect(readVote(new Uint8Array(9))).toBeUndefined()
  })

  test('erratum 3: E_IV depends on the number of nodes alone, and gives the key away', () => {
    expect(initialisationVector(keys.encryption, 9)).toEqual(initialisationVector(keys.encryption, 9))
    const vector = initialisationVector(keys.encryption, 300)
    expect(initialisationVector(vector, 300)).toEqual(keys.encryption)
  })
})
