// The lock under faults and liars: what the users do, and who watches them.

import { type AnyProtocol, encode, type NodeId, type Random, seededRandom, type Trust } from '../../core/index.ts'
import {
  BlameChecker,
  drawFaults,
  drawNetwork,
  ExclusionChecker,
  type Micros,
  type Plan,
  ProgressChecker,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type World,
} from '../../simulator/index.ts'
import { lockClient } from '../client/machine.ts'
import type { ClientEvent } from '../client/state.ts'
import { floorsNeeded, lockRules } from '../rules.ts'
import { lockServer } from '../server/machine.ts'
import { RESERVED_AHEAD, type ServerState } from '../server/state.ts'
import { type LockSettings, lockDefaults } from '../settings.ts'
import { lockVocabulary, serverRecord } from '../wire.ts'
import { lockLiars, usurping } from './liars.ts'
import { spoilerClient, strangerClient } from './stranger.ts'
import { toldTheTime } from './time.ts'
import { TokenChecker } from './tokens.ts'
import { GuardedResource } from './writes.ts'

/** What a user of the lock does, or what befalls one. */
export type LockAct =
  /** Wants the lock, holds it for a while, lets go; gives up waiting after `patience`. */
  | {
      kind: 'use'
      client: string
      name: string
      ttl: number
      hold: Micros
      patience: Micros
      wait: boolean
      /** Waits in the servers' lists, or by backing off. */
      fair: boolean
      renew: boolean
      /** Guesses its token by the wall clock, or has none that is any good. */
      guesses: boolean
    }
  /** The client's process is gone; another takes its place. */
  | { kind: 'die'; client: string }
  /** The server's disk is gone: it comes back empty, under its name. Only while all others have theirs. */
  | { kind: 'lose'; server: string; lasts: Micros }

/** Everything that is drawn for one run. */
export interface LockPlan extends Plan<LockAct> {
  readonly settings: LockSettings
  readonly clients: readonly string[]
  /** Which server lies, and how. */
  readonly liars: ReadonlyMap<NodeId, number>
  /** Clock rates by node. */
  readonly rates: ReadonlyMap<string, number>
  /** Decides when holders write to what the lock protects. */
  readonly writes: number
  /** Whether a client is there that renews what others hold (stranger.ts). */
  readonly stranger: boolean
  /** Whether one is there that asks under the largest token. */
  readonly spoiler: boolean
}

export interface LockScenarioOptions {
  /** Left out, a stranger is there only where the rule against it is broken: it asks all servers many times a second. */
  readonly stranger?: boolean
  /** In the same way. */
  readonly spoiler?: boolean
  /** In the same way: whether the last server lies by asking the others for locks. Left out of what is drawn, since it speaks all the time. */
  readonly usurper?: boolean
}

const SECOND: Micros = 1_000_000
const SAFETY = 20 * SECOND
const LIVENESS = 40 * SECOND
const TTL_MAX_MS = 3_000
const DRIFT = 0.05
/** Writes of each holding that arrive at once. */
const WRITES = 3
/** How long after its holding a late write arrives. */
const LATE_MAX = 5 * SECOND
const LOOK_EVERY = SECOND / 10
const STRANGER = 'stranger'
const FIRST_START = new Map([['', [encode(serverRecord, { kind: 'first' })]]])

/** The lock under faults and liars, for the simulator. */
export function lockScenario(
  trust: Trust,
  change: Partial<LockSettings> = {},
  options: LockScenarioOptions = {},
): Scenario<LockPlan, LockAct> {
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  const { mayKeep, tokenMax, mayAsk } = change.rules ?? lockRules
  const { stranger = mayKeep !== lockRules.mayKeep, spoiler = tokenMax !== lockRules.tokenMax } = options
  const { usurper = mayAsk !== lockRules.mayAsk } = options
  return {
    name: 'lock',
    plan: random => {
      const plan = { ...drawPlan(random, trust, servers, change), stranger, spoiler }
      return usurper ? usurped(plan, servers.at(-1)!) : plan
    },
    stage: (world, plan) => new LockStage(world, servers, plan).begin(),
  }
}

/** The place of the usurper among the kinds of liars: behind those that are drawn. */
const USURPER = lockLiars().length

function usurped(plan: LockPlan, server: NodeId): LockPlan {
  return { ...plan, liars: new Map([[server, USURPER]]), drawn: { ...plan.drawn, liars: `${server} ${usurping.name}` } }
}

function drawPlan(
  random: Random,
  trust: Trust,
  servers: readonly string[],
  change: Partial<LockSettings>,
): Omit<LockPlan, 'stranger' | 'spoiler'> {
  const settings = { ...lockDefaults, liars: trust.liars, ttlMax: TTL_MAX_MS, drift: DRIFT, ...change }
  const clients = Array.from({ length: 2 + random.below(4) }, (_, place) => `client-${place + 1}`)
  const kinds = lockLiars()
  const liars = new Map<NodeId, number>()
  for (let i = 0; i < trust.liars; i++) liars.set(pick(random, servers), random.below(kinds.length))
  const all = [...servers, ...clients]
  const names = ['a', 'b'].slice(0, 1 + random.below(2))
  const faults = drawFaults(random, { durable: servers, all }, SAFETY, 6 * SECOND)
  return {
    settings,
    clients,
    liars,
    // The adversary's clocks sit at the ends of what is allowed as often as between.
    rates: new Map(all.map(node => [node, 1 + DRIFT * pick(random, [-1, -1, 0, 1, 1, random.unit() * 2 - 1])])),
    network: drawNetwork(random),
    faults,
    acts: [...drawActs(random, clients, names), ...drawLosses(random, servers, trust.liars)],
    writes: random.below(2 ** 32),
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

function drawActs(random: Random, clients: readonly string[], names: readonly string[]): LockPlan['acts'] {
  const acts: (LockAct & { at: Micros })[] = []
  const busy = 2 + random.below(20)
  const guessing = pick(random, [1, 1, 0, 0.5])
  const fair = pick(random, [true, true, false, 'mixed'] as const)
  for (const client of clients) {
    for (let i = 0; i < busy; i++) {
      acts.push({
        kind: 'use',
        client,
        at: random.below(SAFETY),
        name: pick(random, names),
        ttl: 100 + random.below(TTL_MAX_MS - 100),
        hold: random.below(random.chance(0.3) ? 5 * SECOND : SECOND / 4),
        patience: random.below(8 * SECOND),
        wait: random.chance(0.8),
        fair: fair === 'mixed' ? random.chance(0.5) : fair,
        renew: random.chance(0.7),
        guesses: random.chance(guessing),
      })
    }
    if (random.chance(0.2)) acts.push({ kind: 'die', client, at: random.below(SAFETY) })
  }
  return acts
}

// Most runs lose none, some one or two, one after the other. Where liars that say nothing leave too few to ask, a server
// without its store waits for ever, or for its operator: none is lost there.
function drawLosses(random: Random, servers: readonly string[], liars: number): LockPlan['acts'] {
  if (servers.length - 1 - liars < floorsNeeded(servers.length, liars)) return []
  const count = pick(random, [0, 0, 1, 2])
  return Array.from({ length: count }, () => {
    return { kind: 'lose', server: pick(random, servers), lasts: random.below(2 * SECOND), at: random.below(SAFETY) }
  })
}

class LockStage extends ScenarioStage<LockPlan, LockAct, ClientEvent> {
  readonly checkers
  private readonly servers: readonly string[]
  private readonly exclusion = new ExclusionChecker()
  private readonly progress = new ProgressChecker()
  private readonly tokens = new TokenChecker()
  readonly blame = new BlameChecker()
  private readonly resource: GuardedResource
  private readonly holds = new Map<number, Micros>()
  /** One set for all servers: those that collude share what they know. */
  private readonly kinds = [...lockLiars(), usurping]
  /** Servers that lost their store and have not heard from enough others yet. */
  private readonly lost = new Set<string>()

  constructor(world: World, servers: readonly string[], plan: LockPlan) {
    super(world, plan)
    this.servers = servers
    this.resource = new GuardedResource(plan.settings.rules)
    this.checkers = [this.exclusion, this.progress, this.resource, this.tokens, this.blame]
  }

  protected populate(): void {
    const { clients, stranger, spoiler } = this.plan
    for (const server of this.servers) this.addServer(server)
    for (const client of clients) this.addClient(client)
    if (stranger) this.addStranger(STRANGER, strangerClient())
    if (spoiler) this.addStranger('spoiler', spoilerClient('a'))
  }

  protected override demand(): void {
    // Servers that restarted just now grant nothing for the longest lease.
    const ready = this.world.now + (TTL_MAX_MS + 500) * 1000
    this.world.at(ready, () => {
      for (const client of this.plan.clients) this.demandFor(client)
    })
  }

  protected override finish(): void {
    this.progress.finish(this.world.now)
  }

  private demandFor(client: string): void {
    this.progress.demand(client, this.world.now)
    this.use({
      kind: 'use',
      client,
      name: 'a',
      ttl: 1_000,
      hold: 100_000,
      patience: this.plan.ends,
      wait: true,
      fair: true,
      renew: true,
      guesses: true,
    })
  }

  private addServer(id: string): void {
    const { settings, liars, rates } = this.plan
    const kind = liars.get(id)
    // None of these kinds: somebody outside gives it its words.
    const liar = kind === undefined ? undefined : this.kinds[kind]
    const clockRate = rates.get(id)!
    const spec = {
      id,
      protocol: toldTheTime(lockServer(settings)),
      peers: this.servers,
      vocabulary: lockVocabulary,
      clockRate,
      clockOffset: 1_000 * clockRate,
      saved: FIRST_START,
      diskMax: 5_000,
    }
    this.addNode(spec, liar && (honest => liar.corrupt(honest)))
    this.world.start(id)
  }

  private addClient(client: string): void {
    const id = this.nextProcess(client)
    const { settings, rates } = this.plan
    const spec = { id, protocol: lockClient(settings), peers: this.servers, vocabulary: lockVocabulary }
    this.addNode({ ...spec, clockRate: rates.get(client)!, clockOffset: 777, returns: false })
    this.world.start(id)
  }

  private addStranger(id: NodeId, protocol: AnyProtocol): void {
    const spec = { id, protocol, peers: this.servers, vocabulary: lockVocabulary }
    this.addNode({ ...spec, returns: false, lies: true })
    this.world.start(id)
  }

  protected act(act: LockAct): void {
    if (act.kind === 'use') return this.use(act)
    if (act.kind === 'lose') return this.lose(act)
    const id = this.processOf(act.client)
    this.world.crash(id)
    this.exclusion.gone(id, this.world.now)
    this.addClient(act.client)
  }

  // One that knows nothing is as good as gone until it has heard, and two that know nothing cannot help each other: so a
  // store is lost only while no other server has lost its own.
  private lose({ server, lasts }: LockAct & { kind: 'lose' }): void {
    const { world } = this
    if (this.plan.liars.has(server) || this.lost.size > 0) return
    this.lost.add(server)
    world.lose(server)
    world.at(world.now + lasts, () => world.start(server))
    this.whenFound(server)
  }

  private whenFound(server: string): void {
    const { world } = this
    world.at(world.now + LOOK_EVERY, () => {
      const state = this.stateOf<ServerState>(server)
      if (state === undefined || state.asking !== undefined) return this.whenFound(server)
      this.lost.delete(server)
    })
  }

  private use(act: LockAct & { kind: 'use' }): void {
    const user = this.processOf(act.client)
    const id = this.nextCommand()
    this.holds.set(id, act.hold)
    const { name, ttl, wait, fair, renew } = act
    const hint = act.guesses ? Math.floor(this.world.clock(this.world.node(user)) * 1000) : 0
    this.world.command(user, { kind: 'acquire', id, name, ttl, wait, fair, renew, hint })
    this.world.at(this.world.now + act.patience, () => {
      if (this.holds.has(id)) this.world.command(user, { kind: 'release', id, name })
    })
  }

  protected observe(node: SimulatedNode, event: ClientEvent): void {
    const { world, exclusion } = this
    const { id } = node.spec
    switch (event.kind) {
      case 'acquired': {
        exclusion.acquired(event.name, id, event.token, world.now, world.whenClockShows(node, event.deadline))
        this.progress.served(this.clientOf(id))
        this.tokens.acquired(event.name, event.token, this.latestClock(), world.now)
        const hold = this.holds.get(event.id)!
        this.holds.delete(event.id)
        this.scheduleWrites(node, event, hold)
        return world.at(world.now + hold, () => world.command(id, { kind: 'release', id: event.id, name: event.name }))
      }
      case 'extended':
        return exclusion.extended(event.name, id, world.now, world.whenClockShows(node, event.deadline))
      case 'released':
        return exclusion.released(event.name, id, world.now)
      case 'lost':
        // A process that was stopped could not be told in time; its clock tells it as soon as it runs.
        if (world.now > node.resumedAt) exclusion.told(event.name, id, world.now)
        return
      case 'lied':
        return this.blame.blame(event.server, this.plan.liars.has(event.server), event.what, world.now)
      default:
        return
    }
  }

  // Some writes arrive at once. One was sent in time and arrives late: its writer was stopped, or the network slow.
  private scheduleWrites({ spec }: SimulatedNode, event: ClientEvent & { kind: 'acquired' }, hold: Micros): void {
    const { world, exclusion, resource } = this
    const { name, token } = event
    const random = seededRandom(this.plan.writes, event.id)
    const believes = () => exclusion.holds(name, spec.id, token, world.now)
    for (let i = 0; i < WRITES; i++) {
      world.at(world.now + random.below(hold + 1), () => {
        if (believes()) resource.write(name, token, world.now, true)
      })
    }
    const late = world.now + hold + random.below(LATE_MAX)
    world.at(late, () => resource.write(name, token, world.now, believes()))
  }

  /**
   * In microseconds, the clock that is farthest ahead; and what restarts may have cost. A server that crashes spends all that
   * it had reserved ahead, so that a token at the end of what clocks explain goes that much beyond.
   */
  private latestClock(): number {
    const restarts = this.servers.reduce((sum, id) => sum + Math.max(0, this.world.node(id).life - 1) / 2, 0)
    const clocks = [...this.world.nodes.values()].map(node => this.world.clock(node) * 1000)
    return Math.max(...clocks) + restarts * RESERVED_AHEAD
  }
}
