// A group that is served by other processes: mutual TLS to every server, the same object as an embedded group.

import {
  because,
  flag,
  type Millis,
  NOTHING_SAVED,
  optionsSchema,
  Refused,
  type Rules,
  required,
  textOf,
  Unavailable,
  waitTime,
} from '../core/index.ts'
import { clientNode } from '../node/client.ts'
import { commonVocabulary } from '../node/common-words.ts'
import type { ClientNodeEvent } from '../node/index.ts'
import type { Applier } from '../ordering/index.ts'
import { type Clock, clockMemory, holderClock, wallMicros } from '../runtime/clock.ts'
import { serverSettings } from '../runtime/config/agreed.ts'
import { type ClientConfig, loadClientConfig } from '../runtime/config/config.ts'
import { Driver } from '../runtime/driver.ts'
import { sha256 } from '../runtime/hash.ts'
import type { Log } from '../runtime/transport/index.ts'
import { instanceOf, newInstance } from '../runtime/transport/instance.ts'
import { SETTINGS_DIFFER } from '../runtime/transport/settings.ts'
import { createTlsTransport, type TlsTransport } from '../runtime/transport/tls.ts'
import { Group, type GroupDriver, type GroupShape } from './group.ts'
import type { WorkerKeeper } from './keeper.ts'
import { type LogTarget, logRule, logTo } from './log.ts'
import type { ClientMeter, MetricsOptions } from './metrics.ts'
import { metricsRule } from './metrics-rule.ts'
import { saidBy } from './questions.ts'
import { waitRules, within } from './waiting.ts'

/** How to reach a group that other processes serve. */
export interface ConnectOptions {
  /** The client's folder, as `coterie init` made it, or its coterie.toml; or that of a member that is a client, too. */
  readonly config: string
  /** How long to wait until enough servers are connected. Default 10 s. */
  readonly timeout?: Millis
  readonly signal?: AbortSignal
  /** Connect even if too few servers answer: for looking at a group that is not well. */
  readonly anyway?: boolean
  /**
   * Leases are renewed by a worker thread, also while the main thread is blocked, but for no longer than this: a process
   * that hangs for ever must lose its locks. Default 60 s. 0: no worker thread, the main thread renews.
   */
  readonly blockedMax?: Millis
  /** Where the connections' log goes: a function, a logger such as pino, or `console`. Default: nowhere. */
  readonly log?: LogTarget
  /** Where this connection puts its numbers: a registry of prom-client. Default: nowhere. */
  readonly metrics?: MetricsOptions
}

export const connectRules: Rules<ConnectOptions> = {
  config: required(textOf("the client's folder, as coterie init made it, or its coterie.toml")),
  ...waitRules,
  anyway: flag,
  blockedMax: waitTime,
  log: logRule,
  metrics: metricsRule,
}
const checkOptions = optionsSchema<ConnectOptions>(connectRules)

const TIMEOUT_DEFAULT_MS = 10_000
const BLOCKED_MAX_DEFAULT_MS = 60_000

/** Connects to the servers of a group, as the client whose folder is given. Resolves when enough of them answer. */
export async function connect(options: ConnectOptions): Promise<Group> {
  checkOptions('connect', options)
  return connectAs(Group, options)
}

/** What a program may use; a command leaves out what it does not, and starts sooner. */
export interface Parts {
  readonly ledgers?: boolean
  readonly events?: boolean
  readonly recipes?: boolean
}

/** A group of any class that is one: `MemberGroup` is another. */
export async function connectAs<G extends Group>(
  Kind: Kind<G>,
  options: ConnectOptions,
  { ledgers = true, events = true, recipes = true }: Parts = {},
): Promise<G> {
  const config = await loadClientConfig(options.config)
  const { blockedMax = BLOCKED_MAX_DEFAULT_MS } = options
  const arrivals = new Arrivals(config)
  const log = arrivals.listenTo(logTo(options.log))
  const { group, close } = await open(Kind, config, log, arrivals, { ...options, blockedMax, ledgers, events, recipes })
  try {
    await arrivals.enough(options.timeout ?? TIMEOUT_DEFAULT_MS, options.signal)
  } catch (error) {
    if (options.anyway && error instanceof Unavailable) return group
    await close()
    throw error
  }
  return group
}

type Kind<G> = new (shape: GroupShape, driver: GroupDriver) => G
type Opening = Pick<ConnectOptions, 'metrics'> & {
  readonly blockedMax: Millis
} & Required<Parts>

async function open<G extends Group>(
  Kind: Kind<G>,
  config: ClientConfig,
  log: Log,
  arrivals: Arrivals,
  { metrics, blockedMax, ledgers, events: hasEvents, recipes }: Opening,
) {
  const { trust, lock, objects, operators, events: kept } = config.group
  const servers = config.group.servers.map(server => server.name)
  const [memory, instance] = [clockMemory(), newInstance()]
  const clock = holderClock(memory)
  const appliers = new Map<string, Applier>()
  const meter = metrics && (await meterOf(metrics, config.name, clock))
  const ledger = ledgers ? await ledgerOf(config) : undefined
  const { events, openEvents } = hasEvents ? await eventsOf(config) : {}
  const { openRecipes } = recipes ? await import('./objects/group-recipes.ts') : {}
  const brought = { hash: sha256, findApplier: (object: string) => appliers.get(object), ledger, events }
  let group: G | undefined
  let keeper: WorkerKeeper | undefined
  const driver = new Driver({
    protocol: clientNode({ trust, lock, objects, operators }, brought),
    self: instanceOf(config.name, instance),
    ...{ peers: servers, vocabulary: await wordsOf(ledgers || hasEvents), clock, log, saved: NOTHING_SAVED },
    news: () => keeper?.news() ?? [],
    event: event => hear(event, group, transport),
    ...(meter && { meter: meter.meter }),
    failed: error => group?.ended(error),
    up: peer => arrivals.up(peer),
    down: (peer, why) => arrivals.down(peer, why),
  })
  const { addresses, ...link } = linkOf(config)
  const transport = await createTlsTransport({ ...link, log, addresses, instance }, driver.events)
  const shared = { ...keeperSettings(config), addresses, blockedMax, holder: transport.self, clock: memory }
  if (blockedMax > 0) keeper = await keeperOf(shared, clock, log)
  const close = async () => {
    await driver.stop()
    await Promise.all([transport.close(), keeper?.close()])
    meter?.end()
  }
  group = new Kind(
    { trust, ...lock, ...objects, servers, ...(kept && { keepMax: kept.keepMax }) },
    {
      command: body => driver.command(body),
      now: clock,
      wallMicros,
      close,
      ...arrivals.connections(),
      ...(openEvents && { openEvents }),
      keepsLedgers: ledger !== undefined,
      openLedgers: () => import('./ledger/ledgers.ts'),
      ...(openRecipes && { openRecipes }),
      appliers,
      ...(keeper && { keeper }),
    },
  )
  meter?.measure(driver, transport)
  driver.start(transport)
  return { group, close }
}

/** A server that was caught lying is listened to slowly. */
function hear(event: ClientNodeEvent, group: Group | undefined, transport: TlsTransport): void {
  if (event.body.kind === 'lied') transport.distrust(event.body.server)
  group?.event(event)
}

function linkOf(config: ClientConfig) {
  const addresses = new Map(config.group.servers.map(({ name, host, port }) => [name, { host, port }]))
  return { addresses, credentials: config, authority: config.authority, settings: serverSettings(config.group) }
}

/** Words of ledgers and events are loaded for programs that may use them. */
async function wordsOf(all: boolean) {
  return all ? (await import('../node/words.ts')).nodeVocabulary : commonVocabulary
}

/** Loaded for programs that may use ledgers: commands that ask one question do not pay for it. */
async function ledgerOf({ group }: ClientConfig) {
  const [{ ledgerClientPart }, { ledgerCryptoOf }] = await Promise.all([
    import('../node/ledger.ts'),
    import('../runtime/ledger.ts'),
  ])
  return ledgerClientPart(group, ledgerCryptoOf())
}

/** As the ledger's: loaded for programs that may use events. */
async function eventsOf(config: ClientConfig) {
  const [{ eventsClientPart }, { eventKeys, eventSigner }, { GroupEvents }] = await Promise.all([
    import('../node/events.ts'),
    import('../runtime/events.ts'),
    import('./events/group-events.ts'),
  ])
  const { group, authority } = config
  const keys = eventKeys(group.id, authority)
  const events = eventsClientPart(group, { group: group.id, hash: sha256, keys, ...eventSigner(config) })
  const openEvents: GroupDriver['openEvents'] = below => new GroupEvents(below)
  return { events, openEvents }
}

/** Loaded where somebody wants numbers: most programs do not. */
async function meterOf(metrics: MetricsOptions, name: string, clock: Clock) {
  const [{ ClientMeter: Meter }, { measureTraffic }] = await Promise.all([
    import('./metrics.ts'),
    import('../runtime/metrics/traffic.ts'),
  ])
  const meter: ClientMeter = new Meter(metrics, name, clock)
  type Measured = Parameters<typeof measureTraffic>
  const measure = (driver: Measured[2], transport: ReturnType<Measured[3]>) =>
    measureTraffic(meter.book, 'client_', driver, () => transport)
  return { meter, measure, end: () => meter.close() }
}

async function keeperOf(...args: ConstructorParameters<typeof WorkerKeeper>): Promise<WorkerKeeper> {
  const { WorkerKeeper: Keeper, warnWithoutWorker } = await import('./keeper.ts')
  warnWithoutWorker()
  return new Keeper(...args)
}

function keeperSettings({ group, authority, certificate, key }: ClientConfig) {
  const { trust, lock, operators } = group
  return {
    settings: { trust, lock, operators },
    agreed: serverSettings(group),
    authority,
    credentials: { certificate, key },
  }
}

/** Who is connected, and why the others are not. */
class Arrivals {
  private readonly config: ClientConfig
  private readonly here = new Set<string>()
  private readonly whys = new Map<string, string>()
  private readonly refused = new Set<string>()
  private wake: (() => void) | undefined

  constructor(config: ClientConfig) {
    this.config = config
  }

  up(peer: string): void {
    this.here.add(peer)
    if (this.here.size >= this.config.group.trust.lockGrants) this.wake?.()
  }

  down(peer: string, why: string): void {
    this.here.delete(peer)
    this.whys.set(peer, why)
  }

  connections(): Pick<GroupDriver, 'whySilent' | 'isConnected'> {
    return { whySilent: server => this.whySilent(server), isConnected: server => this.here.has(server) }
  }

  whySilent(server: string): string {
    const address = this.config.group.servers.find(({ name }) => name === server)
    const why = this.here.has(server) ? 'connected, but silent' : (this.whys.get(server) ?? 'not connected yet')
    return `${why} (${address?.host}:${address?.port})`
  }

  /** What the transport logs is also what the user should hear if it does not work out. */
  listenTo(log: Log): Log {
    return (level, message, fields) => {
      const { peer, why } = fields
      if (typeof peer === 'string' && typeof why === 'string') {
        this.whys.set(peer, why)
        if (message === 'connection refused') this.refused.add(peer)
        else this.refused.delete(peer)
      }
      log(level, message, fields)
    }
  }

  enough(timeout: Millis, signal: AbortSignal | undefined): Promise<void> {
    if (this.here.size >= this.config.group.trust.lockGrants) return Promise.resolve()
    const arrived = new Promise<void>(resolve => {
      this.wake = resolve
    })
    return within(arrived, { timeout, ...(signal && { signal }) }, (why, cause) =>
      why === 'timeout' ? this.tooFew(timeout) : because(new Unavailable('connecting was cancelled'), cause),
    )
  }

  private tooFew(timeout: Millis): Unavailable | Refused {
    const { servers, trust } = this.config.group
    const said = saidBy(
      servers.map(({ name }) => name),
      name => (this.here.has(name) ? 'connected' : this.whySilent(name)),
    )
    const found = `${this.here.size} of ${servers.length} servers connected within ${timeout} ms, and locks need ${trust.lockGrants}.`
    if (this.refused.size > servers.length - trust.lockGrants) {
      const differs = [...this.refused].some(server => this.whys.get(server)?.includes(SETTINGS_DIFFER))
      const advice = differs
        ? `Settings differ between ${this.config.file} and those of the servers: give all copies the same (coterie doctor on the group's folder compares them).`
        : `The certificates do not match: is this the folder of a client of that group? (coterie doctor ${this.config.folder})`
      return new Refused(`${found} ${advice} ${said.list}`, said.answers)
    }
    const advice = `Check that they run (coterie status, coterie doctor ${this.config.folder}).`
    return new Unavailable(`${found} ${advice} ${said.list}`, said.answers)
  }
}
