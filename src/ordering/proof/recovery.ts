// Objects that must recover: what the plain scenario leaves out. Servers lose their stores and rejoin, or are paused for ten
// minutes; logs are shortened all the time; clients watch, cancel, close, end their sessions and open others; what is
// bound to a session goes with it.

import { encode, type NodeId, type Random, type Saved, type Trust } from '../../core/index.ts'
import type { Micros, Scenario, SimulatedNode, Timed } from '../../simulator/index.ts'
import { pick } from '../../simulator/index.ts'
import type { Applier } from '../applier.ts'
import type { OrderingEvent } from '../client/commands.ts'
import { orderingServer } from '../server/machine.ts'
import { serverRecord } from '../server/records.ts'
import type { ServerState } from '../server/state.ts'
import type { OrderingSettings } from '../settings.ts'
import { decodeWords, encodeWords, registers } from './register.ts'
import {
  drawPlan,
  KEYS,
  LIVENESS,
  type OrderingAct,
  type OrderingPlan,
  OrderingStage,
  SAFETY,
  SECOND,
} from './scenario.ts'
import { BoundChecker, OneTableChecker, WatchChecker } from './watch-history.ts'

type Hardship =
  /** The server's disk is gone: it comes back empty, under its name. Only while all others have theirs. */
  | { kind: 'lose'; server: string; lasts: Micros }
  /** The whole table, or what one server has; the checker looks at one key of it. */
  | { kind: 'copy' | 'stale'; client: string; object: string; key: string }
  /** Waits no longer for whatever it asked for last. */
  | { kind: 'cancel'; client: string }
  | { kind: 'close' | 'end'; client: string; object: string }

type Act = OrderingAct | Hardship

interface HardshipPlan extends OrderingPlan {
  /** Which clients watch all objects. */
  readonly watchers: ReadonlySet<string>
}

/** The record of a server that is a member for long: only one that has lost it must rejoin. */
const MEMBER: Saved = new Map([['', [encode(serverRecord, { kind: 'rejoin', object: '', done: true })]]])
const LONG_PAUSE: Micros = 600 * SECOND
/** A session of at most three seconds whose client is gone is over after this, with time for those who end it. */
const SESSION_OVER: Micros = 12 * SECOND

/** Longer logs are read at crashes only. What goes wrong goes wrong where a log is cut short, and that is short then. */
const REPLAYED_MAX = 200
const REPLAY_EVERY: Micros = SECOND / 3
const LONG_SUFFIX = 1_000

/** Every session that has applied something has an entry, which goes with it. */
export const bound: Applier = {
  apply(view, operation, context) {
    view.set(`bound ${context.session}`, encodeWords(context.client))
    return registers.apply(view, operation, context)
  },
  ended: (view, session) => view.remove(`bound ${session}`),
}

/** Servers that lose their stores and rejoin, for the simulator. */
export function recoveryScenario(
  trust: Trust,
  change: Partial<OrderingSettings> = {},
): Scenario<HardshipPlan, OrderingAct> {
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  return {
    name: 'ordering-recovery',
    plan: random => drawHardship(random, trust, servers, change),
    stage: (world, plan) => new HardshipStage(world, servers, plan).begin(),
  }
}

function drawHardship(
  random: Random,
  trust: Trust,
  servers: readonly string[],
  change: Partial<OrderingSettings>,
): HardshipPlan {
  const own = {
    findApplier: () => bound,
    rejoins: true,
    attemptMax: pick(random, [2_000, 4_000]),
    checkpointBytesMin: pick(random, [500, 5_000, 50_000]),
    checkpointPageBytes: pick(random, [100, 2_000]),
  }
  const copyPageBytes = pick(random, [4_000, 20_000])
  const drawn = { ...drawPlan(random, trust, servers, { ...own, ...change }), spoiler: false }
  // Who forgets changes at once can hand out a copy in one page only: the next one would be too late.
  const { recentChangesMax } = drawn.settings
  const plan = recentChangesMax < LONG_SUFFIX ? drawn : { ...drawn, settings: { ...drawn.settings, copyPageBytes } }
  const acts: Timed<Act>[] = [...plan.acts, ...drawHardActs(random, plan, servers)]
  const watchers = new Set(plan.clients.filter(() => random.chance(0.5)))
  const long = random.chance(0.1)
  return {
    ...plan,
    acts: acts as Timed<OrderingAct>[],
    watchers,
    ...(long ? pausedForLong(random, plan, servers) : {}),
    drawn: { ...plan.drawn, long: long ? 'yes' : 'no', watchers: watchers.size },
  }
}

// A paused server's connections fill up meanwhile; everybody else goes on, and a second part of the work comes after.
function pausedForLong(random: Random, plan: OrderingPlan, servers: readonly string[]) {
  const healsAt = LONG_PAUSE + 2 * SAFETY
  const pause = { kind: 'pause' as const, node: pick(random, servers), lasts: LONG_PAUSE, at: random.below(SAFETY) }
  return { ttl: 10_000, faults: [...plan.faults, pause], healsAt, ends: healsAt + LIVENESS }
}

function drawHardActs(random: Random, plan: OrderingPlan, servers: readonly string[]): Timed<Act>[] {
  const acts: Timed<Act>[] = []
  const kinds = (['lose', 'copy', 'stale', 'cancel', 'close', 'end'] as const).filter(() => random.chance(0.6))
  const count = kinds.length === 0 ? 0 : random.below(40)
  for (let i = 0; i < count; i++) {
    const kind = pick(random, kinds)
    const at = random.below(SAFETY)
    const client = pick(random, plan.clients)
    const object = pick(random, plan.objects)
    if (kind === 'lose') acts.push({ kind, server: pick(random, servers), lasts: 1 + random.below(SECOND), at })
    else if (kind === 'cancel') acts.push({ kind, client, at })
    else if (kind === 'close' || kind === 'end') acts.push({ kind, client, object, at })
    else acts.push({ kind, client, object, key: pick(random, KEYS), at })
  }
  return acts
}

function isWhole({ rejoin, objects }: ServerState): boolean {
  return rejoin === undefined && [...objects.values()].every(one => one.content.version === one.committed.version)
}

class HardshipStage extends OrderingStage {
  /** The newest version of each object that was decided, and the newest early enough for its sessions to run out. */
  private readonly newest = new Map<string, number>()
  private readonly settled = new Map<string, number>()
  private readonly watches = new WatchChecker()
  private readonly bound = new BoundChecker()
  private readonly tables = new OneTableChecker()
  private readonly copies = new Map<number, Hardship & { kind: 'copy' | 'stale' }>()
  private readonly watchers = (this.plan as HardshipPlan).watchers
  /** The last record of each server whose log was read, and when it is to be read again. */
  private readonly replayed = new Map<NodeId, Uint8Array | undefined>()
  private readonly nextReplay = new Map<NodeId, Micros>()
  /** The watch of each user at each object. */
  private readonly watchIds = new Map<string, number>()

  override begin(): this {
    this.checkers.push(this.watches, this.bound, this.tables)
    return super.begin()
  }

  protected override look(state: ServerState): void {
    super.look(state)
    const { life } = this.world.node(state.self)
    for (const { name, content } of state.objects.values()) {
      this.tables.look(state.self, `life ${life}`, name, content, this.world.now)
    }
    if (this.world.now >= (this.nextReplay.get(state.self) ?? 0)) this.replay(state)
  }

  // What it would come back with if it crashed now: seldom does a crash come at the one moment at which that is wrong.
  private replay({ self, servers }: ServerState): void {
    this.nextReplay.set(self, this.world.now + REPLAY_EVERY)
    const saved = this.world.node(self).disk.read()
    const records = saved.get('') ?? []
    const last = records.at(-1)
    if (last === this.replayed.get(self) || records.length > REPLAYED_MAX) return
    this.replayed.set(self, last)
    const { objects } = orderingServer(this.settingsOf(self)).init(self, servers, saved)
    for (const { name, content } of objects.values()) {
      this.tables.look(self, `log up to ${this.world.now}`, name, content, this.world.now)
    }
  }

  protected override kept() {
    return { saved: MEMBER }
  }

  protected override addClient(client: string): void {
    super.addClient(client)
    if (!this.watchers.has(client)) return
    for (const object of this.plan.objects) this.watch(this.processOf(client), object)
  }

  private watch(user: NodeId, object: string, from?: number): void {
    const id = this.nextCommand()
    this.watchIds.set(`${user} ${object}`, id)
    this.watches.asked(id, object, from)
    this.world.command(user, { kind: 'watch', id, object, ...(from === undefined ? {} : { from }) })
  }

  protected override act(act: Act): void {
    switch (act.kind) {
      case 'lose':
        return this.lose(act.server, act.lasts)
      case 'cancel':
        return this.cancel(act.client)
      case 'close':
        return this.close(this.processOf(act.client), act.object)
      case 'end': {
        const user = this.processOf(act.client)
        return this.world.command(user, { kind: 'end', id: this.nextCommand(), object: act.object })
      }
      case 'copy':
      case 'stale':
        return this.lookInto(act)
      default:
        return super.act(act)
    }
  }

  // A lost store is a fault that lasts until its server has rejoined and has the content again; one at a time.
  private lose(server: string, lasts: Micros): void {
    const whole = [...this.honest()].filter(isWhole)
    if (whole.length < this.servers.length - this.plan.liars.size || this.plan.liars.has(server)) return
    this.world.lose(server)
    this.world.at(this.world.now + lasts, () => this.world.start(server))
  }

  private cancel(client: string): void {
    const user = this.processOf(client)
    const last = [...this.asked].filter(([, act]) => act.client === client).at(-1)
    if (last !== undefined) this.world.command(user, { kind: 'cancel', id: last[0], object: last[1].object })
  }

  // And uses it again at once: the session of before runs out, the watch goes on from where it was.
  private close(user: NodeId, object: string): void {
    const { world, watches } = this
    // It would hear of it only later, and what it is told until then is right.
    if (world.node(user).paused) return
    world.command(user, { kind: 'close', object })
    this.open(user, object)
    const watch = this.watchIds.get(`${user} ${object}`)
    if (watch !== undefined) this.watch(user, object, watches.over(watch))
  }

  private lookInto(act: Hardship & { kind: 'copy' | 'stale' }): void {
    const id = this.nextCommand()
    const { object, key } = act
    this.copies.set(id, act)
    this.began.set(id, this.world.now)
    const user = this.processOf(act.client)
    if (act.kind === 'copy') return this.world.command(user, { kind: 'copy', id, object })
    this.world.command(user, { kind: 'read', id, object, keys: [`key ${key}`], stale: true })
  }

  protected override observe(node: SimulatedNode, event: OrderingEvent): void {
    this.watches.observe(event, this.world.now)
    if (event.kind === 'decided') this.decided(event.object, event.head.version)
    if (event.kind === 'copied') {
      const act = this.copies.get(event.id)
      if (act !== undefined) this.saw(event.id, act, event.table.get(`key ${act.key}`), event.version)
    } else if (event.kind === 'value') {
      const act = this.copies.get(event.id)
      // One server that lies may say anything to who asks only one.
      if (act !== undefined && this.plan.settings.liars > 0) return
      if (act !== undefined) return this.saw(event.id, act, event.entries[0]?.value, event.version)
    }
    super.observe(node, event)
  }

  private decided(object: string, version: number): void {
    raise(this.newest, object, version)
    if (this.world.now < this.plan.ends - SESSION_OVER) raise(this.settled, object, version)
  }

  // A stale value must be true of its version; a copy must be as new as a read besides.
  private saw(id: number, act: Hardship & { kind: 'copy' | 'stale' }, stored: Uint8Array | undefined, version: number) {
    const { object, key } = act
    const began = act.kind === 'copy' ? this.began.get(id)! : 0
    const value = stored === undefined ? '' : decodeWords<string>(stored)
    const ended = act.kind === 'copy' ? this.world.now : Number.POSITIVE_INFINITY
    this.history.read({ object, key, value, version, began, ended })
  }

  protected override finish(): void {
    super.finish()
    const { world, plan } = this
    const living = new Set(plan.clients.map(client => this.processOf(client)))
    const expired = plan.ttl <= 3_000
    for (const [place, id] of this.watchIds) {
      const [user, object] = place.split(' ') as [NodeId, string]
      if (living.has(user)) this.watches.demand(id, this.settled.get(object) ?? 0, world.now)
    }
    for (const { self, objects } of this.honest()) {
      for (const { name, content, committed } of objects.values()) {
        if (content.version !== committed.version) continue
        // A server that missed the last commit hears of it with the next operation. A word of somebody who is gone may
        // come late and open a session, which then needs its time, too.
        const demanded = expired && content.version === this.newest.get(name) ? living : undefined
        this.bound.look(self, content, demanded, this.settled.get(name) ?? 0, world.now)
        this.watches.compare(self, name, content, world.now)
      }
    }
  }
}

function raise(versions: Map<string, number>, object: string, version: number): void {
  versions.set(object, Math.max(version, versions.get(object) ?? 0))
}
