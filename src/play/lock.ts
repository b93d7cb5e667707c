// The product's lock, to play with: all tricks are allowed, time among them.

import { lockServersNeeded, type NodeId, trust } from '../core/index.ts'
import {
  brokenRules,
  type LockAct,
  type LockPlan,
  lockPalette,
  lockScenario,
  plantedBugs,
} from '../lock/proof/index.ts'
import type { AnyScenario, Plan, Playable, Playground, PlayModel } from '../simulator/index.ts'
import { boundSentence, hasClient, names, opening, sized } from './sizes.ts'

const DUEL_HEALS = 8_000_000
const DUEL_ENDS = 20_000_000
const DRIFT = 0.05

/** The lock that ships. */
export const lockPlayground: Playground = {
  name: 'lock',
  title: 'The lock',
  promise: 'Never two holders at one time, tokens that grow, and everybody served once all is healed.',
  servers: { min: 1, max: 12, usual: 4 },
  liars: { min: 0, max: 3, usual: 1 },
  stories: { duel: 'Two clients, a quiet network' },
  bugs: Object.keys(plantedBugs),
  bound(run) {
    const size = sized(run, 4)
    return boundSentence('servers', size, lockServersNeeded(size.liars, size.crashes))
  },
  open: run =>
    opening(() => {
      const { servers, liars, crashes } = sized(run, 4)
      const scenario = lockScenario(trust({ servers, liars, crashes }), { rules: brokenRules(run.bug) })
      return playable(run.story === 'duel' ? duel(scenario) : scenario, servers, liars)
    }),
}

function use(client: NodeId, change: Partial<LockAct & { kind: 'use' }> = {}): LockAct {
  return {
    kind: 'use',
    client,
    name: 'a',
    ttl: 1_000,
    hold: 400_000,
    patience: 5_000_000,
    wait: true,
    fair: true,
    renew: true,
    guesses: true,
    ...change,
  }
}

function playable(scenario: AnyScenario, servers: number, liars: number): Playable {
  const model: PlayModel = {
    liars,
    drift: DRIFT,
    allows: ['hold', 'drop', 'twice', 'cut', 'slow', 'pause', 'crash', 'drift', 'do'],
  }
  const asked = (change: Partial<LockAct & { kind: 'use' }>) => (client: NodeId, plan: Plan<unknown>) =>
    hasClient(plan, client) ? use(client, change) : undefined
  return {
    scenario,
    model,
    mayLie: names('server', servers),
    palette: lockPalette,
    commands: {
      use: { title: 'wait for the lock, hold it 0.4 s', act: asked({}) },
      long: { title: 'wait for the lock, hold it 3 s', act: asked({ hold: 3_000_000 }) },
      try: { title: 'try once, without waiting', act: asked({ wait: false, fair: false }) },
      once: { title: 'hold it for 1 s, without renewing', act: asked({ renew: false, hold: 2_000_000 }) },
    },
    dies: (client, plan) => (hasClient(plan, client) ? { kind: 'die', client } : undefined),
  }
}

/** Two clients that want the same lock; all else is left to the visitor. */
function duel(scenario: AnyScenario): AnyScenario {
  return {
    ...scenario,
    plan: (random): LockPlan => {
      const plan = scenario.plan(random) as LockPlan
      const clients = names('client', 2)
      return {
        ...plan,
        clients,
        liars: new Map(),
        rates: new Map([...plan.rates.keys(), ...clients].map(node => [node, 1])),
        network: {
          delayMin: 500,
          delaySpread: 1_000,
          tailChance: 0,
          tailMax: 0,
          loss: 0,
          duplication: 0,
          inOrder: false,
        },
        faults: [],
        acts: clients.map((client, place) => ({ ...use(client), at: 1_000 + place * 200 })),
        healsAt: DUEL_HEALS,
        ends: DUEL_ENDS,
        drawn: { servers: plan.drawn.servers!, clients: 2 },
      }
    },
  }
}
