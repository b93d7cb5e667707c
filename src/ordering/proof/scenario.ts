// Objects under faults and liars: what the users do, and who watches them.

import type { NodeId, Random, Saved, Trust } from '../../core/index.ts'
import {
  BlameChecker,
  type Checker,
  drawFaults,
  drawNetwork,
  LinearizabilityChecker,
  type Micros,
  type Plan,
  ProgressChecker,
  pick,
  type RegisterCall,
  registers as registerModel,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type Value,
  type World,
} from '../../simulator/index.ts'
import type { OrderingEvent } from '../client/commands.ts'
import { orderingClient } from '../client/machine.ts'
import { orderingDefaults } from '../defaults.ts'
import { orderingRules } from '../rules.ts'
import { orderingServer } from '../server/machine.ts'
import type { ServerState } from '../server/state.ts'
import type { OrderingSettings } from '../settings.ts'
import { orderingVocabulary } from '../wire.ts'
import { HistoryChecker, OneOrderChecker } from './history.ts'
import { orderingLiars } from './liars.ts'
import {
  decodeWords,
  type Entry,
  encodeWords,
  logOf,
  type RegisterOperation,
  type RegisterResult,
  registers,
} from './register.ts'
import { spoilerClient } from './spoiler.ts'

/** What a user of objects does, or what befalls one. */
export type OrderingAct =
  | { kind: 'submit'; client: string; object: string; operation: RegisterOperation }
  | { kind: 'read'; client: string; object: string; key: string }
  /** The client's process is gone; another takes its place. */
  | { kind: 'die'; client: string }

/** Everything that is drawn for one run. */
export interface OrderingPlan extends Plan<OrderingAct> {
  readonly settings: OrderingSettings
  readonly clients: readonly string[]
  readonly objects: readonly string[]
  readonly ttl: number
  /** Which server lies, and how. */
  readonly liars: ReadonlyMap<NodeId, number>
  readonly rates: ReadonlyMap<string, number>
  /** Whether a client is there that calls committed what nobody has (spoiler.ts). */
  readonly spoiler: boolean
}

export const SECOND: Micros = 1_000_000
export const SAFETY = 8 * SECOND
export const LIVENESS = 20 * SECOND
const DRIFT = 0.01
const LOOK_EVERY = SECOND / 10
const SPOILER = 'spoiler'

export interface OrderingScenarioOptions {
  /** Left out, a lying client is there only where the rule against it is broken: it asks all servers many times a second. */
  readonly spoiler?: boolean
}

/** Objects under faults and liars, for the simulator. */
export function orderingScenario(
  trust: Trust,
  change: Partial<OrderingSettings> = {},
  options: OrderingScenarioOptions = {},
): Scenario<OrderingPlan, OrderingAct> {
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  const { mayTake } = change.rules ?? orderingRules
  const { spoiler = mayTake !== orderingRules.mayTake } = options
  return {
    name: 'ordering',
    plan: random => ({ ...drawPlan(random, trust, servers, change), spoiler }),
    stage: (world, plan) => new OrderingStage(world, servers, plan).begin(),
  }
}

export function drawPlan(
  random: Random,
  trust: Trust,
  servers: readonly string[],
  change: Partial<OrderingSettings>,
): Omit<OrderingPlan, 'spoiler'> {
  const clients = Array.from({ length: 2 + random.below(3) }, (_, place) => `client-${place + 1}`)
  const kinds = orderingLiars(orderingDefaults.hash)
  const liars = new Map<NodeId, number>()
  while (liars.size < trust.liars) liars.set(pick(random, servers), random.below(kinds.length))
  const all = [...servers, ...clients]
  const objects = ['a', 'b'].slice(0, 1 + random.below(2))
  const faults = drawFaults(random, { durable: servers, all }, SAFETY, 3 * SECOND)
  const settings = {
    ...orderingDefaults,
    liars: trust.liars,
    crashes: trust.crashes,
    findApplier: () => registers,
    // Small, so that those who lag must take copies too.
    recentChangesMax: pick(random, [4, 50, 1_000]),
    // Small, so that a liar fills it.
    shareBytesMax: 2 ** 16,
    ...change,
  }
  return {
    settings,
    clients,
    objects,
    ttl: pick(random, [1_000, 3_000, 10_000]),
    liars,
    rates: new Map(all.map(node => [node, 1 + DRIFT * pick(random, [-1, 0, 1])])),
    network: drawNetwork(random),
    faults,
    acts: drawActs(random, clients, objects),
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      servers: trust.servers,
      clients: clients.length,
      liars: [...liars].map(([server, kind]) => `${server} ${kinds[kind]!.name}`).join(', ') || 'none',
      faults: faults.length,
    },
  }
}

function drawActs(random: Random, clients: readonly string[], objects: readonly string[]): OrderingPlan['acts'] {
  const acts: (OrderingAct & { at: Micros })[] = []
  const busy = 2 + random.below(20)
  let id = 0
  for (const client of clients) {
    for (let i = 0; i < busy; i++) {
      const object = pick(random, objects)
      const at = random.below(SAFETY)
      // Several at once, now and then: they travel and are applied together, in their order.
      const burst = random.chance(0.2) ? 1 + random.below(5) : 1
      for (let j = 0; j < burst; j++) {
        acts.push({ kind: 'submit', client, object, at, operation: drawOperation(random, ++id) })
      }
      if (random.chance(0.5))
        acts.push({ kind: 'read', client, object, key: pick(random, KEYS), at: random.below(SAFETY) })
    }
    if (random.chance(0.3)) acts.push({ kind: 'die', client, at: random.below(SAFETY) })
  }
  return acts
}

export const KEYS = ['x', 'y', 'z']

function drawOperation(random: Random, id: number): RegisterOperation {
  const key = pick(random, KEYS)
  const value = `${id}`
  const kind = pick(random, ['read', 'write', 'write', 'swap'] as const)
  if (kind === 'read') return { kind, id, key }
  if (kind === 'write') return { kind, id, key, value }
  return { kind, id, key, old: random.chance(0.5) ? '' : `${Math.max(1, id - random.below(5))}`, value }
}

/** A register that was never written to is '' here and null in the model. */
function callOf(act: Asked): RegisterCall {
  if (act.kind === 'read') return { kind: 'read', key: `${act.object} ${act.key}` }
  const { operation } = act
  const key = `${act.object} ${operation.key}`
  if (operation.kind === 'read') return { kind: 'read', key }
  if (operation.kind === 'write') return { kind: 'write', key, value: operation.value }
  return { kind: 'swap', key, expected: operation.old === '' ? null : operation.old, value: operation.value }
}

function resultOf(operation: RegisterOperation, { value, swapped }: RegisterResult): Value | boolean {
  if (operation.kind === 'write') return null
  return operation.kind === 'swap' ? swapped : value === '' ? null : value
}

type Asked = OrderingAct & { kind: 'submit' | 'read' }

/** Demands of the end have numbers above all of the plan's. */
const DEMANDS = 1_000_000

export class OrderingStage extends ScenarioStage<OrderingPlan, OrderingAct, OrderingEvent> {
  readonly checkers: Checker[]
  protected readonly servers: readonly string[]
  protected readonly order = new OneOrderChecker()
  protected readonly history = new HistoryChecker()
  private readonly linearizable = new LinearizabilityChecker(registerModel)
  /** The command of each operation, and what reads have seen, in the order of their answers. */
  private readonly commandOf = new Map<number, number>()
  private readonly readings: { readonly id: number; readonly object: string; readonly version: number }[] = []
  private readonly progress = new ProgressChecker()
  private readonly blame = new BlameChecker()
  /** What a living process asked for, by command. */
  protected readonly asked = new Map<number, Asked>()
  protected readonly began = new Map<number, Micros>()
  private readonly askers = new Map<number, NodeId>()
  /** Whose demands of the end are not met yet. */
  private readonly waiting = new Set<string>()
  private readonly kinds = orderingLiars(orderingDefaults.hash)
  private demands = DEMANDS

  constructor(world: World, servers: readonly string[], plan: OrderingPlan) {
    super(world, plan)
    this.servers = servers
    this.checkers = [this.order, this.history, this.linearizable, this.progress, this.blame]
  }

  override begin(): this {
    super.begin()
    this.lookAtHeads()
    return this
  }

  protected populate(): void {
    for (const server of this.servers) this.addServer(server)
    for (const client of this.plan.clients) this.addClient(client)
    if (this.plan.spoiler) this.addSpoiler()
  }

  private addSpoiler(): void {
    const protocol = spoilerClient(this.plan.objects, orderingDefaults.hash)
    const spec = { id: SPOILER, protocol, peers: this.servers, vocabulary: orderingVocabulary, clockRate: 1 }
    this.addNode({ ...spec, clockOffset: 777, returns: false })
    this.world.start(SPOILER)
  }

  // Lemma 4 also over what servers call committed, no matter who decided it.
  private lookAtHeads(): void {
    for (const state of this.honest()) this.look(state)
    this.world.at(this.world.now + LOOK_EVERY, () => this.lookAtHeads())
  }

  protected look({ self, objects }: ServerState): void {
    for (const { name, committed } of objects.values()) this.order.saw(name, committed, self, this.world.now)
  }

  protected override demand(): void {
    for (const client of this.plan.clients) for (const object of this.plan.objects) this.demandFor(client, object)
  }

  // Until it is answered: a session may be lost on the way, and another comes.
  private demandFor(client: string, object: string): void {
    this.waiting.add(`${client} at '${object}'`)
    this.progress.demand(`${client} at '${object}'`, this.world.now)
    const operation: RegisterOperation = { kind: 'write', id: ++this.demands, key: 'x', value: `${this.demands}` }
    this.act({ kind: 'submit', client, object, operation })
  }

  // The first one asks again at once for as long as others wait: a client that keeps its turn must not keep them out.
  private served(act: OrderingAct & { kind: 'submit' }): void {
    this.waiting.delete(`${act.client} at '${act.object}'`)
    this.progress.served(`${act.client} at '${act.object}'`)
    const first = this.plan.clients[0]!
    const others = [...this.waiting].some(who => !who.startsWith(`${first} `))
    if (act.client === first && others) this.demandFor(act.client, act.object)
  }

  // Every client that lives is answered in the end, one way or the other.
  private unanswered(): void {
    for (const [id, act] of this.asked) {
      const began = this.began.get(id)!
      if (began > this.plan.healsAt || this.processOf(act.client) !== this.askers.get(id)) continue
      this.progress.demand(`command ${id} of ${act.client} at '${act.object}'`, began)
    }
  }

  protected override finish(): void {
    const { world } = this
    this.unanswered()
    this.progress.finish(world.now)
    const orders: string[][] = []
    for (const object of this.plan.objects) {
      let newest: ServerState['objects'] extends Map<string, infer T> ? T | undefined : never
      for (const server of this.honest()) {
        const mine = server.objects.get(object)
        if (mine !== undefined && mine.content.version >= (newest?.content.version ?? 0)) newest = mine
      }
      const log = newest === undefined ? [] : logOf(newest.content.table)
      this.history.finish(object, log, world.now)
      orders.push(this.orderOf(object, log))
    }
    this.linearizable.finish(world.now, orders)
  }

  /** The commands in the order of the log; what was read of a version comes after it. */
  private orderOf(object: string, log: readonly Entry[]): string[] {
    const reads = this.readings.filter(reading => reading.object === object).sort((a, b) => a.version - b.version)
    const order: string[] = []
    for (const { version, operation } of log) {
      while (reads.length > 0 && reads[0]!.version < version) order.push(`${reads.shift()!.id}`)
      order.push(`${this.commandOf.get(operation.id)}`)
    }
    return [...order, ...reads.map(({ id }) => `${id}`)]
  }

  protected *honest(): Iterable<ServerState> {
    for (const server of this.servers) {
      const state = this.stateOf<ServerState>(server)
      if (!this.plan.liars.has(server) && state !== undefined) yield state
    }
  }

  private addServer(id: string): void {
    const { liars, rates } = this.plan
    const kind = liars.get(id)
    // None of these kinds: somebody outside gives it its words.
    const liar = kind === undefined ? undefined : this.kinds[kind]
    const protocol = orderingServer(this.settingsOf(id))
    const peers = this.servers.filter(server => server !== id)
    const spec = { id, protocol, peers, vocabulary: orderingVocabulary, clockRate: rates.get(id)!, clockOffset: 1_000 }
    this.addNode({ ...spec, diskMax: 5_000, ...this.kept() }, liar && (honest => liar.corrupt(honest)))
    this.world.start(id)
  }

  protected settingsOf(_node: NodeId): OrderingSettings {
    return this.plan.settings
  }

  /** What a server's disk holds at first. */
  protected kept(): { saved?: Saved } {
    return {}
  }

  protected addClient(client: string): void {
    const id = this.nextProcess(client)
    const { rates } = this.plan
    const spec = {
      id,
      protocol: orderingClient(this.settingsOf(id)),
      peers: this.servers,
      vocabulary: orderingVocabulary,
    }
    this.addNode({ ...spec, clockRate: rates.get(client)!, clockOffset: 777, returns: false })
    this.world.start(id)
    for (const object of this.plan.objects) this.open(id, object)
  }

  protected open(id: NodeId, object: string): void {
    // Some know the time of day, and guess their ranks by it.
    const wall = (this.plan.rates.get(this.clientOf(id)) ?? 1) > 1 ? { wall: this.world.now } : {}
    this.world.command(id, { kind: 'open', id: this.nextCommand(), object, ttl: this.plan.ttl, ...wall })
  }

  protected act(act: OrderingAct): void {
    const user = this.processOf(act.client)
    if (act.kind === 'die') {
      this.world.crash(user)
      return this.addClient(act.client)
    }
    const id = this.nextCommand()
    this.asked.set(id, act)
    this.began.set(id, this.world.now)
    this.askers.set(id, user)
    const { object } = act
    this.linearizable.called(`${id}`, act.client, callOf(act), this.world.now)
    if (act.kind === 'read')
      return this.world.command(user, { kind: 'read', id, object, keys: [`key ${act.key}`], stale: false })
    this.commandOf.set(act.operation.id, id)
    this.history.began(act.operation.id, object, act.operation, this.world.now)
    this.world.command(user, { kind: 'submit', id, object, body: encodeWords(act.operation) })
  }

  protected observe(node: SimulatedNode, event: OrderingEvent): void {
    if (event.kind === 'decided') return this.order.saw(event.object, event.head, node.spec.id, this.world.now)
    if (event.kind === 'lied') {
      return this.blame.blame(event.server, this.plan.liars.has(event.server), event.what, this.world.now)
    }
    if (event.kind === 'lost' || event.kind === 'ended') return this.open(node.spec.id, event.object)
    if (event.kind !== 'answered' && event.kind !== 'failed' && event.kind !== 'value') return
    const act = this.asked.get(event.id)
    this.asked.delete(event.id)
    if (act !== undefined) this.heard(act, event)
  }

  private heard(act: Asked, event: OrderingEvent & { kind: 'answered' | 'failed' | 'value' }): void {
    const { world, history } = this
    if (event.kind === 'value' && act.kind === 'read') {
      const { object, key } = act
      const stored = event.entries[0]?.value
      const value = stored === undefined ? '' : decodeWords<string>(stored)
      const began = this.began.get(event.id)!
      this.linearizable.returned(`${event.id}`, value === '' ? null : value, world.now)
      this.readings.push({ id: event.id, object, version: event.version })
      return history.read({ object, key, value, version: event.version, began, ended: world.now })
    }
    if (act.kind !== 'submit') return
    const demanded = act.operation.id > DEMANDS
    if (event.kind === 'answered') {
      const result = decodeWords<RegisterResult>(event.body)
      history.answered(act.operation.id, event.version, result, world.now)
      this.linearizable.returned(`${event.id}`, resultOf(act.operation, result), world.now)
      if (demanded) this.served(act)
    } else if (event.kind === 'failed') {
      history.failed(act.operation.id, event.outcome === 'did not happen', world.now)
      if (event.outcome === 'did not happen') this.linearizable.failed(`${event.id}`)
      else this.linearizable.abandoned(`${event.id}`)
      if (demanded) world.at(world.now + SECOND, () => this.demandFor(act.client, act.object))
    }
  }
}
