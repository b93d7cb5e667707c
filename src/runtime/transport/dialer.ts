// Makes the connection to one peer whose address we know, and makes it again when it is gone.
//
// A client dials eagerly: it is there to talk to servers. A server dials when it has something to say: in a group
// where only clients and servers talk, servers never connect to each other. While a dial is under way, frames wait
// for it, so that the first message to a peer is not lost; between a failed dial and the next, they are dropped.

import * as tls from 'node:tls'
import type { NodeId } from '../../core/index.ts'
import { backoffMs, STABLE_MS } from './backoff.ts'
import { Connection, errorCode, type Fault } from './connection.ts'
import { decodeGreeting } from './greeting.ts'
import type { LocalNode } from './local-node.ts'
import { Outbox } from './outbox.ts'
import { identify, notTheOneDialled } from './peer.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export class Dialer {
  /** What was sent while the dial was under way. Empty at any other time. */
  readonly waiting: Outbox
  private readonly peer: NodeId
  private readonly address: Address
  private readonly local: LocalNode
  /** The socket while a dial is under way, greeting included. */
  private attempt: tls.TLSSocket | undefined
  private failures = 0
  private notBefore = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined
  private closed = false

  constructor(peer: NodeId, address: Address, local: LocalNode) {
    this.peer = peer
    this.address = address
    this.local = local
    this.waiting = new Outbox(local.pool, local.limits.queueBytesMax)
    if (local.eager) this.dial()
  }

  send(frame: Uint8Array): void {
    const { drops } = this.local
    if (this.attempt === undefined && !this.closed && performance.now() >= this.notBefore) this.dial()
    if (this.attempt === undefined) drops.unreachable++
    else if (!this.waiting.push(frame)) drops['queue full']++
  }

  /** The connection that this dialer made, or another one to the same peer, is gone and none is left. */
  lost(lastedMs: number): void {
    // A dial that is under way is the next attempt already, and its time limit must stay.
    if (this.attempt === undefined) this.retreat(lastedMs >= STABLE_MS ? 1 : this.failures + 1)
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
    this.attempt?.destroy()
    this.local.drops['connection lost'] += this.waiting.clear()
  }

  private dial(): void {
    clearTimeout(this.timer)
    const socket = this.connect()
    this.attempt = socket
    const failed = (error: Error) => {
      const fault = socket.authorizationError ? 'refused' : 'ended'
      this.failed(socket, fault, fault === 'refused' ? `certificate refused: ${errorCode(error)}` : errorCode(error))
    }
    this.timer = setTimeout(() => {
      socket.destroy()
      this.failed(socket, 'ended', 'no answer in time')
    }, this.local.limits.handshakeMs)
    socket.once('error', failed)
    socket.once('secureConnect', () => {
      clearTimeout(this.timer)
      socket.off('error', failed)
      this.greet(socket)
    })
  }

  private connect(): tls.TLSSocket {
    return tls.connect({
      ...this.address,
      secureContext: this.local.secureContext,
      rejectUnauthorized: true,
      // Not the host but the identity is checked, below: a server may move without a new certificate.
      checkServerIdentity: () => undefined,
    })
  }

  private greet(socket: tls.TLSSocket): void {
    const { local } = this
    const who = identify(socket, local.group)
    const refusal = who.ok ? notTheOneDialled(this.peer, local.dials, who.identity) : who.refusal
    if (!who.ok || refusal !== undefined) {
      socket.on('error', () => {})
      socket.destroy()
      return this.failed(socket, 'refused', refusal!)
    }
    const connection = new Connection(socket, who.validUntil, local, {
      frame: frame => this.answered(connection, frame),
      end: (fault, why) => this.failed(socket, fault, `${why} before the greeting was answered`),
    })
    local.connections.add(connection)
    connection.send(local.hello)
  }

  private answered(connection: Connection, frame: Uint8Array): void {
    const answer = decodeGreeting(frame)
    if (!answer.ok) return connection.end('refused', `not a greeting: ${answer.refusal}`)
    if (answer.value.kind === 'refused') return connection.end('refused', `the server says: ${answer.value.why}`)
    if (answer.value.kind !== 'welcome') return connection.end('refused', `${answer.value.kind} instead of welcome`)
    this.attempt = undefined
    this.local.links.opened(this.peer, connection)
  }

  private failed(socket: tls.TLSSocket, fault: Fault, why: string): void {
    // A socket that was given up may still report its end, in the middle of the next attempt.
    if (this.attempt !== socket || this.closed) return
    this.attempt = undefined
    const { host, port } = this.address
    if (fault === 'refused') this.local.refused(why, { peer: this.peer, host, port })
    // A server that is away for a day is said to be away once.
    else
      this.local.log(this.failures === 0 ? 'info' : 'debug', 'peer not reached', { peer: this.peer, host, port, why })
    this.local.drops['connection lost'] += this.waiting.clear()
    this.retreat(this.failures + 1)
  }

  private retreat(failures: number): void {
    this.failures = failures
    const delayMs = backoffMs(failures, this.local.chance())
    this.notBefore = performance.now() + delayMs
    clearTimeout(this.timer)
    if (this.local.eager && !this.closed) this.timer = setTimeout(() => this.dial(), delayMs)
  }
}
