// One server of a group: config, store, transport, metrics and the node, started and stopped in order.

import { getHeapStatistics } from 'node:v8'
import { accuserOf, FileError, type NodeId, type Saved } from '../core/index.ts'
import type { ServerEvent as EventsServerEvent } from '../events/server/state.ts'
import type { LedgerServerEvent } from '../ledger/index.ts'
import { recovering, type ServerEvent } from '../lock/index.ts'
import { firstStart, nodeVocabulary, type ServerNode, type ServerNodeEvent } from '../node/index.ts'
import { HOLD_MAX } from '../node/lives/machine.ts'
import { type LivesEvent, silentOf } from '../node/lives/state.ts'
import { type ServerParts, serverOf, serverParts } from '../node/server.ts'
import type { OrderingServerEvent } from '../ordering/index.ts'
import { granterClock, tellTime } from './clock.ts'
import { serverSettings } from './config/agreed.ts'
import type { ServerConfig } from './config/config.ts'
import { type Disguise, Driver, type DriverOf } from './driver.ts'
import { eventKeys, whyScarce } from './events.ts'
import { openNodeStore } from './first-start.ts'
import { sha256 } from './hash.ts'
import { ledgerCryptoOf, voterOf, votingSeed } from './ledger.ts'
import { type LogNotAllowed, limitNotAllowed } from './message-refusals.ts'
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
  const fail = (error: Error) => {
    driver?.end()
    failed(error)
  }
  const { storage, saved } = await openStore(options, synced, fail)
  opened.push(storage)
  // It may have promised things that it no longer knows of: with a vote it could undo what a client was told.
  const hasObjects = group.trust.orderingQuorum !== undefined
  const mustKnow = !options.rejoins && hasObjects
  if (saved.size === 0 && mustKnow) throw storeLost(config)
  const life = awaitLife(fail)
  const news = {
    go: life.go,
    old: () => (saved.size === 0 || !hasObjects ? life.go() : life.refuse(storeOld(config))),
  }
  driver = createDriver(options, { storage, saved, book, seed: await votingSeed(config.folder), news })
  let transport: TlsTransport | undefined
  const recovery = measure(driver, book, () => transport)
  if (!isLoopback(host)) log('warn', OUTSIDE, { host })
  const scarce = whyScarce(group.events?.keepAllMax, getHeapStatistics().heap_size_limit)
  if (scarce !== undefined) log('warn', scarce, {})
  // Before the node runs: a start that finds a port taken must leave nothing behind that a crash would leave.
  const address = { host, port: config.address.metricsPort, node: config.name }
  const metrics = await serveMetrics(address, registry, recovery)
  opened.push(metrics)
  transport = await listen(config, log, driver)
  opened.push(transport)
  driver.start(transport)
  const endTime = tellTime(micros => {
    driver.command({ part: 'lock', body: { kind: 'clock', micros } })
    driver.command({ part: 'events', body: { kind: 'clock', micros } })
    if (hasObjects) driver.command({ part: 'ordering', body: { kind: 'clock', micros } })
  })
  // A server that says it listens grants; where the others do not answer, soon after.
  await life.known.catch(error => {
    endTime()
    driver.end()
    throw error
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

function openStore({ config, log }: ServerOptions, synced: (seconds: number) => void, failed: (error: Error) => void) {
  return openNodeStore({
    store: createLogStorage({ folder: config.storeFolder, log: sentence => log('info', sentence, {}), synced }),
    folder: config.folder,
    owner: config.identity,
    first: firstStart,
    failed,
  })
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

/** What the others say of this server's store, at its start; and a refusal that comes later. */
function awaitLife(failed: (error: Error) => void) {
  let resolve = () => {}
  let reject: (error: Error) => void = () => {}
  const known = new Promise<void>((fine, wrong) => {
    resolve = fine
    reject = wrong
  })
  let isOver = false
  // A node that is disguised may say nothing.
  const timer = setTimeout(() => end(resolve), 2 * HOLD_MAX).unref()
  const end = (work: () => void) => {
    clearTimeout(timer)
    isOver = true
    work()
  }
  return {
    known,
    go: () => end(resolve),
    refuse: (error: Error) => (isOver ? failed(error) : end(() => reject(error))),
  }
}

interface LifeNews {
  /** Promises may be made. */
  go(): void
  /** The store is an old copy. */
  old(): void
}

/** What a server's node is given besides its config. */
interface Brought {
  readonly storage: Storage
  readonly saved: Saved
  readonly book: ServerBook
  readonly seed: Uint8Array
  readonly news: LifeNews
}

function createDriver(options: ServerOptions, { storage, saved, book, seed, news }: Brought) {
  const { config, log, failed, rejoins = false } = options
  const { group, name } = config
  const ledgers = { ledgerCrypto: ledgerCryptoOf(), voter: voterOf(seed) }
  const events = { group: group.id, hash: sha256, keys: eventKeys(group.id, config.authority) }
  const parts = serverParts(group, { hash: sha256, rejoins, hails: true, ...ledgers, events })
  const names = group.servers.map(server => server.name)
  return new Driver({
    ...(options.disguise?.(parts) ?? { protocol: serverOf(parts), vocabulary: nodeVocabulary }),
    self: name,
    peers: names,
    clock: granterClock,
    log,
    storage,
    saved,
    event: teller(log, news, names),
    meter: new ServerMeter(book, granterClock),
    failed,
    up: peer => log('debug', 'connected', { peer }),
    down: (peer, why) => log('debug', 'disconnected', { peer, why }),
  })
}

// Only what its operators did and what clients and servers complain of; the parts' own work is not logged.
function teller(log: Log, news: LifeNews, servers: readonly NodeId[]): (event: ServerNodeEvent) => void {
  const told = new Set<string>()
  const notAllowed = limitNotAllowed(log)
  const accuse = (complaint: { readonly client: NodeId; readonly server: NodeId; readonly what: string }) => {
    const { client, ...what } = complaint
    const matter = `${accuserOf(client)} ${complaint.server}`
    // A liar lies all day, and clients choose the words: once for each accuser and accused, the rest is counted.
    if (told.has(matter) || told.size >= MATTERS_MAX) return
    told.add(matter)
    if (servers.includes(client)) log('warn', 'a server says that another one lied', { by: client, ...what })
    else log('warn', 'a client says that a server lied', { ...complaint })
  }
  return event => {
    if (event.part === 'lives') tellOfLife(event.body, log, news)
    else if (event.part === 'ledger') tellOfLedger(event.body, log)
    else if (event.body.kind === 'complaint') accuse(event.body.complaint)
    else if (event.part === 'events') tellOfEvents(event.body, log)
    else if (event.part === 'lock') tell(event.body, log, notAllowed)
    else tellOfObject(event.body, log, notAllowed)
  }
}

function tellOfEvents(event: EventsServerEvent, log: Log): void {
  if (event.kind !== 'lied') return
  const { server, what, channel } = event
  log('warn', 'a server gave to this one what no honest server has: it lies', { server, what, channel })
}

function tellOfLife(event: LivesEvent, log: Log, news: LifeNews): void {
  if (event.kind === 'go') return news.go()
  const { life, seen, by } = event
  const what =
    'the other servers know a later life of this one: its store is an old copy, or was lost, and counts as lost'
  log('error', what, { life, seen, by: by.join(', ') })
  news.old()
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
    case 'lied':
      return log('warn', 'a server said of a ledger what cannot be: it lies, or its store is an old copy', {
        ledger: event.ledger,
        server: event.server,
        what: event.what,
      })
    case 'lossKept':
      return log('warn', 'votes about ledgers were forgotten: voting again when they are behind', {})
    case 'certified':
      return
  }
}

type ObjectEvent = Exclude<OrderingServerEvent, { kind: 'complaint' }>

function tellOfObject(event: ObjectEvent, log: Log, notAllowed: LogNotAllowed): void {
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
    case 'lossKept':
      return log('warn', 'this server takes its objects from the others', {})
    case 'deleteRefused':
      return notAllowed(event.by, 'deletion of an object refused: no operator', { object: event.object })
    case 'repairRefused':
      return notAllowed(event.by, 'repair of an object refused: no operator', { object: event.object })
  }
}

function tell(event: Exclude<ServerEvent, { kind: 'complaint' }>, log: Log, notAllowed: LogNotAllowed): void {
  switch (event.kind) {
    case 'forced': {
      const { name, by, holder } = event
      return log('warn', 'a lock was taken from its holder by force', { lock: name, by, holder })
    }
    case 'storeLost':
      return log('warn', 'locks: the store counts as lost; nothing is granted until others have told', {})
    case 'forceRefused':
      return notAllowed(event.by, 'unlock by force refused: no operator', { lock: event.name })
    case 'floorReset': {
      const { by, floor, was } = event
      return log('warn', 'the floor of lock tokens was reset: tokens may go back', { by, floor, was })
    }
    case 'resetRefused':
      return notAllowed(event.by, 'a reset of the floor of lock tokens was refused: no operator', {})
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
  book.reads('servers_silent', () => silentOf(driver.state.lives))
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

function storeOld(config: ServerConfig): FileError {
  return new FileError(
    `the store ${config.storeFolder} of ${config.name} is an old copy: the other servers know a later life of it. What it ` +
      `promised since is not in it. Remove the store, and let coterie serve --rejoin ${config.folder} take its content ` +
      'from the other servers.',
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
