// Servers and clients as they ship: locks and objects in one composed node, one store, one fault plan. The nodes are those
// of `coterie serve` and `connect`; users do both at once, and the checkers of both protocols watch.

import {
  type AnyProtocol,
  type ComposeRules,
  composeRules,
  type NodeId,
  type PartEvent,
  type Trust,
} from '../../core/index.ts'
import type { ClientEvent } from '../../lock/index.ts'
import { lockRules } from '../../lock/index.ts'
import { GuardedResource } from '../../lock/proof/index.ts'
import { type OrderingEvent, orderingDefaults } from '../../ordering/index.ts'
import {
  decodeWords,
  encodeWords,
  OneOrderChecker,
  type RegisterOperation,
  type RegisterResult,
  registers,
} from '../../ordering/proof/index.ts'
import {
  BlameChecker,
  type Checker,
  ExclusionChecker,
  LinearizabilityChecker,
  type Micros,
  ProgressChecker,
  type RegisterCall,
  registers as registerModel,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type Value,
  type Violation,
  type World,
} from '../../simulator/index.ts'
import { type ClientParts, clientOf as clientNodeOf, clientParts } from '../client.ts'
import { nodeVocabulary } from '../index.ts'
import { lives } from '../lives/machine.ts'
import { type LivesRules, livesRules } from '../lives/state.ts'
import { firstStart, type ServerNode, serverOf, serverParts } from '../server.ts'
import { drawServerPlan, SECOND, type ServerAct, type ServerPlan, serverLiars, TTL_MAX_MS } from './server-plan.ts'

const { hash } = orderingDefaults

export function serverScenario(
  trust: Trust,
  rules: ComposeRules = composeRules,
  lived: LivesRules = livesRules,
): Scenario<ServerPlan, ServerAct> {
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  return {
    name: 'server',
    plan: random => drawServerPlan(random, trust, servers),
    stage: (world, plan) => new ServerStage(world, plan, { servers, rules, lived }).begin(),
  }
}

type Asked = ServerAct & { kind: 'submit' | 'read' }

/** Demands of the end have numbers above all of the plan's. */
const DEMANDS = 1_000_000
const DISK_MAX = 5_000
const LOOK_EVERY = SECOND / 10

/** Who serves, and by which rules, broken ones among them. */
interface Shape {
  readonly servers: readonly string[]
  readonly rules: ComposeRules
  readonly lived: LivesRules
}

/** No store is lost or put back in these runs: whoever calls its own an old copy was talked into it. */
class WholeStoresChecker implements Checker {
  readonly name = 'whole stores'
  private readonly broken: Violation[] = []

  calledOld(server: NodeId, at: Micros): void {
    this.broken.push({ what: `${server}: its store is whole, and it was made to call it old`, at })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

class ServerStage extends ScenarioStage<ServerPlan, ServerAct, PartEvent<ClientParts>> {
  readonly checkers
  private readonly servers: readonly string[]
  private readonly rules: ComposeRules
  private readonly lived: LivesRules
  private readonly stores = new WholeStoresChecker()
  private readonly exclusion = new ExclusionChecker()
  private readonly resource = new GuardedResource(lockRules)
  private readonly order = new OneOrderChecker()
  private readonly blame = new BlameChecker()
  private readonly linearizable = new LinearizabilityChecker(registerModel)
  private readonly progress = new ProgressChecker()
  /** One set for all servers: those that collude share what they know. */
  private readonly kinds = serverLiars()
  private readonly holds = new Map<number, ServerAct & { kind: 'lock' }>()
  private readonly asked = new Map<number, Asked>()
  private demands = DEMANDS

  constructor(world: World, plan: ServerPlan, { servers, rules, lived }: Shape) {
    super(world, plan)
    this.servers = servers
    this.rules = rules
    this.lived = lived
    const { exclusion, resource, order, blame, linearizable, progress, stores } = this
    this.checkers = [exclusion, resource, order, blame, linearizable, progress, stores]
  }

  override begin(): this {
    super.begin()
    this.lookAtHeads()
    return this
  }

  protected override populate(): void {
    for (const server of this.servers) this.addServer(server)
    for (const client of this.plan.clients) this.addClient(client)
  }

  protected override demand(): void {
    const { world, plan } = this
    for (const client of plan.clients) for (const object of plan.objects) this.demandWrite(client, object)
    // Servers that restarted just now grant nothing for the longest lease.
    world.at(world.now + (TTL_MAX_MS + 500) * 1000, () => {
      for (const client of plan.clients) this.demandLock(client)
    })
  }

  protected override finish(): void {
    this.progress.finish(this.world.now)
    this.linearizable.finish(this.world.now)
  }

  private demandLock(client: string): void {
    this.progress.demand(`${client}'s lock`, this.world.now)
    const patience = this.plan.ends
    this.act({ kind: 'lock', client, name: 'a', ttl: 1_000, hold: 100_000, patience, fair: true })
  }

  private demandWrite(client: string, object: string): void {
    this.progress.demand(`${client}'s write to '${object}'`, this.world.now)
    const id = ++this.demands
    this.act({ kind: 'submit', client, object, operation: { kind: 'write', id, key: 'x', value: `${id}` } })
  }

  // Of a version there is one state, also among what honest servers call committed.
  private lookAtHeads(): void {
    const { world } = this
    for (const id of this.servers) {
      const state = this.stateOf<ReturnType<ServerNode['init']>>(id)
      if (this.plan.liars.has(id) || state === undefined) continue
      for (const { name, committed } of state.ordering?.objects.values() ?? []) {
        this.order.saw(name, committed, id, world.now)
      }
    }
    world.at(world.now + LOOK_EVERY, () => this.lookAtHeads())
  }

  private addServer(id: string): void {
    const { liars, rates, settings } = this.plan
    const kind = liars.get(id)
    const parts = serverParts(settings, { hash, hails: true })
    const honest = { ...parts, lives: lives({ liars: settings.trust.liars, rules: this.lived }) }
    const protocol = kind === undefined ? serverOf(honest, this.rules) : this.corrupted(kind)
    const clockRate = rates.get(id)!
    const peers = this.servers.filter(server => server !== id)
    const spec = { id, protocol, peers, vocabulary: nodeVocabulary, clockRate, clockOffset: 1_000 * clockRate }
    this.world.add({ ...spec, saved: firstStart, diskMax: DISK_MAX, lies: kind !== undefined })
    // Within the run: what a bug makes of its first start is a violation too.
    this.world.at(0, () => this.world.start(id))
  }

  /** The same node, with a part that lies, or as a whole. */
  private corrupted(kind: number): AnyProtocol {
    const { part, liar } = this.kinds[kind]!
    const parts = serverParts(this.plan.settings, { hash, hails: true })
    if (part === 'all') return liar.corrupt(serverOf(parts))
    const honest = parts[part]
    return serverOf({ ...parts, ...(honest && { [part]: liar.corrupt(honest) }) })
  }

  private addClient(client: string): void {
    const id = this.nextProcess(client)
    const { settings, rates } = this.plan
    const protocol = clientNodeOf(clientParts(settings, { hash, findApplier: () => registers }), this.rules)
    const spec = { id, protocol, peers: this.servers, vocabulary: nodeVocabulary }
    this.world.add({ ...spec, clockRate: rates.get(client)!, clockOffset: 777, returns: false })
    this.world.start(id)
    for (const object of ['a', 'b']) this.open(id, object)
  }

  private open(id: NodeId, object: string): void {
    const body = { kind: 'open', id: this.nextCommand(), object, ttl: this.plan.sessionTtl } as const
    this.world.command(id, { part: 'ordering', body })
  }

  protected override act(act: ServerAct): void {
    const { world } = this
    const user = this.processOf(act.client)
    if (act.kind === 'lock') return this.lock(user, act)
    if (act.kind === 'die') {
      world.crash(user)
      this.exclusion.gone(user, world.now)
      return this.addClient(act.client)
    }
    const id = this.nextCommand()
    const { object } = act
    this.asked.set(id, act)
    this.linearizable.called(`${id}`, act.client, callOf(act), world.now)
    const body =
      act.kind === 'read'
        ? ({ kind: 'read', id, object, keys: [`key ${act.key}`], stale: false } as const)
        : ({ kind: 'submit', id, object, body: encodeWords(act.operation) } as const)
    world.command(user, { part: 'ordering', body })
  }

  private lock(user: NodeId, act: ServerAct & { kind: 'lock' }): void {
    const { world } = this
    const id = this.nextCommand()
    const { name, ttl, fair } = act
    this.holds.set(id, act)
    const hint = Math.floor(world.clock(world.node(user)) * 1000)
    world.command(user, { part: 'lock', body: { kind: 'acquire', id, name, ttl, wait: true, fair, renew: true, hint } })
    world.at(world.now + act.patience, () => {
      if (this.holds.has(id)) world.command(user, { part: 'lock', body: { kind: 'release', id, name } })
    })
  }

  protected override observe(node: SimulatedNode, event: PartEvent<ClientParts>): void {
    if (this.servers.includes(node.spec.id)) return this.observeServer(node.spec.id, event)
    if (event.part === 'lock') this.observeLock(node, event.body)
    else if (event.part === 'ordering') this.observeObjects(node, event.body)
  }

  private observeServer(id: NodeId, event: { readonly part: string; readonly body: { readonly kind: string } }): void {
    const isOld = event.part === 'lives' && event.body.kind === 'old'
    if (isOld && !this.plan.liars.has(id)) this.stores.calledOld(id, this.world.now)
  }

  private observeLock(node: SimulatedNode, event: ClientEvent): void {
    const { world, exclusion } = this
    const { id } = node.spec
    switch (event.kind) {
      case 'acquired': {
        const { name, token } = event
        exclusion.acquired(name, id, token, world.now, world.whenClockShows(node, event.deadline))
        this.progress.served(`${this.clientOf(id)}'s lock`)
        const hold = this.holds.get(event.id)!.hold
        this.holds.delete(event.id)
        world.at(world.now + hold / 2, () => {
          this.resource.write(name, token, world.now, exclusion.holds(name, id, token, world.now))
        })
        return world.at(world.now + hold, () =>
          world.command(id, { part: 'lock', body: { kind: 'release', id: event.id, name } }),
        )
      }
      case 'extended':
        return exclusion.extended(event.name, id, world.now, world.whenClockShows(node, event.deadline))
      case 'released':
        return exclusion.released(event.name, id, world.now)
      case 'lost':
        // A process that was stopped could not be told in time; its clock tells it as soon as it runs.
        if (world.now > node.resumedAt) exclusion.told(event.name, id, world.now)
        return
      default:
        return
    }
  }

  private observeObjects(node: SimulatedNode, event: OrderingEvent): void {
    const { world, plan } = this
    if (event.kind === 'decided') return this.order.saw(event.object, event.head, node.spec.id, world.now)
    if (event.kind === 'lied')
      return this.blame.blame(event.server, plan.liars.has(event.server), event.what, world.now)
    if (event.kind === 'lost' || event.kind === 'ended') return this.open(node.spec.id, event.object)
    if (event.kind !== 'answered' && event.kind !== 'failed' && event.kind !== 'value') return
    const act = this.asked.get(event.id)
    this.asked.delete(event.id)
    if (act !== undefined) this.heard(act, event)
  }

  private heard(act: Asked, event: OrderingEvent & { kind: 'answered' | 'failed' | 'value' }): void {
    const { world, linearizable } = this
    const call = `${event.id}`
    if (event.kind === 'value') {
      const stored = event.entries[0]?.value
      return linearizable.returned(call, stored === undefined ? null : decodeWords<string>(stored), world.now)
    }
    if (event.kind === 'answered') {
      if (act.kind !== 'submit') return
      linearizable.returned(call, resultOf(act.operation, decodeWords<RegisterResult>(event.body)), world.now)
      return this.progress.served(`${act.client}'s write to '${act.object}'`)
    }
    if (event.outcome === 'did not happen') linearizable.failed(call)
    else linearizable.abandoned(call)
    // Until it is answered: a session may be lost on the way, and another comes.
    if (act.kind === 'submit' && act.operation.id > DEMANDS) {
      world.at(world.now + SECOND, () => this.demandWrite(act.client, act.object))
    }
  }
}

/** A register that was never written to is '' in the object and null in the model. */
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
