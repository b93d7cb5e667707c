// The printed lock in the only runs for which it promises anything: synchronous ones. Every message arrives within δ,
// nothing is lost, clocks do not drift. Of the servers, b are faulty: they lie, or crash and come back. Clients come
// in bursts, so that they meet, and may crash.
//
// With n ≥ 2f + 3b + 1 servers there are never two holders. With n = 5b there are: ask for it with `unsafe`. There are
// also when messages may be late: ask for it with `late`.

import { type NodeId, printedLockServersNeeded, type Random, SERVERS_MAX, SettingsError } from '../../core/index.ts'
import {
  ExclusionChecker,
  type Fault,
  type Micros,
  type NetworkFaults,
  type Plan,
  ProgressChecker,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type Timed,
  type World,
} from '../../simulator/index.ts'
import { printedClient } from './client.ts'
import { printedLiars } from './liars.ts'
import { printedServer } from './server.ts'
import { type PrintedEvent, type PrintedSettings, printedVocabulary } from './wire.ts'

/** The size of the group, and whether the run may leave what the paper assumes. */
export interface PrintedScenarioOptions {
  /** n; by default as many as the rule needs. */
  readonly servers?: number
  /** b */
  readonly liars?: number
  /** f, liars included. */
  readonly crashes?: number
  /** Allow fewer servers than the rule needs, to see what happens. */
  readonly unsafe?: boolean
  /** Some messages take longer than δ: the run is not synchronous, and the paper promises nothing. */
  readonly late?: boolean
  /** What §5 adds: see `PrintedSettings`. */
  readonly additions?: Pick<PrintedSettings, 'disregardsLate' | 'delaysReplies' | 'backoff'>
}

/** What a user of the printed lock does. */
export type PrintedAct = { kind: 'contend'; client: string } | { kind: 'die'; client: string }

/** Everything that is drawn for one run. */
export interface PrintedPlan extends Plan<PrintedAct> {
  readonly settings: PrintedSettings
  readonly clients: readonly string[]
  /** Which server lies, and how. */
  readonly liars: ReadonlyMap<NodeId, number>
}

const SECOND: Micros = 1_000_000
const SAFETY = 10 * SECOND
/** Long: a client that was unlucky ten times sleeps for two minutes. */
const LIVENESS = 240 * SECOND
const CLIENTS_MAX = 5
const BURSTS_MAX = 8
/** At least what the simulator's calm network takes, so that a healed run is synchronous too. */
const DELAY_MAX_LEAST = 2
const LOCK = 'the lock'

/** The printed lock with liars and crashes, for the simulator. */
export function printedScenario(options: PrintedScenarioOptions = {}): Scenario<PrintedPlan, PrintedAct> {
  const liars = options.liars ?? 1
  const crashes = options.crashes ?? liars
  const count = options.servers ?? printedLockServersNeeded(liars, crashes)
  refuse(count, liars, crashes, options.unsafe ?? false)
  const servers = Array.from({ length: count }, (_, place) => `server-${place + 1}`)
  return {
    name: 'printed lock',
    plan: random => {
      const drawn = drawPlan(random, servers, liars, crashes)
      const plan = { ...drawn, settings: { ...drawn.settings, ...options.additions } }
      return options.late ? { ...plan, network: withLateMessages(plan) } : plan
    },
    stage: (world, plan) => new PrintedStage(world, servers, plan).begin(),
  }
}

function refuse(servers: number, liars: number, crashes: number, unsafe: boolean): void {
  const whole = [servers, liars, crashes].every(number => Number.isInteger(number) && number >= 0)
  if (!whole || servers > SERVERS_MAX || liars > crashes || servers <= crashes) {
    throw new SettingsError(
      `The printed lock cannot run with servers: ${servers}, liars: ${liars}, crashes: ${crashes}: ` +
        `crashes counts the liars too, and some of at most ${SERVERS_MAX} servers must be left.`,
    )
  }
  const needed = printedLockServersNeeded(liars, crashes)
  if (servers >= needed || unsafe) return
  throw new SettingsError(
    `The printed lock is not safe with ${servers} servers, liars: ${liars} and crashes: ${crashes}: ` +
      `it takes ${needed} servers. Ask for 'unsafe' to see two holders.`,
  )
}

function drawPlan(random: Random, servers: readonly string[], liarCount: number, crashes: number): PrintedPlan {
  const delayMax = DELAY_MAX_LEAST + random.below(20)
  const settings = { liars: liarCount, crashes, hold: 20 + random.below(200), delayMax }
  const clients = Array.from({ length: 2 + random.below(CLIENTS_MAX - 1) }, (_, place) => `client-${place + 1}`)
  const kinds = printedLiars()
  const liars = new Map<NodeId, number>()
  const faults: Timed<Fault>[] = []
  for (const server of shuffled(random, servers).slice(0, liarCount)) {
    if (random.chance(0.85)) liars.set(server, random.below(kinds.length))
    else faults.push(...drawCrashes(random, server))
  }
  const delayMin = random.below(delayMax * 500)
  return {
    settings,
    clients,
    liars,
    network: {
      delayMin,
      // Uniform in [0, spread): the largest delay is below δ.
      delaySpread: delayMax * 1000 - delayMin,
      tailChance: 0,
      tailMax: 0,
      loss: 0,
      duplication: 0,
      inOrder: random.chance(0.5),
    },
    faults,
    acts: drawActs(random, clients, settings),
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      servers: servers.length,
      clients: clients.length,
      liars: [...liars].map(([server, kind]) => `${server} ${kinds[kind]!.name}`).join(', ') || 'none',
      hold: settings.hold,
      delayMax,
    },
  }
}

/** One message in twenty is later than it may be, by up to three times the time that a holder runs. */
function withLateMessages({ network, settings }: PrintedPlan): NetworkFaults {
  return { ...network, tailChance: 0.05, tailMax: 3_000 * settings.hold, inOrder: false }
}

function drawCrashes(random: Random, node: string): Timed<Fault>[] {
  const at = random.below(SAFETY / 2)
  return [{ kind: 'crash', node, at, lasts: 1 + random.below(SECOND / 2), clean: random.chance(0.25) }]
}

function drawActs(random: Random, clients: readonly string[], settings: PrintedSettings): Timed<PrintedAct>[] {
  const acts: Timed<PrintedAct>[] = []
  for (let burst = 1 + random.below(BURSTS_MAX); burst > 0; burst--) {
    const start = random.below(SAFETY / 2)
    // At once, or up to a round trip apart: so close that some servers hear one client first, some another.
    const apart = 1 + random.below(settings.delayMax * 2000)
    // Often only two: among many, nobody hears enough servers say FREE.
    const crowd = random.chance(0.5) ? clients : shuffled(random, clients).slice(0, 2)
    for (const client of crowd) {
      if (random.chance(0.8)) acts.push({ kind: 'contend', client, at: start + random.below(apart) })
    }
  }
  for (const client of clients) {
    if (random.chance(0.1)) acts.push({ kind: 'die', client, at: random.below(SAFETY / 2) })
  }
  return acts
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items]
  const out: T[] = []
  while (left.length > 0) {
    const next = pick(random, left)
    left.splice(left.indexOf(next), 1)
    out.push(next)
  }
  return out
}

class PrintedStage extends ScenarioStage<PrintedPlan, PrintedAct, PrintedEvent> {
  readonly checkers
  private readonly servers: readonly string[]
  private readonly exclusion = new ExclusionChecker()
  private readonly progress = new ProgressChecker()
  /** Clients that must still be served once everything is healed. */
  private readonly owed = new Set<string>()
  private tokens = 0

  constructor(world: World, servers: readonly string[], plan: PrintedPlan) {
    super(world, plan)
    this.servers = servers
    this.checkers = [this.exclusion, this.progress]
  }

  protected override populate(): void {
    const kinds = printedLiars()
    for (const id of this.servers) this.addServer(id, kinds)
    for (const client of this.plan.clients) this.addClient(client)
  }

  protected override demand(): void {
    const { world, plan } = this
    const apart = 1000 * (plan.settings.hold + 4 * plan.settings.delayMax)
    for (const [place, client] of plan.clients.entries()) {
      this.progress.demand(client, world.now)
      this.owed.add(client)
      world.at(world.now + place * apart, () => this.act({ kind: 'contend', client }))
    }
  }

  protected override finish(): void {
    this.progress.finish(this.world.now)
  }

  private addServer(id: string, kinds: ReturnType<typeof printedLiars>): void {
    const liar = this.plan.liars.get(id)
    const protocol = printedServer(this.plan.settings)
    const spec = { id, protocol, peers: [], vocabulary: printedVocabulary, clockOffset: 1_000 }
    // None of these kinds: somebody outside gives it its words.
    this.addNode(spec, liar === undefined ? undefined : kinds[liar]?.corrupt)
    this.world.start(id)
  }

  private addClient(client: string): void {
    const id = this.nextProcess(client)
    const protocol = printedClient(this.plan.settings)
    this.addNode({ id, protocol, peers: this.servers, vocabulary: printedVocabulary, returns: false })
    this.world.start(id)
  }

  protected override act(act: PrintedAct): void {
    const id = this.processOf(act.client)
    if (act.kind === 'contend') return this.world.command(id, { kind: 'contend', id: this.nextCommand() })
    // Nobody is told that the holder is gone: lemma 1 keeps the others out for Δ all the same.
    this.world.crash(id)
    this.addClient(act.client)
  }

  protected override observe(node: SimulatedNode, event: PrintedEvent): void {
    const { id } = node.spec
    const client = this.clientOf(id)
    // A client that was inside when it was told to contend does so now.
    if (event.kind === 'left' && this.owed.has(client)) return this.act({ kind: 'contend', client })
    if (event.kind !== 'entered') return
    // Lemma 1 names the closed interval [T, T + Δ]: the last microsecond is in it.
    const until = this.world.whenClockShows(node, event.deadline) + 1
    this.exclusion.acquired(LOCK, id, ++this.tokens, this.world.now, until)
    this.progress.served(client)
    this.owed.delete(client)
  }
}
