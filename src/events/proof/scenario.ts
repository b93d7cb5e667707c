// Events under faults and liars: authors that die half way, servers that crash, lose their disks and lie, consumers that die,
// fail and are slow.

import { encode, type NodeId, type Random, type Trust } from '../../core/index.ts'
import { idealSignatures } from '../../crypto/index.ts'
import {
  BlameChecker,
  drawFaults,
  drawNetwork,
  type Liar,
  type Micros,
  type Plan,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type World,
} from '../../simulator/index.ts'
import { eventsClient } from '../client/machine.ts'
import type { ClientEvent, Start } from '../client/state.ts'
import { eventsDefaults } from '../defaults.ts'
import { parseFilter } from '../filter.ts'
import { eventsServer } from '../server/machine.ts'
import type { ServerEvent, ServerState } from '../server/state.ts'
import type { EventsSettings } from '../settings.ts'
import { signBatch, signedSource } from '../signed.ts'
import { eventsRecord, eventsVocabulary, type Keep, type Source, sourceKey } from '../wire.ts'
import { DeliveryChecker } from './delivery.ts'
import { eventsLiars, inLeague, movingChannels } from './liars.ts'

export type EventsAct =
  | { kind: 'publish'; client: string; price: number }
  /** The process is gone; another takes its place. `again`: a consumer that wants everything from the start once more. */
  | { kind: 'die'; client: string; again: boolean }
  /** The server's disk is gone: it comes back empty, under its name. Only while all others have theirs. */
  | { kind: 'lose'; server: string; lasts: Micros }
  /** The power fails: every server at once, with what it had not saved. */
  | { kind: 'power'; lasts: Micros }

/** Everything that is drawn for one run. */
export interface EventsPlan extends Plan<EventsAct>, EventsOptions {
  readonly settings: EventsSettings
  readonly authors: readonly string[]
  readonly consumers: readonly string[]
  /** How many processes share a queue at first. */
  readonly workers: number
  readonly liars: ReadonlyMap<NodeId, number>
  /** How many milliseconds a handler takes at most, and how often it fails. */
  readonly handling: { readonly slowest: Micros; readonly fails: number }
  readonly parallel: number
  readonly keep: Keep
  /** How long a disk takes at most. */
  readonly diskMax: Micros
}

const SECOND: Micros = 1_000_000
const SAFETY = 12 * SECOND
const LIVENESS = 20 * SECOND
const LOOK_EVERY = SECOND / 10
const CHANNEL = 'prices'
/** Where nobody listens; its events have numbers from here on. */
const ELSEWHERE = 'orders'
const ELSEWHERE_FROM = 1_000_000
/** Who is in league with the liars, where somebody is. */
const TRAITOR = 'author-1'
const PRICES = 10
/** Half of the events match. */
const FILTER = parseFilter({ price: { lt: PRICES / 2 } })
const ACK_WAIT_MS = 2_000
/** More than a handler here ever fails. */
const ATTEMPTS = 1_000
/** Processes of one client that share a queue. */
const WORKER = 'worker'
/** The founder of a group knows that no server of it has lost anything. */
const FIRST_START = new Map([['', [encode(eventsRecord, { kind: 'known' })]]])

/** What only some runs have. */
export interface EventsOptions {
  /** The liars are in league with the first author, which signs two events under one id. */
  readonly league?: boolean
  /** Authors speak in a second channel too, and the liars pass that on as said in the first. */
  readonly moves?: boolean
}

/** Events under faults and liars, for the simulator. */
export function eventsScenario(
  trust: Trust,
  change: Partial<EventsSettings> = {},
  options: EventsOptions = {},
): Scenario<EventsPlan, EventsAct> {
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  return {
    name: 'events',
    plan: random => ({ ...drawPlan(random, trust, servers, change), ...options }),
    stage: (world, plan) => new EventsStage(world, servers, plan).begin(),
  }
}

function drawPlan(
  random: Random,
  trust: Trust,
  servers: readonly string[],
  change: Partial<EventsSettings>,
): EventsPlan {
  const { liars: b, crashes } = trust
  // A share that a liar fills soon.
  const settings = { ...eventsDefaults, shareBytesMax: 2 ** 16, group: 'shop', liars: b, crashes, ...change }
  const authors = ['author-1', 'author-2', 'author-3'].slice(0, 1 + random.below(3))
  const consumers = ['consumer-1', 'consumer-2'].slice(0, 1 + random.below(2))
  const workers = random.below(3)
  const kinds = eventsLiars()
  const liars = new Map<NodeId, number>()
  for (let i = 0; i < b; i++) liars.set(pick(random, servers), random.below(kinds.length))
  const faults = drawFaults(
    random,
    { durable: servers, all: [...servers, ...authors, ...consumers] },
    SAFETY,
    4 * SECOND,
  )
  const mortal = workers > 1 ? [...consumers, WORKER] : consumers
  const acts = [...drawActs(random, authors, mortal), ...drawLosses(random, servers, crashes - b)]
  return {
    settings,
    authors,
    consumers,
    workers,
    liars,
    handling: { slowest: pick(random, [1, 1_000, SECOND / 2]), fails: pick(random, [0, 0, 0.2]) },
    parallel: 1 + random.below(3),
    keep: { age: 1_000 * SECOND, bytes: 1_000_000 },
    diskMax: pick(random, [5_000, 5_000, SECOND / 2]),
    network: drawNetwork(random),
    faults,
    acts,
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      servers: trust.servers,
      authors: authors.length,
      consumers: consumers.length,
      liars: [...liars].map(([server, kind]) => `${server} ${kinds[kind]!.name}`).join(', ') || 'none',
      faults: faults.length,
    },
  }
}

function drawActs(random: Random, authors: readonly string[], consumers: readonly string[]): EventsPlan['acts'] {
  const acts: EventsPlan['acts'][number][] = []
  const busy = 2 + random.below(25)
  for (const client of authors) {
    let at = random.below(SAFETY)
    for (let i = 0; i < busy; i++) {
      // Some come one by one, some in a burst.
      if (random.chance(0.4)) at = random.below(SAFETY)
      acts.push({ kind: 'publish', client, price: random.below(PRICES), at })
    }
    // An author that dies right after it spoke leaves some servers with its last words.
    if (random.chance(0.5))
      acts.push({ kind: 'die', client, again: false, at: Math.min(SAFETY - 1, at + 1 + random.below(30_000)) })
    if (random.chance(0.4)) acts.push({ kind: 'power', lasts: random.below(SECOND), at: at + 1 + random.below(50_000) })
  }
  for (const client of consumers) {
    const deaths = random.below(4)
    for (let i = 0; i < deaths; i++) {
      acts.push({ kind: 'die', client, again: random.chance(0.4), at: random.below(SAFETY) })
    }
  }
  return acts
}

// As many may be gone at once as the group withstands: liars count, and a disk that is lost until what it held is back.
function drawLosses(random: Random, servers: readonly string[], spare: number): EventsPlan['acts'] {
  if (spare < 1 || servers.length === 1) return []
  const count = pick(random, [0, 1, 2, 3])
  return Array.from({ length: count }, () => {
    return { kind: 'lose', server: pick(random, servers), lasts: random.below(SECOND), at: random.below(SAFETY) }
  })
}

class EventsStage extends ScenarioStage<EventsPlan, EventsAct, ClientEvent | ServerEvent> {
  readonly checkers
  private readonly servers: readonly string[]
  private readonly delivery: DeliveryChecker
  private readonly blame = new BlameChecker()
  private readonly signatures = idealSignatures()
  private readonly kinds = eventsLiars()
  /** What was accepted, by source: what a server that lost its disk must have again. */
  private readonly accepted = new Map<string, number>()
  private lost: string | undefined
  /** Processes that want everything once more, as soon as their subscription is open. */
  private readonly restarts = new Set<NodeId>()

  constructor(world: World, servers: readonly string[], plan: EventsPlan) {
    super(world, plan)
    this.servers = servers
    this.delivery = new DeliveryChecker(plan.league ? TRAITOR : undefined)
    this.checkers = [this.delivery, this.blame]
  }

  protected populate(): void {
    for (const server of this.servers) this.addServer(server)
    for (const author of this.plan.authors) this.addClient(author)
    for (const consumer of this.plan.consumers) {
      this.addClient(consumer)
      this.subscribe(consumer, 'start')
    }
    for (let i = 0; i < this.plan.workers; i++) this.addWorker()
  }

  private addWorker(): void {
    this.addClient(WORKER)
    const { parallel } = this.plan
    const options = { channel: CHANNEL, name: 'work', filter: FILTER, parallel, ackWait: ACK_WAIT_MS }
    const terms = { start: true, attempts: ATTEMPTS }
    this.world.command(this.processOf(WORKER), { kind: 'enlist', id: 1, ...options, ...terms })
  }

  private settings(): EventsSettings {
    const keys = { signatures: this.signatures, keyOf: (name: string) => this.signatures.signer(name).publicKey }
    return { ...this.plan.settings, keys }
  }

  private addServer(id: string): void {
    const kind = this.plan.liars.get(id)
    const liar = kind === undefined ? undefined : this.liarOf(kind)
    const protocol = eventsServer(this.settings())
    const spec = {
      id,
      protocol,
      peers: this.servers,
      vocabulary: eventsVocabulary,
      saved: FIRST_START,
      diskMax: this.plan.diskMax,
    }
    this.addNode(spec, liar && (honest => liar.corrupt(honest)))
    this.world.start(id)
  }

  private liarOf(kind: number): Liar {
    if (this.plan.moves) return movingChannels(CHANNEL)
    if (!this.plan.league) return this.kinds[kind]!
    const settings = this.settings()
    const signer = this.signatures.signer(TRAITOR)
    return inLeague(TRAITOR, (source, item) => signBatch(settings, signer, signedSource(settings, source), [item])[0]!)
  }

  private addClient(client: string): void {
    const id = this.nextProcess(client)
    const protocol = eventsClient({ ...this.settings(), signer: this.signatures.signer(client) })
    this.addNode({ id, protocol, peers: this.servers, vocabulary: eventsVocabulary, returns: false })
    this.world.start(id)
  }

  private subscribe(consumer: string, from: Start): void {
    const { parallel } = this.plan
    const options = { channel: CHANNEL, name: 'all', filter: FILTER, from, parallel, ackWait: ACK_WAIT_MS }
    this.world.command(this.processOf(consumer), { kind: 'subscribe', id: 1, ...options })
  }

  protected act(act: EventsAct): void {
    if (act.kind === 'publish') return this.publish(act.client, act.price)
    if (act.kind === 'lose') return this.lose(act)
    if (act.kind === 'power') return this.power(act.lasts)
    this.world.crash(this.processOf(act.client))
    if (act.client === WORKER) return this.addWorker()
    this.addClient(act.client)
    if (!this.plan.consumers.includes(act.client)) return
    this.subscribe(act.client, act.again ? 'again' : 'start')
    if (act.again) this.restarts.add(this.processOf(act.client))
  }

  private power(lasts: Micros): void {
    const { world } = this
    for (const server of this.servers) world.crash(server)
    world.at(world.now + lasts, () => {
      for (const server of this.servers) world.start(server)
    })
  }

  private publish(author: string, price: number): void {
    const number = this.nextCommand()
    this.delivery.publish(number, { author, matches: price < PRICES / 2 })
    this.say(author, CHANNEL, number, price)
    if (this.plan.moves) this.say(author, ELSEWHERE, ELSEWHERE_FROM + number, 0)
  }

  private say(author: string, channel: string, number: number, price: number): void {
    const payload = new TextEncoder().encode(String(number))
    const content = { attributes: { price }, payload, time: number, retained: false, expires: 0 }
    const terms = { live: false, keep: this.plan.keep }
    this.world.command(this.processOf(author), { kind: 'publish', id: number, channel, content, ...terms })
  }

  private lose({ server, lasts }: EventsAct & { kind: 'lose' }): void {
    const { world } = this
    if (this.plan.liars.has(server) || this.lost !== undefined) return
    // Before it has heard from the others, it is itself as good as lost.
    if (this.servers.some(one => !this.plan.liars.has(one) && this.stateOf<ServerState>(one)?.fresh !== false)) return
    this.lost = server
    world.lose(server)
    world.at(world.now + lasts, () => world.start(server))
    this.whenRepaired(server)
  }

  private whenRepaired(server: string): void {
    const { world } = this
    world.at(world.now + LOOK_EVERY, () => {
      const state = this.stateOf<ServerState>(server)
      const isWhole = [...this.accepted].every(([key, counter]) => (state?.streams.get(key)?.held ?? 0) >= counter)
      // In its memory is not enough: it must be on its disk.
      const isSaving = world.node(server).host?.waiting() !== false
      if (state === undefined || state.fresh || !isWhole || isSaving) return this.whenRepaired(server)
      this.lost = undefined
    })
  }

  protected override demand(): void {
    for (const author of this.plan.authors) for (let price = 0; price < 3; price++) this.publish(author, price)
  }

  protected override finish(): void {
    const { authors, consumers, workers } = this.plan
    this.delivery.finish(workers > 0 ? [...consumers, WORKER] : consumers, authors, this.world.now)
  }

  protected observe(node: SimulatedNode, event: ClientEvent | ServerEvent): void {
    const { id } = node.spec
    switch (event.kind) {
      case 'accepted':
        if (event.id < ELSEWHERE_FROM) this.delivery.accept(event.id)
        return this.accept(event.source, event.counter)
      case 'subscribed':
        if (this.restarts.has(id)) this.delivery.again(this.clientOf(id))
        return
      case 'handed':
        return this.handle(id, event)
      case 'missed':
        return this.delivery.missed(id, this.world.now)
      case 'forked':
        return this.delivery.accuse(event.source.author, this.world.now)
      case 'lied':
        // Of clients and of servers; what a liar says of others is worth nothing.
        if (this.plan.liars.has(id)) return
        return this.blame.blame(event.server, this.plan.liars.has(event.server), event.what, this.world.now)
      default:
        return
    }
  }

  private accept(source: Source, counter: number): void {
    const key = sourceKey(source)
    this.accepted.set(key, Math.max(counter, this.accepted.get(key) ?? 0))
  }

  private handle(process: NodeId, event: ClientEvent & { kind: 'handed' }): void {
    const { world } = this
    const { source, counter, attempt } = event
    const number = Number(new TextDecoder().decode(event.content.payload))
    const handed = { source, counter, attempt, number, time: event.content.time }
    if (this.clientOf(process) === WORKER) this.delivery.given(process, handed, world.now)
    else this.delivery.handed(process, handed, world.now)
    const { slowest, fails } = this.plan.handling
    const random = world.node(process).random
    const fail = attempt < 3 && random.chance(fails)
    world.at(world.now + random.below(slowest), () => {
      if (world.node(process).host === undefined) return
      world.command(process, { kind: fail ? 'again' : 'ack', id: event.id, source, counter })
      if (!fail) this.delivery.handle(this.clientOf(process), number)
    })
  }
}
