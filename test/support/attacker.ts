// Somebody at a bare socket, who sends what no node of ours would.

import { once } from 'node:events'
import * as net from 'node:net'
import * as tls from 'node:tls'
import type { Credentials } from '../../src/runtime/certificates/authority.ts'
import { HEADER_BYTES, writeHeader } from '../../src/runtime/transport/frames.ts'
import { encodeGreeting, WIRE_VERSION } from '../../src/runtime/transport/greeting.ts'
import type { Address } from '../../src/runtime/transport/index.ts'
import { GROUP } from './transport.ts'

export function framed(frame: Uint8Array): Buffer {
  const out = Buffer.alloc(HEADER_BYTES + frame.length)
  writeHeader(out, 0, frame.length)
  out.set(frame, HEADER_BYTES)
  return out
}

export function header(length: number): Buffer {
  return Buffer.from([length >>> 24, length >>> 16, length >>> 8, length])
}

export function hello(
  changes: { version?: number; group?: string; instance?: string; settings?: string } = {},
): Buffer {
  const plain = {
    kind: 'hello',
    version: WIRE_VERSION,
    group: GROUP,
    instance: '00000000deadbeef',
    settings: '',
  } as const
  return framed(encodeGreeting({ ...plain, ...changes }))
}

export const welcome: Buffer = framed(encodeGreeting({ kind: 'welcome', version: WIRE_VERSION }))

export interface Attacker<S extends net.Socket = net.Socket> {
  readonly socket: S
  /** All that the other side said. */
  heard(): Buffer
  /** Resolves when the other side has ended the connection. */
  ended: Promise<void>
}

function attacker<S extends net.Socket>(socket: S): Attacker<S> {
  const pieces: Buffer[] = []
  socket.on('error', () => {})
  socket.on('data', piece => pieces.push(piece))
  return {
    socket,
    heard: () => Buffer.concat(pieces),
    ended: new Promise(resolve => socket.once('close', () => resolve())),
  }
}

export async function dialTcp(address: Address): Promise<Attacker> {
  const socket = net.connect(address)
  const made = attacker(socket)
  await once(socket, 'connect')
  return made
}

/** Does not check who answers, and goes on as soon as its own half of the handshake is done. */
export function dialTls(address: Address, own: Credentials | undefined, options: tls.ConnectionOptions = {}) {
  const certificate = own === undefined ? {} : { cert: own.certificate, key: own.key }
  return attacker(tls.connect({ ...address, ...certificate, rejectUnauthorized: false, ...options }))
}

/** A listener with these credentials, that answers each connection in its own way. */
export async function listenTls(
  own: Credentials,
  authority: string,
  answer: (socket: tls.TLSSocket) => void,
  options: tls.TlsOptions = {},
): Promise<{ readonly address: Address; close(): Promise<void> }> {
  const sockets = new Set<net.Socket>()
  const server = tls.createServer(
    { cert: own.certificate, key: own.key, ca: authority, requestCert: true, rejectUnauthorized: false, ...options },
    socket => {
      socket.on('error', () => {})
      answer(socket)
    },
  )
  server.on('connection', socket => sockets.add(socket))
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { address: host, port } = server.address() as net.AddressInfo
  return {
    address: { host, port },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
