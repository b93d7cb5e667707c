// Every schedule of a small group (LECTURE, "Mutual exclusion"): each order of messages, each loss, a repeated message,
// a crash with a restart. And the same with members that take part again after they forgot: the explorer finds why not.

import { describe, expect, test } from 'vitest'
import { NOTHING_SAVED } from '../../core/index.ts'
import { explore, type SystemNode } from '../../simulator/index.ts'
import {
  type AnyMutexAlgorithm,
  centralised,
  decentralised,
  type MutexState,
  ricartAgrawala,
  tokenRing,
} from './index.ts'

const enter = { kind: 'enter', id: 1 }
const leave = { kind: 'leave', id: 1 }

/** Each tick lets a ring pass its token once more, and a process that failed try again. */
const TICKS = new Map([
  ['token-ring', 4],
  ['decentralised', 1],
])

// Small enough that every order of messages, every loss, a repeated message and a crash can be tried.
function small(algorithm: AnyMutexAlgorithm, size: number, budget: { crashes: number; duplicates: number }) {
  const peers = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const nodes = peers.map((id): SystemNode => ({ id, protocol: algorithm.protocol, peers, rate: 1, crashes: true }))
  const acts = peers.slice(0, algorithm.name === 'decentralised' ? 2 : size).flatMap(node => [
    { node, label: 'wants in', command: () => enter },
    { node, label: 'leaves', allowed: (state: MutexState) => state.phase === 'inside', command: () => leave },
  ])
  return { nodes, vocabulary: algorithm.vocabulary, acts, ticks: TICKS.get(algorithm.name) ?? 0, ...budget }
}

const properties = {
  always: { 'never two inside': (moment: Watched) => phases(moment).filter(phase => phase === 'inside').length <= 1 },
  sometimes: {
    'the first is inside': (moment: Watched) => phases(moment)[0] === 'inside',
    'the second is inside': (moment: Watched) => phases(moment)[1] === 'inside',
    'one waits for the other': (moment: Watched) => phases(moment).slice(0, 2).sort().join() === 'inside,waiting',
  },
}
type Watched = { readonly nodes: readonly { readonly state: MutexState }[] }
const phases = (moment: Watched) => moment.nodes.map(node => node.state.phase)

/** Comes back without its memory and takes part again: what the mark of an earlier life prevents. */
function forgetful(algorithm: AnyMutexAlgorithm): AnyMutexAlgorithm {
  const { protocol } = algorithm
  const init: typeof protocol.init = (self, peers) => protocol.init(self, peers, NOTHING_SAVED)
  return { ...algorithm, protocol: { ...protocol, init } }
}

describe('every schedule of a small group', () => {
  const ring = tokenRing({ restMs: 1 })
  const voting = decentralised({ backoffBaseMs: 0.5, answerMaxMs: 1 })
  const systems = [
    ...[centralised, ricartAgrawala, ring, voting].map(algorithm => ({
      algorithm: algorithm as AnyMutexAlgorithm,
      size: 2,
      crashes: 1,
      duplicates: 1,
    })),
    ...[centralised, ricartAgrawala, ring].flatMap(algorithm => [
      { algorithm: algorithm as AnyMutexAlgorithm, size: 3, crashes: 0, duplicates: 1 },
      { algorithm: algorithm as AnyMutexAlgorithm, size: 3, crashes: 1, duplicates: 0 },
    ]),
    // With a crash this one breaks: see below.
    { algorithm: voting as AnyMutexAlgorithm, size: 3, crashes: 0, duplicates: 0 },
  ]

  test.each(systems)(
    '$algorithm.name, N = $size, crashes $crashes, repeats $duplicates',
    ({ algorithm, ...budget }) => {
      // Forgetting is allowed for only in the decentralised algorithm, and two votes of two need 2m - N = 2 resets.
      const result = explore(small(algorithm, budget.size, budget), properties)
      expect(result.broken).toBeUndefined()
      expect(result.complete).toBe(true)
      expect(Object.values(result.sometimes)).toEqual([true, true, true])
    },
  )

  test.each([centralised, ricartAgrawala, ring] as AnyMutexAlgorithm[])(
    'finds two inside if a restarted member of $name takes part',
    algorithm => {
      const result = explore(small(forgetful(algorithm), 3, { crashes: 1, duplicates: 0 }), properties)
      expect(result.broken?.property).toBe('never two inside')
      expect(result.broken?.story.some(line => line.includes('crashes'))).toBe(true)
    },
  )

  test('finds two inside if one coordinator of three, m = 2, resets: 2m - N = 1', () => {
    const result = explore(small(decentralised(), 3, { crashes: 1, duplicates: 0 }), properties)
    expect(result.broken?.property).toBe('never two inside')
  })
})
