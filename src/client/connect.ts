// A group that is served by other processes: mutual TLS to every server, the same object as an embedded group.

import { type Millis, NOTHING_SAVED, Refused, SettingsError, Unavailable } from '../core/index.ts'
import { clientNode, nodeVocabulary } from '../node/index.ts'
import type { Applier } from '../ordering/index.ts'
import { clockMemory, holderClock, wallMicros } from '../runtime/clock.ts'
import { serverSettings } from '../runtime/config/agreed.ts'
import { type ClientConfig, loadNodeConfig } from '../runtime/config/config.ts'
import { Driver } from '../runtime/driver.ts'
import { sha256 } from '../runtime/hash.ts'
import { ledgerCryptoOf } from '../runtime/ledger.ts'
import { silence } from '../runtime/log.ts'
import { createTlsTransport, instanceOf, type Log, newInstance, SETTINGS_DIFFER } from '../runtime/transport/index.ts'
import { Group } from './group.ts'
import type { WorkerKeeper } from './keeper.ts'
import { saidBy } from './questions.ts'
import { checkTimeout, within } from './waiting.ts'

/** How to reach a group that other processes serve. */
export interface ConnectOptions {
  /** The client's folder, as `coterie init` made it, or its coterie.toml. */
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
  readonly log?: Log
}

const TIMEOUT_DEFAULT_MS = 10_000
const BLOCKED_MAX_DEFAULT_MS = 60_000

/** Connects to the servers of a group, as the client whose folder is given. Resolves when enough of them answer. */
export async function connect(options: ConnectOptions): Promise<Group> {
  const config = await loadNodeConfig(options.config)
  if (config.role !== 'client') {
    throw new SettingsError(
      `${config.file} is a ${config.role}'s; connect with a client's folder (coterie client add NAME makes one).`,
    )
  }
  const { blockedMax = BLOCKED_MAX_DEFAULT_MS } = options
  if (!(blockedMax >= 0)) throw new SettingsError(`blockedMax is ${blockedMax}; it must be 0 or more.`)
  checkTimeout(options.timeout)
  const arrivals = new Arrivals(config)
  const { group, close } = await open(config, arrivals.listenTo(options.log ?? silence), blockedMax, arrivals)
  try {
    await arrivals.enough(options.timeout ?? TIMEOUT_DEFAULT_MS, options.signal)
  } catch (error) {
    if (options.anyway && error instanceof Unavailable) return group
    await close()
    throw error
  }
  return group
}

async function open(config: ClientConfig, log: Log, blockedMax: Millis, arrivals: Arrivals) {
  const { trust, lock, objects, operators } = config.group
  const servers = config.group.servers.map(server => server.name)
  const memory = clockMemory()
  const instance = newInstance()
  const clock = holderClock(memory)
  const appliers = new Map<string, Applier>()
  let group: Group | undefined
  let keeper: WorkerKeeper | undefined
  const driver = new Driver({
    protocol: clientNode(
      { trust, lock, objects, operators },
      { hash: sha256, findApplier: object => appliers.get(object), ledgerCrypto: ledgerCryptoOf() },
    ),
    self: instanceOf(config.name, instance),
    peers: servers,
    vocabulary: nodeVocabulary,
    clock,
    log,
    saved: NOTHING_SAVED,
    news: () => keeper?.news() ?? [],
    event: event => group?.event(event),
    failed: error => group?.ended(error),
    up: peer => arrivals.up(peer),
    down: (peer, why) => arrivals.down(peer, why),
  })
  const addresses = new Map(config.group.servers.map(({ name, host, port }) => [name, { host, port }]))
  const link = { credentials: config, authority: config.authority, settings: serverSettings(config.group) }
  const transport = await createTlsTransport({ ...link, log, addresses, instance }, driver.events)
  if (blockedMax > 0) {
    const shared = { ...keeperSettings(config), addresses, blockedMax, holder: transport.self, clock: memory }
    const { WorkerKeeper } = await import('./keeper.ts')
    keeper = new WorkerKeeper(shared, clock, log)
  }
  const close = async () => {
    await driver.stop()
    await Promise.all([transport.close(), keeper?.close()])
  }
  group = new Group(
    { trust, ttlMax: lock.ttlMax, drift: lock.drift, servers },
    {
      command: body => driver.command(body),
      now: clock,
      wallMicros,
      close,
      whySilent: server => arrivals.whySilent(server),
      appliers,
      ...(keeper && { keeper }),
    },
  )
  driver.start(transport)
  return { group, close }
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
    return within(arrived, { timeout, ...(signal && { signal }) }, why =>
      why === 'timeout' ? this.tooFew(timeout) : new Unavailable('connecting was cancelled'),
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
