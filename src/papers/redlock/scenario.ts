// Two clients and n servers under redlock's rule, all of them honest unless somebody plays one; and a traitor's words.

import type { NodeId } from '../../core/index.ts'
import {
  ExclusionChecker,
  honestWord,
  type Micros,
  type Palette,
  type PaletteWord,
  type Plan,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  silence,
  type World,
} from '../../simulator/index.ts'
import { type RedlockEvent, type RedlockMessage, redlockClient, redlockServer, redlockVocabulary } from './redlock.ts'

export type RedlockAct = { kind: 'use'; client: string; hold: Micros } | { kind: 'die'; client: string }

export interface RedlockPlan extends Plan<RedlockAct> {
  readonly clients: readonly string[]
}

const HEALS: Micros = 3_000_000

/** Redlock's rule with two clients that want the lock at once, for the simulator. */
export function redlockScenario(servers: readonly NodeId[]): Scenario<RedlockPlan, RedlockAct> {
  return {
    name: 'redlock',
    plan: () => {
      const clients = ['client-1', 'client-2']
      return {
        clients,
        network: {
          delayMin: 500,
          delaySpread: 1_000,
          tailChance: 0,
          tailMax: 0,
          loss: 0,
          duplication: 0,
          inOrder: true,
        },
        faults: [],
        acts: clients.map(client => ({ kind: 'use', client, hold: 400_000, at: 1_000 })),
        healsAt: HEALS,
        ends: HEALS,
        drawn: { servers: servers.length, clients: 2 },
      }
    },
    stage: (world, plan) => new RedlockStage(world, servers, plan).begin(),
  }
}

class RedlockStage extends ScenarioStage<RedlockPlan, RedlockAct, RedlockEvent> {
  readonly checkers
  private readonly servers: readonly NodeId[]
  private readonly exclusion = new ExclusionChecker()
  private readonly holds = new Map<number, Micros>()

  constructor(world: World, servers: readonly NodeId[], plan: RedlockPlan) {
    super(world, plan)
    this.servers = servers
    this.checkers = [this.exclusion]
  }

  protected populate(): void {
    for (const id of this.servers) {
      this.addNode({ id, protocol: redlockServer(), peers: [], vocabulary: redlockVocabulary })
      this.world.start(id)
    }
    for (const client of this.plan.clients) this.addClient(client)
  }

  private addClient(client: string): void {
    const id = this.nextProcess(client)
    const spec = { id, protocol: redlockClient(), peers: this.servers, vocabulary: redlockVocabulary, returns: false }
    this.addNode(spec)
    this.world.start(id)
  }

  protected act(act: RedlockAct): void {
    const user = this.processOf(act.client)
    if (act.kind === 'use') {
      const id = this.nextCommand()
      this.holds.set(id, act.hold)
      return this.world.command(user, { kind: 'acquire', id })
    }
    this.world.crash(user)
    this.exclusion.gone(user, this.world.now)
    this.addClient(act.client)
  }

  protected observe(node: SimulatedNode, event: RedlockEvent): void {
    const { world, exclusion } = this
    const { id: holder } = node.spec
    if (event.kind === 'released') exclusion.released('the lock', holder, world.now)
    if (event.kind !== 'acquired') return
    const until = world.whenClockShows(node, event.deadline)
    // It has no tokens: the number of the holding stands for one.
    exclusion.acquired('the lock', holder, exclusion.holdings, world.now, until)
    const hold = this.holds.get(event.id)!
    world.at(world.now + hold, () => world.command(holder, { kind: 'release', id: event.id }))
  }
}

function answer(letter: string, name: string, ok: boolean): PaletteWord {
  const title = ok ? 'set: it is yours' : 'not set: somebody has it'
  return { letter, name, title, say: ({ body }) => [{ kind: 'answer', attempt: body.attempt, ok }] }
}

/** The words of a traitor among the servers. */
export const redlockPalette: Palette = {
  words: [answer('y', 'yes', true), answer('n', 'no', false), silence, honestWord],
  asks: (body: RedlockMessage) => body.kind === 'set',
}
