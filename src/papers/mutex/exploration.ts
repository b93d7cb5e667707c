// The four algorithms under the explorer (LECTURE, "Mutual exclusion"): every order of messages, each loss, a repeated message, a
// crash with a restart, in groups of two and three. And the same with members that take part again after they forgot: the
// explorer finds why not.

import { NOTHING_SAVED } from '../../core/index.ts'
import { explorationSuite, type Moment, type NamedSystem, type System, type SystemNode } from '../../simulator/index.ts'
import { centralised } from './centralised.ts'
import { decentralised } from './decentralised.ts'
import type { AnyMutexAlgorithm, MutexState } from './mutex.ts'
import { ricartAgrawala } from './ricart-agrawala.ts'
import { tokenRing } from './token-ring.ts'

/** A small group. */
export interface MutexSystemOptions {
  readonly algorithm: string
  readonly size: number
  readonly crashes: number
  readonly duplicates: number
  /** The answer of a coordinator that the decentralised one waits for, in ticks; else its usual times. */
  readonly quick?: boolean
  /** Who comes back has forgotten, and takes part again. */
  readonly bug?: string | undefined
}

const enter = { kind: 'enter', id: 1 }
const leave = { kind: 'leave', id: 1 }
/** Each tick lets a ring pass its token once more, and a process that failed try again. */
const TICKS: Readonly<Record<string, number>> = { 'token-ring': 4, decentralised: 1 }

function algorithmOf({ algorithm, quick, bug }: MutexSystemOptions): AnyMutexAlgorithm {
  const known: readonly AnyMutexAlgorithm[] = [
    centralised,
    ricartAgrawala,
    tokenRing({ restMs: 1 }),
    decentralised(quick ? { backoffBaseMs: 0.5, answerMaxMs: 1 } : undefined),
  ]
  const found = known.find(({ name }) => name === algorithm)
  if (found === undefined) throw new RangeError(`no algorithm '${algorithm}'`)
  return bug === undefined || algorithm === 'decentralised' ? found : forgetful(found)
}

/** Comes back without its memory and takes part again: what the mark of an earlier life prevents. */
function forgetful(algorithm: AnyMutexAlgorithm): AnyMutexAlgorithm {
  const { protocol } = algorithm
  const init: typeof protocol.init = (self, peers) => protocol.init(self, peers, NOTHING_SAVED)
  return { ...algorithm, protocol: { ...protocol, init } }
}

function build(options: MutexSystemOptions): System {
  const { size, crashes, duplicates } = options
  const { name, protocol } = algorithmOf(options)
  const peers = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const nodes = peers.map((id): SystemNode => ({ id, protocol, peers, rate: 1, crashes: true }))
  const acts = peers.slice(0, name === 'decentralised' ? 2 : size).flatMap(node => [
    { node, label: 'wants in', command: () => enter },
    { node, label: 'leaves', allowed: (state: MutexState) => state.phase === 'inside', command: () => leave },
  ])
  return { nodes, acts, ticks: TICKS[name] ?? 0, crashes, duplicates }
}

const phases = (moment: Moment): string[] => moment.nodes.map(node => (node.state as MutexState).phase)

const SOMETIMES = {
  'the first is inside': (moment: Moment) => phases(moment)[0] === 'inside',
  'the second is inside': (moment: Moment) => phases(moment)[1] === 'inside',
  'one waits for the other': (moment: Moment) => phases(moment).slice(0, 2).sort().join() === 'inside,waiting',
}

const suite = explorationSuite({
  build,
  always: () => ({
    'never two inside': (moment: Moment) => phases(moment).filter(phase => phase === 'inside').length <= 1,
  }),
  sometimes: SOMETIMES,
})

function named(about: string, options: MutexSystemOptions): NamedSystem {
  return suite.named(about, options, 'the first is inside', 'the second is inside', 'one waits for the other')
}

const ALGORITHMS = ['centralised', 'ricart-agrawala', 'token-ring'] as const

/** Small systems that the explorer tries, by name. */
export const mutexSystems: Readonly<Record<string, NamedSystem>> = Object.fromEntries([
  ...ALGORITHMS.flatMap(algorithm => [
    [
      `${algorithm}-2`,
      named(`${algorithm}, two members, a crash, a repeat`, { algorithm, size: 2, crashes: 1, duplicates: 1 }),
    ],
    [
      `${algorithm}-3-repeat`,
      named(`${algorithm}, three members, a repeat`, { algorithm, size: 3, crashes: 0, duplicates: 1 }),
    ],
    [
      `${algorithm}-3-crash`,
      named(`${algorithm}, three members, a crash`, { algorithm, size: 3, crashes: 1, duplicates: 0 }),
    ],
  ]),
  // Forgetting is allowed for only here: two votes of two need 2m - N = 2 resets.
  [
    'decentralised-2',
    named('decentralised, two members, a crash, a repeat', {
      algorithm: 'decentralised',
      quick: true,
      size: 2,
      crashes: 1,
      duplicates: 1,
    }),
  ],
  // With a crash this one breaks: one coordinator of three that resets is enough.
  [
    'decentralised-3',
    named('decentralised, three members', {
      algorithm: 'decentralised',
      quick: true,
      size: 3,
      crashes: 0,
      duplicates: 0,
    }),
  ],
])

/** What goes wrong when a member that forgot takes part again; for the decentralised one the lecture's own 2m - N = 1. */
export const plantedMutexSystems: Readonly<Record<string, MutexSystemOptions>> = {
  'centralised-forgets': { algorithm: 'centralised', size: 3, crashes: 1, duplicates: 0 },
  'ricart-agrawala-forgets': { algorithm: 'ricart-agrawala', size: 3, crashes: 1, duplicates: 0 },
  'token-ring-forgets': { algorithm: 'token-ring', size: 3, crashes: 1, duplicates: 0 },
  'decentralised-one-reset': { algorithm: 'decentralised', size: 3, crashes: 1, duplicates: 0 },
}

/** Explores one of `mutexSystems`, by name. */
export const exploreMutex = suite.exploring(mutexSystems)

/** Explores the system of a member that forgets. */
export const exploreMutexBug = suite.exploringBugs(plantedMutexSystems)
