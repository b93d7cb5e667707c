// Everything that is drawn for one run of ledgers: who pays, moves, reads, lies, loses a store, and who keeps a ledger next.

import type { NodeId, Random } from '../../core/index.ts'
import { drawFaults, drawNetwork, type Micros, type Plan, pick } from '../../simulator/index.ts'
import { ledgerServersNeeded } from '../genesis.ts'
import type { LedgerRules } from '../rules.ts'
import { ledgerLiars } from './liars.ts'

export type LedgerAct =
  | { kind: 'pay'; owner: string; ledger: number; to: string; amount: number }
  /** Burns on one ledger; then mints on the other, or makes void and refunds. */
  | { kind: 'move'; owner: string; ledger: number; amount: number; ends: 'mint' | 'refund' }
  | { kind: 'read'; owner: string; ledger: number }
  /** The operator lets others keep it: these servers, each with the key that it offers. */
  | { kind: 'epoch'; owner: string; ledger: number; servers: readonly string[] }
  /** The server's disk is gone; only while all others have theirs. */
  | { kind: 'lose'; server: string; lasts: Micros }
  /** A copy of its disk is made, and put back later; then, too, only while all others have theirs. */
  | { kind: 'copy'; server: string }
  | { kind: 'putBack'; server: string; lasts: Micros }

/** Everything that is drawn for one run. */
export interface LedgerPlan extends Plan<LedgerAct> {
  readonly trust: { readonly servers: number; readonly crashes: number; readonly liars: number }
  readonly rules: LedgerRules
  readonly owners: readonly string[]
  readonly liars: ReadonlyMap<NodeId, number>
  readonly lyingClients: number
  /** Of the servers: short ones make many attempts. */
  readonly attemptMax: number
}

export const SECOND: Micros = 1_000_000
const SAFETY = 12 * SECOND
const LIVENESS = 40 * SECOND
export const LOOK_EVERY = SECOND / 2

/** Draws one run. */
export function drawPlan(
  random: Random,
  trust: LedgerPlan['trust'],
  servers: readonly string[],
  rules: LedgerRules,
): LedgerPlan {
  const owners = ['anna', 'bela', 'cleo'].slice(0, 2 + random.below(2))
  const liars = new Map<NodeId, number>()
  const kinds = ledgerLiars(() => undefined as never)
  for (let i = 0; i < trust.liars; i++) liars.set(pick(random, servers), random.below(kinds.length))
  const faults = drawFaults(random, { durable: servers, all: [...servers, ...owners] }, SAFETY, 4 * SECOND)
  const lyingClients = random.below(2)
  return {
    trust,
    rules,
    owners,
    liars,
    lyingClients,
    attemptMax: pick(random, [60, 150, 400]),
    network: drawNetwork(random),
    faults,
    acts: [
      ...drawActs(random, owners),
      ...drawLosses(random, trust, servers),
      ...drawEpochs(random, trust, servers, owners),
    ],
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      servers: trust.servers,
      liars: [...liars].map(([server, kind]) => `${server} ${kinds[kind]!.name}`).join(', ') || 'none',
      lyingClients,
      faults: faults.length,
    },
  }
}

const CRASHES = 24
const CRASH_MAX = 300_000

/** Short attempts, many short crashes and lost stores. */
export function hurry(random: Random, plan: LedgerPlan, servers: readonly string[]): LedgerPlan {
  const crashes = Array.from({ length: CRASHES }, () => {
    const fault = {
      kind: 'crash' as const,
      node: pick(random, servers),
      lasts: 1 + random.below(CRASH_MAX),
      clean: false,
    }
    return { ...fault, at: random.below(SAFETY) }
  })
  const losses = [0, 1, 2, 3].flatMap(() => drawLosses(random, plan.trust, servers))
  const twice = drawLossesUnderTwoKeys(random, plan, servers)
  const network = { ...plan.network, delaySpread: 20_000 + random.below(100_000), loss: random.unit() * 0.3 }
  return {
    ...plan,
    network,
    attemptMax: 60,
    acts: [...plan.acts, ...losses, ...twice.acts],
    faults: [...plan.faults, ...crashes, ...twice.faults],
  }
}

function drawActs(random: Random, owners: readonly string[]): LedgerPlan['acts'] {
  const acts: (LedgerAct & { at: Micros })[] = []
  const busy = 2 + random.below(12)
  for (const owner of owners) {
    for (let i = 0; i < busy; i++) {
      const at = random.below(SAFETY)
      const ledger = random.below(2)
      const amount = 1 + random.below(40)
      const kind = pick(random, ['pay', 'pay', 'pay', 'move', 'read'] as const)
      if (kind === 'pay') acts.push({ kind, at, owner, ledger, to: pick(random, owners), amount })
      if (kind === 'move')
        acts.push({ kind, at, owner, ledger, amount, ends: pick(random, ['mint', 'mint', 'refund']) })
      if (kind === 'read') acts.push({ kind, at, owner, ledger })
    }
  }
  return acts
}

// One that lost its store counts as gone until its votes are behind: where the liars are all that may be gone, none is lost.
function drawLosses(random: Random, trust: LedgerPlan['trust'], servers: readonly string[]): LedgerPlan['acts'] {
  if (trust.liars >= trust.crashes) return []
  return Array.from({ length: pick(random, [0, 0, 1, 2]) }, () => {
    const [server, lasts, at] = [pick(random, servers), random.below(SECOND), random.below(SAFETY)]
    if (random.chance(0.6)) return [{ kind: 'lose' as const, server, lasts, at }]
    return [
      { kind: 'copy' as const, server, at: random.below(at + 1) },
      { kind: 'putBack' as const, server, lasts, at },
    ]
  }).flat()
}

/** Payments while a store is lost: votes are under way. */
const PAID_MEANWHILE = 6

/**
 * A store is lost; an epoch gives its server a fresh key; when it has voted by that, the store is lost again, and another server
 * is down, so that the height in which it voted is still under way when it comes back.
 */
function drawLossesUnderTwoKeys(
  random: Random,
  { trust, owners }: LedgerPlan,
  servers: readonly string[],
): Pick<LedgerPlan, 'acts' | 'faults'> {
  if (trust.liars >= trust.crashes || random.chance(0.5)) return { acts: [], faults: [] }
  const [server, ledger, at] = [pick(random, servers), random.below(2), random.below(SAFETY / 2)]
  const epoch = at + SECOND / 2 + random.below(SECOND)
  const again = epoch + SECOND + random.below(2 * SECOND)
  const paid = Array.from({ length: PAID_MEANWHILE }, () => {
    const [owner, to] = [pick(random, owners), pick(random, owners)]
    return { kind: 'pay' as const, owner, ledger, to, amount: 1, at: again - random.below(SECOND / 4) }
  })
  const others = servers.filter(one => one !== server)
  return {
    acts: [
      { kind: 'lose', server, lasts: random.below(SECOND / 10), at },
      { kind: 'epoch', owner: pick(random, owners), ledger, servers, at: epoch },
      ...paid,
      { kind: 'lose', server, lasts: random.below(SECOND / 10), at: again },
    ],
    faults: [{ kind: 'crash', node: pick(random, others), lasts: SECOND, clean: false, at: again }],
  }
}

const EPOCHS_DRAWN = [0, 1, 1, 2, 3] as const

/** As many servers as it takes at least; those that are left out may come back by the next. */
function drawEpochs(
  random: Random,
  { liars, crashes }: LedgerPlan['trust'],
  servers: readonly string[],
  owners: readonly string[],
): LedgerPlan['acts'] {
  const least = ledgerServersNeeded(liars, crashes)
  return Array.from({ length: pick(random, EPOCHS_DRAWN) }, () => {
    const named = [...servers]
    const size = least + random.below(servers.length - least + 1)
    while (named.length > size) named.splice(random.below(named.length), 1)
    const ledger = random.below(2)
    return { kind: 'epoch', owner: pick(random, owners), ledger, servers: named, at: random.below(SAFETY) }
  })
}
