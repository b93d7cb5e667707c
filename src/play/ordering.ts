// Objects, to play with: one order for everybody, although a server lies.

import { type NodeId, orderingServersNeeded, trust } from '../core/index.ts'
import {
  brokenOrderingRules,
  type OrderingAct,
  type OrderingPlan,
  orderingPalette,
  orderingScenario,
  plantedOrderingBugs,
} from '../ordering/proof/index.ts'
import type { AnyScenario, Plan, Playground } from '../simulator/index.ts'
import { boundSentence, hasClient, names, opening, sized } from './sizes.ts'

const DUEL_HEALS = 4_000_000
const DUEL_ENDS = 12_000_000
/** Operations that visitors add have numbers above all of a plan's. */
const ADDED = 500_000

/** Objects that several clients change. */
export const orderingPlayground: Playground = {
  name: 'ordering',
  title: 'Objects',
  promise: 'All see the same changes in the same order, and every answer is what that order gives.',
  servers: { min: 1, max: 12, usual: 7 },
  liars: { min: 0, max: 1, usual: 1 },
  stories: { duel: 'Two clients write, a quiet network' },
  bugs: Object.keys(plantedOrderingBugs),
  bound(run) {
    const size = sized(run, 7)
    return boundSentence('servers', size, orderingServersNeeded(size.liars, size.crashes))
  },
  open: run =>
    opening(() => {
      const { servers, liars, crashes } = sized(run, 7)
      const group = trust({ servers, liars, crashes })
      if (group.orderingQuorum === undefined) {
        throw new RangeError(
          `objects with ${liars} liars and ${crashes} gone take ${orderingServersNeeded(liars, crashes)} servers.`,
        )
      }
      const scenario = orderingScenario(group, { rules: brokenOrderingRules(run.bug) })
      return {
        scenario: run.story === 'duel' ? duel(scenario) : scenario,
        model: {
          liars,
          drift: 0.01,
          allows: ['hold', 'drop', 'twice', 'cut', 'slow', 'pause', 'crash', 'drift', 'do'],
        },
        mayLie: names('server', servers),
        palette: orderingPalette,
        commands: {
          write: { title: 'write x', act: writing },
          read: { title: 'read x', act: reading },
        },
        dies: (client, plan) => (hasClient(plan, client) ? { kind: 'die', client } : undefined),
      }
    }),
}

function reading(client: NodeId, plan: Plan<unknown>): OrderingAct | undefined {
  return hasClient(plan, client) ? { kind: 'read', client, object: 'a', key: 'x' } : undefined
}

function writing(client: NodeId, plan: Plan<unknown>, place: number): OrderingAct | undefined {
  return hasClient(plan, client) ? write(client, ADDED + place) : undefined
}

function write(client: NodeId, id: number): OrderingAct {
  return { kind: 'submit', client, object: 'a', operation: { kind: 'write', id, key: 'x', value: `${id}` } }
}

/** Two clients that write the same register; all else is left to the visitor. */
function duel(scenario: AnyScenario): AnyScenario {
  return {
    ...scenario,
    plan: (random): OrderingPlan => {
      const plan = scenario.plan(random) as OrderingPlan
      const clients = names('client', 2)
      const acts = clients.flatMap((client, place) => [
        { ...write(client, place + 1), at: 1_000 + place * 300 },
        { kind: 'read' as const, client, object: 'a', key: 'x', at: 1_000_000 + place * 300 },
      ])
      return {
        ...plan,
        clients,
        objects: ['a'],
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
        acts,
        healsAt: DUEL_HEALS,
        ends: DUEL_ENDS,
        drawn: { servers: plan.drawn.servers!, clients: 2 },
      }
    },
  }
}
