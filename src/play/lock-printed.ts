// The lock as printed, to play with: with n = 5b one traitor makes two holders, with one server more it cannot.

import { printedLockServersNeeded } from '../core/index.ts'
import { type PrintedPlan, printedPalette, printedScenario } from '../papers/lock/index.ts'
import type { AnyScenario, Playable, Playground, PlayModel } from '../simulator/index.ts'
import { hasClient, names, opening, sized } from './sizes.ts'

/** Δ and δ of the duel, in milliseconds. */
export const DUEL_HOLD = 60
export const DUEL_DELAY_MAX = 4
const DUEL_AT = 1_000
const DUEL_HEALS = 400_000

/** The printed lock. */
export const printedPlayground: Playground = {
  name: 'lock-printed',
  title: 'The lock as printed',
  promise: 'When a client has entered, no other enters while it may be inside.',
  servers: { min: 3, max: 12, usual: 6 },
  liars: { min: 0, max: 2, usual: 1 },
  stories: { duel: 'Two clients at once, a quiet network' },
  bugs: [],
  bound(run) {
    const { servers, liars, crashes } = sized(run, 6)
    const needed = printedLockServersNeeded(liars, crashes)
    const rule = crashes === liars ? `5b + 1 = ${needed}` : `2f + 3b + 1 = ${needed}`
    if (servers >= needed) return `${servers} servers, and the rule needs ${rule}: enough.`
    return `${servers} servers, and the rule needs ${rule}: ${needed - servers === 1 ? 'one' : needed - servers} too few.`
  },
  open: run =>
    opening(() => {
      const { servers, liars, crashes } = sized(run, 6)
      const scenario = printedScenario({ servers, liars, crashes, unsafe: true })
      return playable(run.story === 'duel' ? duel(scenario) : scenario, servers, liars, run.story)
    }),
}

function playable(scenario: AnyScenario, servers: number, liars: number, story: string | undefined): Playable {
  const duels = story === 'duel'
  const model: PlayModel = {
    liars,
    ...(duels && { delayMax: DUEL_DELAY_MAX * 1000 }),
    drift: 0,
    allows: ['hold', 'do', 'crash'],
  }
  return {
    scenario,
    model,
    mayLie: names('server', servers),
    palette: printedPalette,
    commands: {
      contend: {
        title: 'ask to come in',
        act: (client, plan) => (hasClient(plan, client) ? { kind: 'contend', client } : undefined),
      },
    },
    dies: (client, plan) => (hasClient(plan, client) ? { kind: 'die', client } : undefined),
  }
}

/** Two clients that ask at the same moment; all else is left to the visitor. */
function duel(scenario: AnyScenario): AnyScenario {
  return {
    ...scenario,
    // Backoffs last for minutes: nobody is promised to be served before a duel ends.
    stage: (world, plan) => ({ checkers: scenario.stage(world, plan).checkers, healed: () => {} }),
    plan: (random): PrintedPlan => {
      const plan = scenario.plan(random) as PrintedPlan
      const clients = names('client', 2)
      return {
        ...plan,
        clients,
        settings: { ...plan.settings, hold: DUEL_HOLD, delayMax: DUEL_DELAY_MAX },
        liars: new Map(),
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
        acts: clients.map(client => ({ kind: 'contend', client, at: DUEL_AT })),
        healsAt: DUEL_HEALS,
        ends: DUEL_HEALS,
        drawn: { servers: plan.drawn.servers!, clients: 2, hold: DUEL_HOLD, delayMax: DUEL_DELAY_MAX },
      }
    },
  }
}
