// One server of a group: config, store, transport, metrics and the node, started and stopped in order.

import { accuserOf, FileError, type NodeId, type Saved } from '../core/index.ts'
import type { LedgerServerEvent } from '../ledger/index.ts'
import { recovering, type ServerEvent } from '../lock/index.ts'
import { firstStart, nodeVocabulary, type ServerNode, type ServerNodeEvent } from '../node/index.ts'
import { type ServerParts, serverOf, serverParts } from '../node/server.ts'
import type { OrderingServerEvent } from '../ordering/index.ts'
import { granterClock, tellTime } from './clock.ts'
import { serverSettings } from './config/agreed.ts'
import type { ServerConfig } from './config/config.ts'
import { type Disguise, Driver, type DriverOf } from './driver.ts'
import { openNodeStore } from './first-start.ts'
import { sha256 } from './hash.ts'
import { ledgerCryptoOf, voterOf, votingSeed } from './ledger.ts'
import { isLoopback, type MetricsServer, openMetrics, serveMetrics } from './metrics/metrics.ts'
import { measureServer, type ServerBook, ServerMeter } from './metrics/server-metrics.ts'
import { measureTraffic } from './metrics/traffic.ts'
import { createLogStorage } from './storage/log.ts'
import type { Storage } from './storage/storage.ts'
import { createTlsTransport, type Log, portInUse, type TlsTransport } from './transport/index.ts'

export interface RunningServer {
  readonly recovering: () => number
  /** Clean: leases that are out are written down, so that the next start is ready at once. */
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly config: ServerConfig
  readonly log: Log
  /** Where the metrics are shown. Default: the loopback interface only. */
  readonly metricsHost?: string
  /** The store was lost: take what it held from the other servers. */
  readonly rejoins?: boolean
  /**
   * Wraps the node before it runs: what `decorate` is to a web server. Servers that lie on purpose (lab/lying-node.ts, the
   * siege) are this very process with one part of the node exchanged, so that transport, store and clock are the real ones.
   * No command and no config sets it.
   */
  readonly disguise?: (parts: ServerParts) => Disguise<ServerNode>
  /** The node ended by itself: its disk failed, or a bug stopped it. */
  failed(error: Error): void
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, log } = options
  const opened: Closable[] = []
  try {
    return await open(options, opened)
  } catch (error) {
    for (const part of opened.reverse()) await part.close()
    throw explain(error, config)
  } finally {
    log('debug', 'start finished', {})
  }
}

type ServerDriver = DriverOf<ServerNode>

interface Closable {
  close(): Promise<void>
}

async function open(options: ServerOptions, opened: Closable[]): Promise<RunningServer> {
  const { config, log, failed, metricsHost: host = LOOPBACK } = options
  const { group } = config
  let driver: ServerDriver | undefined
  const { registry, book } = openMetrics(config.name, host)
  const synced = (seconds: number) => book.observe('store_sync_seconds', seconds)
  const { storage, saved } = await openNodeStore({
    store: createLogStorage({ folder: config.storeFolder, log: sentence => log('info', sentence, {}), synced }),
    folder: config.folder,
    owner: config.identity,
    first: firstStart,
    failed(error) {
      driver?.end()
      failed(error)
    },
  })
  opened.push(storage)
  // It may have promised things that it no longer knows of: with a vote it could undo what a client was told.
  const mustKnow = !options.rejoins && group.trust.orderingQuorum !== undefined
  if (saved.size === 0 && mustKnow) throw storeLost(config)
  driver = createDriver(options, storage, saved, book, await votingSeed(config.folder))
  let transport: TlsTransport | undefined
  const recovery = measure(driver, book, () => transport)
  if (!isLoopback(host)) log('warn', OUTSIDE, { host })
  // Before the node runs: a start that finds a port taken must leave nothing behind that a crash would leave.
  const address = { host, port: config.address.metricsPort, node: config.name }
  const metrics = await serveMetrics(address, registry, recovery)
  opened.push(metrics)
  transport = await listen(config, log, driver)
  opened.push(transport)
  driver.start(transport)
  const endTime = tellTime(micros => {
    driver.command({ part: 'lock', body: { kind: 'clock', micros } })
    if (group.trust.orderingQuorum !== undefined) driver.command({ part: 'ordering', body: { kind: 'clock', micros } })
  })
  log('info', 'listening', {
    port: config.address.port,
    metricsPort: metrics.port,
    recoveringMs: recovery(),
  })
  const endTelling = tellReady(driver, recovery, log)
  return {
    recovering: recovery,
    stop() {
      endTime()
      endTelling()
      return stop(driver, transport, metrics, storage, log)
    },
  }
}

function listen(config: ServerConfig, log: Log, driver: ServerDriver): Promise<TlsTransport> {
  const { group } = config
  return createTlsTransport(
    {
      credentials: config,
      authority: config.authority,
      log,
      settings: serverSettings(group),
      listen: { host: config.listen, port: config.address.port },
      // For what a server that lags asks of the others; dialled when there is something to say.
      addresses: new Map(group.servers.map(({ name, host, port }) => [name, { host, port }])),
    },
    driver.events,
  )
}

const LOOPBACK = '127.0.0.1'
const OUTSIDE = 'metrics are shown to everybody who reaches this address: numbers only, but no password protects them'

function createDriver(options: ServerOptions, storage: Storage, saved: Saved, book: ServerBook, seed: Uint8Array) {
  const { config, log, failed, rejoins = false } = options
  const { group, name } = config
  const ledgers = { ledgerCrypto: ledgerCryptoOf(), voter: voterOf(seed) }
  const parts = serverParts(group, { hash: sha256, rejoins, ...ledgers })
  return new Driver({
    ...(options.disguise?.(parts) ?? { protocol: serverOf(parts), vocabulary: nodeVocabulary }),
    self: name,
    peers: group.servers.map(server => server.name),
    clock: granterClock,
    log,
    storage,
    saved,
    event: teller(log),
    meter: new ServerMeter(book, granterClock),
    failed,
    up: peer => log('debug', 'connected', { peer }),
    down: (peer, why) => log('debug', 'disconnected', { peer, why }),
  })
}

// Only what its operators did and what clients complain of; the parts' own work is not logged.
function teller(log: Log): (event: ServerNodeEvent) => void {
  const told = new Set<string>()
  const accuse = (complaint: { readonly client: NodeId; readonly server: NodeId; readonly what: string }) => {
    const matter = `${accuserOf(complaint.client)} ${complaint.server}`
    // A liar lies all day, and clients choose the words: once for each accuser and accused, the rest is counted.
    if (told.has(matter) || told.size >= MATTERS_MAX) return
    told.add(matter)
    log('warn', 'a client says that a server lied', { ...complaint })
  }
  return event => {
    if (event.part === 'ledger') tellOfLedger(event.body, log)
    else if (event.body.kind === 'complaint') accuse(event.body.complaint)
    else if (event.part === 'lock') tell(event.body, log)
    else tellOfObject(event.body, log)
  }
}

/** Clients times servers. */
const MATTERS_MAX = 10_000

function tellOfLedger(event: LedgerServerEvent, log: Log): void {
  switch (event.kind) {
    case 'opened': {
      const { name, ledger, by, lost } = event
      log('info', 'a ledger was opened', { ledger: name, id: ledger, by })
      if (lost)
        log('warn', 'votes about this ledger were forgotten: voting again when they are behind', { ledger: name })
      return
    }
    case 'rejoined':
      return log('info', 'votes about this ledger are behind: voting again', { id: event.ledger, height: event.height })
    case 'certified':
      return
  }
}

type ObjectEvent = Exclude<OrderingServerEvent, { kind: 'complaint' }>

function tellOfObject(event: ObjectEvent, log: Log): void {
  switch (event.kind) {
    case 'rankBeyond': {
      const { object, client, ahead } = event
      return log('warn', 'a client asks for turns far in the future: its clock is wrong, or it lies', {
        object,
        client,
        aheadMs: ahead,
      })
    }
    case 'versionUnvouched': {
      const { object, client, version } = event
      const what =
        'a client calls a version of an object committed that no other server knows: it lies, or they are away'
      return log('warn', what, { object, client, version })
    }
    case 'repaired':
      return log('warn', 'an object was repaired by an operator', { object: event.object, by: event.by })
    case 'deleted':
      return log('warn', 'an object was deleted by an operator', { object: event.object, by: event.by })
    case 'deleteRefused':
      return log('warn', 'deletion of an object refused: no operator', { object: event.object, by: event.by })
    case 'repairRefused':
      return log('warn', 'repair of an object refused: no operator', { object: event.object, by: event.by })
  }
}

function tell(event: Exclude<ServerEvent, { kind: 'complaint' }>, log: Log): void {
  switch (event.kind) {
    case 'forced': {
      const { name, by, holder } = event
      return log('warn', 'a lock was taken from its holder by force', { lock: name, by, holder })
    }
    case 'forceRefused':
      return log('warn', 'unlock by force refused: no operator', { lock: event.name, by: event.by })
    case 'floorReset': {
      const { by, floor, was } = event
      return log('warn', 'the floor of lock tokens was reset: tokens may go back', { by, floor, was })
    }
    case 'resetRefused':
      return log('warn', 'a reset of the floor of lock tokens was refused: no operator', { by: event.by })
  }
}

async function stop(
  driver: ServerDriver,
  transport: TlsTransport,
  metrics: MetricsServer,
  storage: Storage,
  log: Log,
): Promise<void> {
  await driver.stop()
  await Promise.all([transport.close(), metrics.close()])
  await storage.close()
  log('info', 'stopped cleanly', {})
}

/** Answers for how many milliseconds nothing is granted. */
function measure(driver: ServerDriver, book: ServerBook, transport: () => TlsTransport | undefined): () => number {
  const { lock } = driver.state
  // Not zero while it does not listen yet: nobody is to send it work.
  const recovery = () => Math.max(transport() === undefined ? 1 : 0, Math.ceil(recovering(lock, granterClock())))
  measureTraffic(book, '', driver, transport)
  measureServer(book, driver.state, granterClock)
  book.reads('lock_recovering_seconds', () => recovery() / 1000)
  return recovery
}

/** How often a server that is not ready looks whether it is. */
const READY_EVERY_MS = 200

/** An operator who saw "recovering" or "rejoining" in the log sees there when it is over. Answers what ends it. */
function tellReady(driver: ServerDriver, recovery: () => number, log: Log): () => void {
  const began = granterClock()
  const waits = new Map<string, () => boolean>()
  if (recovery() > 0) waits.set('ready again: locks are granted', () => recovery() === 0)
  if (driver.state.ordering?.rejoin !== undefined) {
    waits.set(
      'ready again: it has taken its objects from the others',
      () => driver.state.ordering?.rejoin === undefined,
    )
  }
  if (waits.size === 0) return () => {}
  const timer = setInterval(() => {
    for (const [sentence, isOver] of waits) {
      if (!isOver()) continue
      waits.delete(sentence)
      log('info', sentence, { afterMs: Math.round(granterClock() - began) })
    }
    if (waits.size === 0) clearInterval(timer)
  }, READY_EVERY_MS).unref()
  return () => clearInterval(timer)
}

function storeLost(config: ServerConfig): FileError {
  return new FileError(
    `${config.name} has run before, and its store ${config.storeFolder} is empty. If the store was lost, ` +
      `coterie serve --rejoin ${config.folder} takes its content from the other servers.`,
  )
}

function explain(error: unknown, config: ServerConfig): unknown {
  const taken = portInUse(error)
  if (taken === undefined) return error
  const { port, metricsPort } = config.address
  return new FileError(
    `${config.name} cannot listen: port ${taken} is in use. Is this server running already? ` +
      `It uses ports ${port} and ${metricsPort}, set in ${config.file}; coterie doctor ${config.folder} says who has them.`,
  )
}
