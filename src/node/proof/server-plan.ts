// What a simulated run of servers and clients is made of, drawn from its seed: who lies, what users do, what goes wrong.

import type { NodeId, Random, Trust } from '../../core/index.ts'
import { lockLiars } from '../../lock/proof/index.ts'
import { orderingDefaults } from '../../ordering/index.ts'
import { orderingLiars, type RegisterOperation } from '../../ordering/proof/index.ts'
import {
  drawFaults,
  drawNetwork,
  generalLiars,
  type Liar,
  type Micros,
  type Plan,
  pick,
} from '../../simulator/index.ts'
import type { NodeSettings } from '../settings.ts'
import { livesLiars } from './lives-liars.ts'

export type ServerAct =
  /** Wants the lock, holds it for a while, lets go; gives up waiting after `patience`. */
  | { kind: 'lock'; client: string; name: string; ttl: number; hold: Micros; patience: Micros; fair: boolean }
  | { kind: 'submit'; client: string; object: string; operation: RegisterOperation }
  | { kind: 'read'; client: string; object: string; key: string }
  /** The client's process is gone; another takes its place. */
  | { kind: 'die'; client: string }

/** Which part of its node lies, or the whole of it. */
export interface NodeLiar {
  readonly part: 'lock' | 'ordering' | 'lives' | 'all'
  readonly liar: Liar
}

export interface ServerPlan extends Plan<ServerAct> {
  readonly settings: NodeSettings
  readonly clients: readonly string[]
  readonly objects: readonly string[]
  readonly sessionTtl: number
  /** Which server lies, and how: a place in `serverLiars`. */
  readonly liars: ReadonlyMap<NodeId, number>
  /** Clock rates by node. */
  readonly rates: ReadonlyMap<string, number>
}

export const SECOND: Micros = 1_000_000
const SAFETY = 8 * SECOND
const LIVENESS = 25 * SECOND
export const TTL_MAX_MS = 3_000
const DRIFT = 0.02
const KEYS = ['x', 'y']

/** Fresh ones for each run: some remember. */
export function serverLiars(): readonly NodeLiar[] {
  const of = (part: NodeLiar['part'], liars: readonly Liar[]) => liars.map(liar => ({ part, liar }))
  return [
    ...of('lock', lockLiars()),
    ...of('ordering', orderingLiars(orderingDefaults.hash)),
    ...of('lives', livesLiars),
    ...of('all', generalLiars()),
  ]
}

export function drawServerPlan(random: Random, trust: Trust, servers: readonly string[]): ServerPlan {
  const clients = Array.from({ length: 2 + random.below(2) }, (_, place) => `client-${place + 1}`)
  const kinds = serverLiars()
  const liars = new Map<NodeId, number>()
  while (liars.size < trust.liars) liars.set(pick(random, servers), random.below(kinds.length))
  const all = [...servers, ...clients]
  const faults = drawFaults(random, { durable: servers, all }, SAFETY, 3 * SECOND)
  return {
    settings: { trust, lock: { ttlMax: TTL_MAX_MS, drift: DRIFT }, operators: [] },
    clients,
    objects: ['a', 'b'].slice(0, 1 + random.below(2)),
    sessionTtl: pick(random, [1_000, 3_000, 10_000]),
    liars,
    rates: new Map(all.map(node => [node, 1 + DRIFT * pick(random, [-1, -1, 0, 1, 1, random.unit() * 2 - 1])])),
    network: drawNetwork(random),
    faults,
    acts: drawActs(random, clients),
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      servers: servers.length,
      clients: clients.length,
      liars: [...liars].map(([server, kind]) => `${server} ${liarName(kinds[kind]!)}`).join(', ') || 'none',
      faults: faults.length,
    },
  }
}

export function liarName({ part, liar }: NodeLiar): string {
  return `${part}:${liar.name}`
}

function drawActs(random: Random, clients: readonly string[]): ServerPlan['acts'] {
  const acts: (ServerAct & { at: Micros })[] = []
  const busy = 2 + random.below(8)
  let id = 0
  for (const client of clients) {
    for (let i = 0; i < busy; i++) {
      acts.push({ at: random.below(SAFETY), ...drawLock(random, client) })
      const object = pick(random, ['a', 'b'])
      acts.push({ kind: 'submit', client, object, operation: drawOperation(random, ++id), at: random.below(SAFETY) })
      if (random.chance(0.5)) {
        acts.push({ kind: 'read', client, object, key: pick(random, KEYS), at: random.below(SAFETY) })
      }
    }
    if (random.chance(0.2)) acts.push({ kind: 'die', client, at: random.below(SAFETY) })
  }
  return acts
}

function drawLock(random: Random, client: string): ServerAct & { kind: 'lock' } {
  return {
    kind: 'lock',
    client,
    name: pick(random, ['a', 'b']),
    ttl: 100 + random.below(TTL_MAX_MS - 100),
    hold: random.below(random.chance(0.3) ? 4 * SECOND : SECOND / 4),
    patience: random.below(6 * SECOND),
    fair: random.chance(0.7),
  }
}

function drawOperation(random: Random, id: number): RegisterOperation {
  const key = pick(random, KEYS)
  const kind = pick(random, ['read', 'write', 'write', 'swap'] as const)
  if (kind === 'read') return { kind, id, key }
  if (kind === 'write') return { kind, id, key, value: `${id}` }
  return { kind, id, key, old: random.chance(0.5) ? '' : `${Math.max(1, id - random.below(5))}`, value: `${id}` }
}
