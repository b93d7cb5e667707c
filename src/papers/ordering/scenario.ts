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
  ScenarioStage,
  type SimulatedNode,
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

/** The printed ordering under faults and liars, for the simulator. */
export function printedOrderingScenario(
  trust: Trust,
  change: Partial<PrintedOrderingSettings> = {},
): Scenario<PrintedOrderingPlan, PrintedOrderingAct> {
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  return {
    name: 'printed ordering',
    plan: random => drawPlan(random, trust, servers, change),
    stage: (world, plan) => new PrintedOrderingStage(world, servers, plan).begin(),
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

class PrintedOrderingStage extends ScenarioStage<PrintedOrderingPlan, PrintedOrderingAct, PrintedOrderingEvent> {
  readonly checkers
  private readonly servers: readonly string[]
  private readonly order = new OrderChecker()
  private readonly progress = new ProgressChecker()
  /** Theorem 2: what clients that live have submitted, and have no response to. */
  private readonly open = new Map<string, string>()
  /** Every process has a number of its own: it is part of its ranks. */
  private places = 0

  constructor(world: World, servers: readonly string[], plan: PrintedOrderingPlan) {
    super(world, plan)
    this.servers = servers
    this.checkers = [this.order, this.progress]
  }

  protected override populate(): void {
    for (const id of this.servers) this.addServer(id)
    for (const client of this.plan.clients) this.addClient(client)
  }

  protected override demand(): void {
    for (const operation of this.open.keys()) this.progress.demand(operation, this.world.now)
    for (const client of this.plan.clients) {
      const operation = `${client}.healed`
      this.progress.demand(operation, this.world.now)
      this.act({ kind: 'submit', client, operation })
    }
  }

  protected override finish(): void {
    this.progress.finish(this.world.now)
  }

  private addServer(id: string): void {
    const liar = this.plan.liars.get(id)
    const spec = { id, protocol: printedOrderingServer(), peers: [], vocabulary: printedOrderingVocabulary }
    this.addNode(spec, liar === undefined ? undefined : printedOrderingLiars()[liar]!.corrupt)
    this.world.start(id)
  }

  private addClient(client: string): void {
    const id = this.nextProcess(client)
    const protocol = printedOrderingClient(this.plan.settings, ++this.places)
    this.addNode({ id, protocol, peers: this.servers, vocabulary: printedOrderingVocabulary, returns: false })
    this.world.start(id)
  }

  protected override act(act: PrintedOrderingAct): void {
    const id = this.processOf(act.client)
    if (act.kind === 'submit') {
      this.open.set(act.operation, act.client)
      return this.world.command(id, { kind: 'submit', operation: act.operation })
    }
    this.world.crash(id)
    for (const [operation, client] of this.open) if (client === act.client) this.open.delete(operation)
    this.addClient(act.client)
  }

  protected override observe(_node: SimulatedNode, event: PrintedOrderingEvent): void {
    if (event.kind === 'decided') this.order.state(event.state, this.world.now)
    if (event.kind !== 'done') return
    this.order.response(event.operation, event.place, this.world.now)
    this.open.delete(event.operation)
    this.progress.served(event.operation)
  }
}
