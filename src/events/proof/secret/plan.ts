// What is drawn for one run of a secret channel: its mode, carriers and their lies, who says what when, dies, and is removed.

import type { NodeId, Random } from '../../../core/index.ts'
import { drawFaults, type Micros, type Plan, pick } from '../../../simulator/index.ts'
import { SECRET_MODES, type SecretMode } from '../../secret/keys.ts'
import type { SecretRules } from '../../secret/rules.ts'
import { carrierLiars } from './carrier.ts'

export type SecretAct =
  | { kind: 'publish'; node: string; symbol: string }
  /** The process dies, and is started again with its disk. */
  | { kind: 'die'; node: string; lasts: Micros }
  /** The keeper issues the next record; `remove`: without this party, and at once. */
  | { kind: 'rotate'; channel: number; remove?: string }
  | { kind: 'lie'; lie: 'forge' | 'own' | 'move' | 'removed' | 'record' }

/** Everything that is drawn for one run. */
export interface SecretPlan extends Plan<SecretAct> {
  readonly mode: SecretMode
  readonly carriers: number
  readonly liars: ReadonlyMap<NodeId, number>
}

/** What a run is about; what is left out is drawn. */
export interface SecretOptions {
  readonly carriers?: number
  readonly liars?: number
  readonly mode?: SecretMode
  readonly rules: SecretRules
}

export const SECOND: Micros = 1_000_000
const SAFETY = 24 * SECOND
const ENDS = 40 * SECOND
export const CHANNELS = ['prices', 'orders']
export const WRITERS = ['writer-1', 'writer-2', 'writer-3']
export const READERS = ['reader-1', 'reader-2']

/** All of it from the seed. */
export function drawPlan(random: Random, options: SecretOptions): SecretPlan {
  // Drawn also where it is given: all else stays as it is.
  const any = pick(random, SECRET_MODES)
  const mode = options.mode ?? any
  const carriers = options.carriers ?? 1 + random.below(2)
  const names = Array.from({ length: carriers }, (_, place) => `carrier-${place + 1}`)
  const kinds = carrierLiars()
  const liars = new Map<NodeId, number>()
  for (let i = 0; i < (options.liars ?? 1); i++) liars.set(pick(random, names), random.below(kinds.length))
  const nodes = CHANNELS.flatMap((_, channel) => [...WRITERS, ...READERS].map(name => nodeOf(name, channel)))
  const faults = drawFaults(random, { durable: nodes, all: nodes }, SAFETY, SECOND).filter(
    ({ kind }) => kind === 'slow',
  )
  return {
    mode,
    carriers,
    liars,
    network: {
      delayMin: 300,
      delaySpread: 1 + random.below(20_000),
      tailChance: 0,
      tailMax: 1,
      loss: 0,
      duplication: 0,
      inOrder: true,
    },
    faults,
    acts: drawActs(random),
    healsAt: SAFETY,
    ends: ENDS,
    drawn: {
      mode,
      carriers,
      liars: [...liars].map(([name, kind]) => `${name} ${kinds[kind]!.name}`).join(', ') || 'none',
    },
  }
}

/** A party in one of the channels. */
export const nodeOf = (name: string, channel: number) => (channel === 0 ? name : `${name}@${CHANNELS[channel]}`)

function drawActs(random: Random): SecretPlan['acts'] {
  const acts: SecretPlan['acts'][number][] = []
  const add = (act: SecretAct, from: Micros, until: Micros) =>
    acts.push({ ...act, at: from + random.below(until - from) })
  for (const [channel] of CHANNELS.entries()) {
    for (const name of WRITERS) {
      let at = 2 * SECOND
      for (let i = 0; i < 5 + random.below(20); i++) {
        if (random.chance(0.5)) at = 2 * SECOND + random.below(SAFETY - 2 * SECOND)
        acts.push({ kind: 'publish', node: nodeOf(name, channel), symbol: pick(random, ['A', 'A', 'B']), at })
      }
      if (random.chance(0.4)) acts.push(...deathOf(random, nodeOf(name, channel)))
    }
    for (const name of READERS) {
      if (random.chance(0.3))
        add({ kind: 'die', node: nodeOf(name, channel), lasts: random.below(SECOND) }, 3 * SECOND, SAFETY)
    }
    for (let at = 5 * SECOND; at < ENDS - 8 * SECOND; at += 6 * SECOND) {
      // A keeper that is late: writers have to stop.
      if (random.chance(0.15)) continue
      acts.push({ kind: 'rotate', channel, at: at + random.below(SECOND) })
    }
  }
  if (random.chance(0.6)) add({ kind: 'rotate', channel: 0, remove: 'writer-3' }, 6 * SECOND, SAFETY)
  for (const lie of ['forge', 'own', 'move', 'removed', 'record'] as const) {
    for (let i = random.below(6); i > 0; i--) add({ kind: 'lie', lie }, 4 * SECOND, SAFETY)
  }
  return acts
}

/** It speaks, dies, comes back at once and speaks again: within a lap, often. */
function deathOf(random: Random, node: string): SecretPlan['acts'] {
  const at = 3 * SECOND + random.below(SAFETY - 6 * SECOND)
  const lasts = random.below(SECOND / 2)
  const publish = { kind: 'publish', node, symbol: 'A' } as const
  return [
    { ...publish, at: at - 10_000 },
    { kind: 'die', node, lasts, at },
    { ...publish, at: at + lasts + 20_000 },
  ]
}
