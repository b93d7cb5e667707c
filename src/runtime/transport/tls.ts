// Frames between machines: TCP with TLS 1.3 and certificates on both sides.
//
// Guarantee: the `from` of a frame is the name in a certificate that the group's authority signed, whose key the peer
// holds, and which is valid now. A stranger (another authority's, expired, another group's, a client that poses as a
// server, a server that answers under another name than was dialled) is refused before a byte of the protocol is read.
// Against: strangers with any bytes at any speed, and members that break the rules: each costs bounded memory and time
// (limits.ts), its connection, and nobody else's. Not against: somebody who holds a member's key.
//
// The parts: frames.ts and outbox.ts are the two directions of the byte stream; connection.ts joins them to a socket;
// listener.ts and dialer.ts make connections; links.ts knows who is reached over which.

import * as tls from 'node:tls'
import { type NodeId, SettingsError } from '../../core/index.ts'
import { type Credentials, readIdentity } from '../certificates/identity.ts'
import type { Connection } from './connection.ts'
import { type Address, Dialer } from './dialer.ts'
import { encodeGreeting, WIRE_VERSION } from './greeting.ts'
import { newInstance } from './instance.ts'
import { type Limits, limitsWith } from './limits.ts'
import { Links } from './links.ts'
import { type Listener, listen } from './listener.ts'
import type { LocalNode } from './local-node.ts'
import { BlockPool } from './outbox.ts'
import { nodeId } from './peer.ts'
import { limitRefusals } from './refusals.ts'
import { type Log, noDrops, type Transport, type TransportEvents } from './transport.ts'
import { Turns } from './turns.ts'

export interface TlsOptions {
  /** Our certificate and key. The certificate says who we are. */
  readonly credentials: Credentials
  /** The certificate of the group's authority, as PEM. */
  readonly authority: string
  readonly log: Log
  /** For servers. Port 0 lets the system choose. */
  readonly listen?: Address
  /** Servers that we may dial. Ourselves among them is no harm. */
  readonly addresses?: ReadonlyMap<NodeId, Address>
  readonly limits?: Partial<Limits>
  /** For a client whose node must know its whole id beforehand; drawn where it is not given. */
  readonly instance?: string
  /** Whom we dial: servers and members dial their own kind, clients servers unless told. */
  readonly dials?: 'server' | 'member'
  /** What peers must agree on with us, as `sayable` says it. */
  readonly settings?: string
}

export interface TlsTransport extends Transport {
  /** Where we listen. */
  readonly address: Address | undefined
  /** A server that we may dial from now on. */
  learn(peer: NodeId, address: Address): void
  /** A peer that was caught lying: it is read slowly from now on. */
  distrust(peer: NodeId): void
}

export async function createTlsTransport(options: TlsOptions, events: TransportEvents): Promise<TlsTransport> {
  const local = createLocalNode(options, events)
  const { certificate: cert, key } = options.credentials
  const listener = options.listen && (await listen(options.listen, { cert, key, ca: options.authority }, local))
  const sweeper = setInterval(() => sweep(local.connections), local.limits.sweepMs).unref()
  let closed: Promise<void> | undefined

  function learn(peer: NodeId, address: Address): void {
    if (peer !== local.self && closed === undefined) local.links.know(peer, new Dialer(peer, address, local))
  }
  for (const [peer, address] of options.addresses ?? []) learn(peer, address)

  return {
    self: local.self,
    address: listener?.address,
    learn,
    send: (to, frame) => local.links.send(to, frame),
    distrust: peer => local.links.distrust(peer),
    hold: (peer, isHeld) => local.links.hold(peer, isHeld),
    connected: () => (closed === undefined ? local.links.connected() : []),
    dropped: () => local.drops,
    close() {
      clearInterval(sweeper)
      closed ??= shutDown(local, listener)
      return closed
    },
  }
}

function createLocalNode(options: TlsOptions, events: TransportEvents): LocalNode {
  const { log } = options
  const { own, instance, hello, secureContext } = readCredentials(options)
  if (own.role === 'client' && options.listen) throw new SettingsError('a client does not listen: remove the address')
  const limits = limitsWith(options.limits ?? {})
  const drops = noDrops()
  const refused = limitRefusals(log)
  return {
    self: nodeId(own, instance),
    group: own.group,
    role: own.role,
    dials: own.role === 'client' ? (options.dials ?? 'server') : own.role,
    settings: options.settings ?? '',
    hello,
    eager: own.role === 'client',
    secureContext,
    limits,
    pool: new BlockPool(),
    turns: new Turns(limits),
    drops,
    log,
    refused,
    links: new Links({ limits, events, drops, log, refused }),
    connections: new Set(),
    chance: Math.random,
  }
}

function readCredentials({ credentials, authority, instance: given, settings = '' }: TlsOptions) {
  try {
    const own = readIdentity(credentials.certificate)
    if (own === undefined) throw new Error('it names no server and no client of a group')
    const instance = own.role === 'client' ? (given ?? newInstance()) : ''
    const hello = encodeGreeting({ kind: 'hello', version: WIRE_VERSION, group: own.group, instance, settings })
    const { certificate: cert, key } = credentials
    // The versions belong here: `tls.connect` does not look at its own where it is given a context.
    const versions = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const
    const secureContext = tls.createSecureContext({ cert, key, ca: authority, ...versions })
    return { own, instance, hello, secureContext }
  } catch (error) {
    throw new SettingsError(`our own certificate or key cannot be used: ${(error as Error).message}`)
  }
}

function sweep(connections: Set<Connection>): void {
  const now = performance.now()
  for (const connection of connections) if (!connection.sweep(now)) connections.delete(connection)
}

async function shutDown(local: LocalNode, listener: Listener | undefined): Promise<void> {
  local.links.silence()
  listener?.stop()
  for (const dialer of local.links.dialers()) dialer.close()
  await Promise.all([...local.connections].map(connection => connection.close()))
  await listener?.closed()
}
