// The lecture's four algorithms for mutual exclusion, to play with. Nobody lies in them, and every message arrives.

import type { NodeId } from '../core/index.ts'
import {
  type AnyMutexAlgorithm,
  centralised,
  decentralised,
  mutexScenario,
  ricartAgrawala,
  tokenRing,
} from '../papers/mutex/index.ts'
import type { Plan, Playground } from '../simulator/index.ts'
import { opening } from './sizes.ts'

const HOLD = 10_000

function mutexPlayground(name: string, title: string, bound: string, algorithm: () => AnyMutexAlgorithm): Playground {
  return {
    name,
    title,
    promise: 'Never two inside, and everybody who asks gets in.',
    servers: { min: 2, max: 12, usual: 4 },
    stories: {},
    bugs: [],
    bound: ({ servers = 4 }) => `${servers} members. ${bound}`,
    open: ({ servers = 4 }) =>
      opening(() => ({
        scenario: mutexScenario(algorithm(), servers),
        model: { liars: 0, drift: 0.05, allows: ['hold', 'twice', 'slow', 'pause', 'drift', 'do'] },
        mayLie: [],
        commands: { enter: { title: 'ask to come in, stay 10 ms', act: entering } },
      })),
  }
}

function entering(member: NodeId, plan: Plan<unknown>) {
  const { members } = plan as Plan<unknown> & { readonly members: readonly NodeId[] }
  return members.includes(member) ? { kind: 'use', member, hold: HOLD } : undefined
}

/** The four algorithms. */
export const mutexPlaygrounds: readonly Playground[] = [
  mutexPlayground('centralised', 'Centralised', 'One coordinates: if it is gone, nobody gets in.', () => centralised),
  mutexPlayground('decentralised', 'Decentralised', 'A majority of votes lets one in.', () => decentralised()),
  mutexPlayground(
    'ricart-agrawala',
    'Ricart and Agrawala',
    'All must agree: one that is gone stops all.',
    () => ricartAgrawala,
  ),
  mutexPlayground('token-ring', 'Token ring', 'Who has the token may enter: if it is lost, nobody does.', () =>
    tokenRing(),
  ),
]
