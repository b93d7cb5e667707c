// One server of a group: config, store, transport, metrics and the node, started and stopped in order.

import { FileError, type Saved } from '../core/index.ts'
import type { ServerEvent } from '../lock/index.ts'
import { firstStart, nodeVocabulary, type ServerNode, type ServerNodeEvent, serverNode } from '../node/index.ts'
import { granterClock } from './clock.ts'
import { serverSettings } from './config/agreed.ts'
import type { ServerConfig } from './config/config.ts'
import { Driver, type DriverOf } from './driver.ts'
import { openNodeStore } from './first-start.ts'
import { sha256 } from './hash.ts'
import { type Measures, type MetricsServer, serveMetrics } from './metrics/metrics.ts'
import { measureObjects } from './metrics/object-measures.ts'
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
  /** The store was lost: take what it held from the other servers. */
  readonly rejoins?: boolean
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
  const { config, log, failed } = options
  const { group } = config
  let driver: ServerDriver | undefined
  const { storage, saved } = await openNodeStore({
    store: createLogStorage({ folder: config.storeFolder, log: sentence => log('info', sentence, {}) }),
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
  driver = createDriver(options, storage, saved)
  let transport: TlsTransport | undefined
  const measures = measure(driver, () => transport)
  // Before the node runs: a start that finds a port taken must leave nothing behind that a crash would leave.
  const metrics = await serveMetrics(config.address.metricsPort, config.name, measures)
  opened.push(metrics)
  transport = await createTlsTransport(
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
  opened.push(transport)
  driver.start(transport)
  log('info', 'listening', {
    port: config.address.port,
    metricsPort: metrics.port,
    recoveringMs: measures.recovering(),
  })
  return { recovering: measures.recovering, stop: () => stop(driver, transport, metrics, storage, log) }
}

function createDriver({ config, log, failed, rejoins = false }: ServerOptions, storage: Storage, saved: Saved) {
  const { group, name } = config
  return new Driver({
    protocol: serverNode(group, { hash: sha256, rejoins }),
    self: name,
    peers: group.servers.map(server => server.name),
    vocabulary: nodeVocabulary,
    clock: granterClock,
    log,
    storage,
    saved,
    event: teller(log),
    failed,
    up: peer => log('debug', 'connected', { peer }),
    down: (peer, why) => log('debug', 'disconnected', { peer, why }),
  })
}

// Only what its operators did and what clients complain of; the parts' own work is not logged.
function teller(log: Log): (event: ServerNodeEvent) => void {
  const told = new Set<string>()
  return event => {
    if (event.part === 'lock') return tell(event.body, log)
    const { complaint } = event.body
    const matter = `${complaint.server} ${complaint.what}`
    // A liar lies all day: once for each kind of lie, the rest is counted.
    if (told.has(matter) || told.size >= MATTERS_MAX) return
    told.add(matter)
    log('warn', 'a client says that a server lied', { ...complaint })
  }
}

/** Kinds of lies times servers: clients choose the words. */
const MATTERS_MAX = 1_000

function tell({ kind, name, by, ...more }: ServerEvent, log: Log): void {
  const what = kind === 'forced' ? 'a lock was taken from its holder by force' : 'unlock by force refused: no operator'
  log('warn', what, { lock: name, by, ...more })
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

function measure(driver: ServerDriver, transport: () => TlsTransport | undefined): Measures {
  const { lock, ordering } = driver.state
  return {
    // Not zero while it does not listen yet: nobody is to send it work.
    recovering: () => Math.max(transport() === undefined ? 1 : 0, Math.ceil(lock.recoverUntil - granterClock())),
    values() {
      const dropped = Object.values(transport()?.dropped() ?? {}).reduce((sum, count) => sum + count, 0)
      return {
        messages_received_total: { help: 'Messages understood', value: driver.counts.received },
        messages_sent_total: { help: 'Messages sent', value: driver.counts.sent },
        messages_refused_total: { help: 'Frames that were no message', value: driver.counts.refused },
        frames_dropped_total: { help: 'Frames that could not be sent', value: dropped },
        saves_total: { help: 'Records saved', value: driver.counts.saves },
        connections: { help: 'Peers connected now', value: transport()?.connected().length ?? 0 },
        lock_names: { help: 'Lock names in memory', value: lock.locks.size },
        lock_recovering_ms: { help: 'Milliseconds until locks are granted again', value: this.recovering() },
        ...measureObjects(ordering),
      }
    },
  }
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
