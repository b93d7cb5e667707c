// The printed ordering under faults and liars. It promises safety in every run, and progress once the network is calm.

import type { NodeId, Random, Trust } from '../../core/index.ts'
import {
  drawFaults,
  drawNetwork,
  type Micros,
  type Plan,
  ProgressChecker,
  pick,
  type Scenario,
  type SimulatedNode,
  type Stage,
  type Timed,
  type World,
} from '../../simulator/index.ts'
import { OrderChecker } from './checker.ts'
import { printedOrderingClient } from './client.ts'
import { printedOrderingLiars } from './liars.ts'
import {
  type PrintedOrderingEvent,
  type PrintedOrderingSettings,
  printedOrderingDefaults,
  printedOrderingVocabulary,
} from './messages.ts'
import { printedOrderingServer } from './server.ts'

export type PrintedOrderingAct = { kind: 'submit'; client: string; operation: string } | { kind: 'die'; client: string }

export interface PrintedOrderingPlan extends Plan<PrintedOrderingAct> {
  readonly settings: PrintedOrderingSettings
  readonly clients: readonly string[]
  readonly liars: ReadonlyMap<NodeId, number>
}

const SECOND: Micros = 1_000_000
const SAFETY = 5 * SECOND
const LIVENESS = 60 * SECOND

export function printedOrderingScenario(
  trust: Trust,
  change: Partial<PrintedOrderingSettings> = {},
): Scenario<PrintedOrderingPlan, PrintedOrderingAct> {
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  return {
    name: 'printed ordering',
    plan: random => drawPlan(random, trust, servers, change),
    stage: (world, plan) => new PrintedOrderingStage(world, servers, plan),
  }
}

function drawPlan(
  random: Random,
  trust: Trust,
  servers: readonly string[],
  change: Partial<PrintedOrderingSettings>,
): PrintedOrderingPlan {
  const settings = { ...printedOrderingDefaults, liars: trust.liars, crashes: trust.crashes, ...change }
  const clients = Array.from({ length: 2 + random.below(3) }, (_, place) => `client-${place + 1}`)
  const kinds = printedOrderingLiars()
  const liars = new Map<NodeId, number>()
  for (let i = 0; i < trust.liars; i++) liars.set(pick(random, servers), random.below(kinds.length))
  const faults = drawFaults(random, { durable: servers, all: [...servers, ...clients] }, SAFETY, SECOND)
  return {
    settings,
    clients,
    liars,
    network: drawNetwork(random),
    faults,
    acts: drawActs(random, clients),
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      servers: servers.length,
      clients: clients.length,
      liars: [...liars].map(([server, kind]) => `${server} ${kinds[kind]!.name}`).join(', ') || 'none',
      faults: faults.length,
    },
  }
}

function drawActs(random: Random, clients: readonly string[]): Timed<PrintedOrderingAct>[] {
  const acts: Timed<PrintedOrderingAct>[] = []
  for (const client of clients) {
    let number = 0
    for (let bursts = 1 + random.below(4); bursts > 0; bursts--) {
      const at = random.below(SAFETY)
      for (let i = 1 + random.below(4); i > 0; i--) {
        // Within a few round trips: the later ones wait while the first is being ordered.
        acts.push({ kind: 'submit', client, operation: `${client}.${++number}`, at: at + random.below(SECOND / 20) })
      }
    }
    if (random.chance(0.2)) acts.push({ kind: 'die', client, at: random.below(SAFETY) })
  }
  return acts
}

class PrintedOrderingStage implements Stage {
  readonly checkers
  private readonly world: World
  private readonly servers: readonly string[]
  private readonly plan: PrintedOrderingPlan
  private readonly order = new OrderChecker()
  private readonly progress = new ProgressChecker()
  private readonly processes = new Map<string, { id: NodeId; count: number }>()
  /** Every process has a number of its own: it is part of its ranks. */
  private places = 0

  constructor(world: World, servers: readonly string[], plan: PrintedOrderingPlan) {
    this.world = world
    this.servers = servers
    this.plan = plan
    this.checkers = [this.order, this.progress]
    for (const id of servers) this.addServer(id)
    for (const client of plan.clients) this.addClient(client)
    for (const act of plan.acts) world.at(act.at, () => this.act(act))
    world.listen((node, event) => this.observe(node, event as PrintedOrderingEvent))
  }

  healed(): void {
    for (const client of this.plan.clients) {
      const operation = `${client}.healed`
      this.progress.demand(operation, this.world.now)
      this.act({ kind: 'submit', client, operation })
    }
    this.world.at(this.plan.ends - 1, () => this.progress.finish(this.world.now))
  }

  private addServer(id: string): void {
    const honest = printedOrderingServer()
    const liar = this.plan.liars.get(id)
    const protocol = liar === undefined ? honest : printedOrderingLiars()[liar]!.corrupt(honest)
    this.world.add({ id, protocol, peers: [], vocabulary: printedOrderingVocabulary, lies: liar !== undefined })
    this.world.start(id)
  }

  private addClient(client: string): void {
    const count = (this.processes.get(client)?.count ?? 0) + 1
    const id = count === 1 ? client : `${client}#${count}`
    this.processes.set(client, { id, count })
    const protocol = printedOrderingClient(this.plan.settings, ++this.places)
    this.world.add({ id, protocol, peers: this.servers, vocabulary: printedOrderingVocabulary, returns: false })
    this.world.start(id)
  }

  private act(act: PrintedOrderingAct): void {
    const { id } = this.processes.get(act.client)!
    if (act.kind === 'submit') {
      return this.world.command(id, { kind: 'submit', operation: act.operation })
    }
    this.world.crash(id)
    this.addClient(act.client)
  }

  private observe(_node: SimulatedNode, event: PrintedOrderingEvent): void {
    if (event.kind === 'decided') this.order.state(event.state, this.world.now)
    if (event.kind !== 'done') return
    this.order.response(event.operation, event.place, this.world.now)
    this.progress.served(event.operation)
  }
}
