// The listening side: lets in who has a certificate of the group and greets properly, and nobody else.
//
// The way in: TCP (bounded in number) → TLS 1.3 with a certificate of our authority (bounded in time) → the identity in
// it → hello (bounded in size and time) → places left? → welcome. Each step that fails ends that connection, with the
// reason in the log, and touches nothing else.

import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import * as tls from 'node:tls'
import { type NodeId, SettingsError } from '../../core/index.ts'
import { type Identity, identityUri } from '../certificates/identity.ts'
import { Connection, errorCode } from './connection.ts'
import type { Address } from './dialer.ts'
import { decodeGreeting, encodeGreeting, encodeRefusal, type Greeting, WIRE_VERSION } from './greeting.ts'
import { isInstance } from './instance.ts'
import type { Limits } from './limits.ts'
import type { LocalNode } from './local-node.ts'
import { identify, nodeId, wrongKind } from './peer.ts'
import { difference } from './settings.ts'

export interface Listener {
  /** Where it listens: the port that the system chose, where none was asked for. */
  readonly address: Address
  /** Takes nobody in any more. */
  stop(): void
  /** Drops what is left, and resolves when every socket is gone. */
  closed(): Promise<void>
}

export interface ListenerCredentials {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

export async function listen(at: Address, credentials: ListenerCredentials, local: LocalNode): Promise<Listener> {
  const { limits } = local
  const server = tls.createServer({
    ...credentials,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: limits.handshakeMs,
  })
  server.maxConnections = limits.clientsMax + limits.handshakesMax
  const sockets = new Set<Socket>()
  let stopped = false
  watchStrangers(server, sockets, local)
  server.on('secureConnection', socket => (stopped ? socket.destroy() : accept(socket, local)))
  server.listen(at.port, at.host)
  await once(server, 'listening').catch(error => {
    const why = `cannot listen on ${at.host}:${at.port}: ${errorCode(error)}. Choose another address or port.`
    throw Object.assign(new SettingsError(why), { cause: error })
  })
  // Accepting can fail for want of file descriptors; those who are in stay in.
  server.on('error', error => local.log('error', 'listener failed', { why: errorCode(error) }))
  const { address, port } = server.address() as AddressInfo
  const closed = new Promise<void>(resolve => server.once('close', () => resolve()))
  return {
    address: { host: address, port },
    stop() {
      stopped = true
      server.close()
    },
    async closed() {
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** The port, where the error says that somebody else listens on it. */
export function portInUse(error: unknown): number | undefined {
  const { cause = error } = error as Error
  const { code, port } = cause as NodeJS.ErrnoException & { readonly port?: number }
  return code === 'EADDRINUSE' ? port : undefined
}

function watchStrangers(server: tls.Server, sockets: Set<Socket>, local: LocalNode): void {
  const raw: Server = server
  // A socket that has ended no longer knows where it came from.
  const origins = new WeakMap<Socket, string>()
  const unfinished = new Unfinished(local.limits)
  raw.prependListener('connection', socket => {
    origins.set(socket, endpoint(socket))
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const why = unfinished.enter(socket)
    if (why === undefined) return
    local.refused(why, { from: endpoint(socket) })
    socket.destroy()
  })
  server.on('secureConnection', socket => unfinished.leave(beneath(socket)))
  raw.on('drop', data => {
    local.refused('too many connections', { from: `${data?.remoteAddress}:${data?.remotePort}` })
  })
  server.on('tlsClientError', (error, socket) => {
    // A refused certificate shows in the error only as a connection that ended; the reason is on the socket.
    const code = socket.authorizationError
    const why = code ? `certificate refused: ${String(code)}` : `no TLS handshake: ${errorCode(error)}`
    local.refused(why, { from: origins.get(beneath(socket)) ?? 'an address that is not known any more' })
    socket.destroy()
  })
}

/**
 * Handshakes that are under way: each costs a signature and a socket, and strangers can begin as many as they like. So
 * there is a bound for each address, and one in all that leaves room for others beside a few such addresses. Where that is
 * full, the one that is under way longest makes room, if it had its time: else who begins 64 and goes on with none
 * keeps everybody at its address out for as long as a handshake may take.
 */
class Unfinished {
  private readonly limits: Limits
  /** With the address it came from, and when; the oldest first. */
  private readonly sockets = new Map<Socket, { readonly address: string; readonly at: number }>()
  private readonly counts = new Map<string, number>()

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Why it may not begin, or nothing. */
  enter(socket: Socket): string | undefined {
    const address = socket.remoteAddress ?? ''
    const { handshakesMax, handshakesPerAddressMax } = this.limits
    if ((this.counts.get(address) ?? 0) >= handshakesPerAddressMax && !this.makeRoom(address)) {
      return `${handshakesPerAddressMax} handshakes from ${address} are under way already`
    }
    if (this.sockets.size >= handshakesMax && !this.makeRoom()) {
      return `${handshakesMax} handshakes are under way already`
    }
    this.sockets.set(socket, { address, at: performance.now() })
    this.counts.set(address, (this.counts.get(address) ?? 0) + 1)
    socket.once('close', () => this.leave(socket))
    return undefined
  }

  /** Ends the oldest, of that address where one is given. False if even that one is new. */
  private makeRoom(address?: string): boolean {
    for (const [socket, { address: from, at }] of this.sockets) {
      if (address !== undefined && from !== address) continue
      if (performance.now() - at < this.limits.handshakeRoomMs) return false
      this.leave(socket)
      socket.destroy()
      return true
    }
    return false
  }

  leave(socket: Socket): void {
    const address = this.sockets.get(socket)?.address
    if (address === undefined) return
    this.sockets.delete(socket)
    const left = this.counts.get(address)! - 1
    if (left === 0) this.counts.delete(address)
    else this.counts.set(address, left)
  }
}

/** The connection that a TLS socket was made of; node:tls has no public name for it. */
function beneath(socket: tls.TLSSocket): Socket {
  return (socket as tls.TLSSocket & { readonly _parent?: Socket })._parent ?? socket
}

function endpoint(socket: Socket): string {
  return `${socket.remoteAddress}:${socket.remotePort}`
}

function accept(socket: tls.TLSSocket, local: LocalNode): void {
  const who = identify(socket, local.group)
  if (!who.ok) {
    local.refused(who.refusal, { from: endpoint(socket) })
    socket.on('error', () => {})
    socket.destroy()
    return
  }
  const from = endpoint(socket)
  const connection = new Connection(socket, who.validUntil, local, {
    frame: frame => greet(connection, who.identity, frame, local, from),
    end: (_, why) => local.refused(`${why}, before a hello`, { peer: identityUri(who.identity), from }),
  })
  local.connections.add(connection)
}

function greet(connection: Connection, identity: Identity, frame: Uint8Array, local: LocalNode, from: string): void {
  const hello = decodeGreeting(frame)
  if (!hello.ok) return connection.end('refused', `not a greeting: ${hello.refusal}`)
  const id = hello.value.kind === 'hello' ? nodeId(identity, hello.value.instance) : ''
  const why = helloRefusal(hello.value, identity, local) ?? doubleRefusal(id, local) ?? local.links.refusal(id)
  if (why !== undefined) {
    local.refused(why, { peer: identityUri(identity), from })
    // It is one of ours, by its certificate: it is told why. Nothing more is read from it.
    connection.events = { frame() {}, end() {} }
    connection.send(encodeRefusal(why))
    void connection.close()
    return
  }
  connection.send(encodeGreeting({ kind: 'welcome', version: WIRE_VERSION }))
  local.links.opened(id, connection)
}

/** A second process was started with our certificate and key: somebody should look. */
function doubleRefusal(id: NodeId, local: LocalNode): string | undefined {
  return id === local.self ? `uses our own name, '${id}'` : undefined
}

function helloRefusal(hello: Greeting, identity: Identity, local: LocalNode): string | undefined {
  const { group } = local
  if (hello.kind !== 'hello') return `${hello.kind} instead of hello`
  if (hello.version !== WIRE_VERSION) return `speaks version ${hello.version}, this server speaks ${WIRE_VERSION}`
  if (hello.group !== group) return `calls for group '${hello.group}', this is '${group}'`
  const wrong = wrongKind(local.role, identity) ?? difference(hello.settings, local.settings)
  if (wrong !== undefined) return wrong
  if (identity.role !== 'client') return hello.instance === '' ? undefined : `a ${identity.role} with an instance`
  if (hello.instance === '') return 'a client that greets as a server'
  return isInstance(hello.instance) ? undefined : 'an instance that is not 8 to 16 hexadecimal digits'
}
