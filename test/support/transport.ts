// A group's certificates, a node that writes down what happens to it, and both transports behind one face:
// what the tests of the transports, the fuzzer and the benchmark have in common.

import type { NodeId } from '../../src/core/index.ts'
import {
  type Credentials,
  createAuthority,
  type Identity,
  issueCertificate,
} from '../../src/runtime/certificates/authority.ts'
import {
  type Address,
  createMemoryNetwork,
  createTlsTransport,
  type Limits,
  type Log,
  type TlsTransport,
  type Transport,
  type TransportEvents,
} from '../../src/runtime/transport/index.ts'

export const GROUP = 'g7k2'
const LOOPBACK = '127.0.0.1'
const UNTIL_MS = 10_000

/** Waits for something that must come true soon. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const start = performance.now()
  while (!condition()) {
    if (performance.now() - start > UNTIL_MS) throw new Error(`waited in vain until ${what}`)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

export interface Recorder extends TransportEvents {
  readonly frames: { readonly from: NodeId; readonly frame: Uint8Array }[]
  readonly changes: string[]
  readonly texts: () => string[]
}

export function recorder(): Recorder {
  const frames: { from: NodeId; frame: Uint8Array }[] = []
  const changes: string[] = []
  return {
    frames,
    changes,
    texts: () => frames.map(({ frame }) => Buffer.from(frame).toString()),
    frame: (from, frame) => frames.push({ from, frame: Uint8Array.from(frame) }),
    up: peer => changes.push(`up ${peer}`),
    down: peer => changes.push(`down ${peer}`),
  }
}

/** One network and its nodes: `a`, `b` … are servers, a name with a capital is a client. */
export interface Bed {
  readonly name: string
  start(name: string, events: TransportEvents): Promise<Transport>
  /** Closes every node. */
  end(): Promise<void>
}

export function memoryBed(): Bed {
  const network = createMemoryNetwork()
  const nodes: Transport[] = []
  return {
    name: 'memory',
    async start(name, events) {
      const id = isClientName(name) ? `${name.toLowerCase()}#0123456789abcdef` : name
      const node = network.join(id, events)
      nodes.push(node)
      return node
    },
    end: () => closeAll(nodes),
  }
}

export interface TlsBed extends Bed {
  readonly authority: Credentials
  readonly log: LogRecorder
  readonly addresses: Map<NodeId, Address>
  start(name: string, events: TransportEvents, limits?: Partial<Limits>, settings?: string): Promise<TlsTransport>
  credentials(name: string): Promise<Credentials>
}

export async function tlsBed(): Promise<TlsBed> {
  const authority = await createAuthority('test')
  const issued = new Map<string, Credentials>()
  const addresses = new Map<NodeId, Address>()
  const nodes: TlsTransport[] = []
  const log = logRecorder()

  async function credentials(name: string): Promise<Credentials> {
    const known = issued.get(name) ?? (await issueCertificate(authority, identityOf(name)))
    issued.set(name, known)
    return known
  }

  async function start(
    name: string,
    events: TransportEvents,
    limits: Partial<Limits> = {},
    settings = '',
  ): Promise<TlsTransport> {
    const listens = isClientName(name) ? {} : { listen: addresses.get(name) ?? { host: LOOPBACK, port: 0 } }
    const node = await createTlsTransport(
      {
        credentials: await credentials(name),
        authority: authority.certificate,
        log,
        addresses,
        limits,
        settings,
        ...listens,
      },
      events,
    )
    if (node.address !== undefined && !addresses.has(name)) {
      addresses.set(name, node.address)
      for (const other of nodes) other.learn(name, node.address)
    }
    nodes.push(node)
    return node
  }
  return { name: 'tls', authority, log, addresses, credentials, start, end: () => closeAll(nodes) }
}

export function identityOf(name: string, group = GROUP): Identity {
  return { group, role: isClientName(name) ? 'client' : 'server', name: name.toLowerCase() }
}

function isClientName(name: string): boolean {
  return name !== name.toLowerCase()
}

async function closeAll(nodes: readonly Transport[]): Promise<void> {
  await Promise.all(nodes.map(node => node.close()))
}

interface LogRecorder extends Log {
  /** The reasons of refusals so far. */
  readonly refusals: string[]
  /** Where those who were refused came from, where it was logged. */
  readonly strangers: string[]
  /** Why dials failed that were nobody's fault. */
  readonly unreached: string[]
}

function logRecorder(): LogRecorder {
  const refusals: string[] = []
  const strangers: string[] = []
  const unreached: string[] = []
  const log: Log = (level, message, fields) => {
    if (message === 'peer not reached') unreached.push(String(fields.why))
    if (level === 'warn' || level === 'error') refusals.push(String(fields.why ?? fields.count))
    if (fields.from !== undefined) strangers.push(String(fields.from))
  }
  return Object.assign(log, { refusals, strangers, unreached })
}
