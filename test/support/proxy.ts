// A faulty wire between users and one server: it can be cut, slowed down, stopped in one direction, and healed.
// Bytes are never lost or changed: a stream with holes in it is something that TCP never delivers. What does not pass
// stays in the kernel's buffers, so nothing here grows.

import { createServer, connect as dial, type Server, type Socket } from 'node:net'

type Direction = 'to server' | 'to user'

/** Bytes that a slow direction keeps; then it stops reading until some have gone. */
const DELAYED_BYTES_MAX = 256 * 1024

interface Address {
  readonly host: string
  readonly port: number
}

export interface WireEnds {
  readonly port?: number
  readonly targetHost?: string
}

interface Wire {
  readonly sockets: readonly [user: Socket, server: Socket]
}

export class FaultyWire {
  readonly port: number
  private readonly listener: Server
  private readonly target: Address
  private readonly wires = new Set<Wire>()
  private readonly stopped = new Set<Direction>()
  private isCut = false
  private delayMs = 0

  private constructor(listener: Server, port: number, target: Address) {
    this.listener = listener
    this.port = port
    this.target = target
    listener.on('connection', user => this.connected(user))
  }

  /** On any port of this machine's first address, to `target` there; or as the ends say. */
  static async open(target: number, ends: WireEnds = {}): Promise<FaultyWire> {
    const { port = 0, targetHost = '127.0.0.1' } = ends
    const listener = createServer({ allowHalfOpen: true })
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(port, '127.0.0.1', resolve)
    })
    return new FaultyWire(listener, (listener.address() as { port: number }).port, { host: targetHost, port: target })
  }

  /** Ends every connection, and every new one at once. */
  cut(): void {
    this.isCut = true
    for (const { sockets } of this.wires) for (const socket of sockets) socket.destroy()
  }

  /** Connections stay, and nothing passes in this direction: the other side cannot tell it from a slow machine. */
  halt(...directions: Direction[]): void {
    for (const direction of directions) this.stopped.add(direction)
    this.settle()
  }

  /** How much longer every piece takes, in both directions. */
  delay(millis: number): void {
    this.delayMs = millis
  }

  heal(): void {
    this.isCut = false
    this.delayMs = 0
    this.stopped.clear()
    this.settle()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise<void>(resolve => this.listener.close(() => resolve()))
  }

  private connected(user: Socket): void {
    if (this.isCut) {
      user.destroy()
      return
    }
    const server = dial(this.target)
    const wire: Wire = { sockets: [user, server] }
    this.wires.add(wire)
    for (const socket of wire.sockets) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.wires.delete(wire)
        for (const other of wire.sockets) other.destroy()
      })
    }
    this.carry(user, server, 'to server')
    this.carry(server, user, 'to user')
  }

  private carry(from: Socket, to: Socket, direction: Direction): void {
    let delayed = 0
    const pass = (bytes: Buffer) => {
      if (to.destroyed) return
      if (!to.write(bytes)) from.pause()
    }
    to.on('drain', () => this.stopped.has(direction) || from.resume())
    from.on('data', bytes => {
      // Pieces that wait keep their order even when the delay shrinks: later ones wait behind them.
      if (this.delayMs === 0 && delayed === 0) return pass(bytes)
      delayed += bytes.length
      if (delayed > DELAYED_BYTES_MAX) from.pause()
      queue.push({ bytes, due: performance.now() + this.delayMs })
      if (queue.length === 1) setTimeout(release, this.delayMs)
    })
    const queue: { bytes: Buffer; due: number }[] = []
    const release = () => {
      for (let first = queue[0]; first !== undefined && first.due <= performance.now() + 1; first = queue[0]) {
        queue.shift()
        delayed -= first.bytes.length
        pass(first.bytes)
      }
      if (queue[0] !== undefined) setTimeout(release, Math.max(0, queue[0].due - performance.now()))
      else if (!this.stopped.has(direction)) from.resume()
    }
    if (this.stopped.has(direction)) from.pause()
  }

  private settle(): void {
    for (const { sockets } of this.wires) {
      const [user, server] = sockets
      if (this.stopped.has('to server')) user.pause()
      else user.resume()
      if (this.stopped.has('to user')) server.pause()
      else server.resume()
    }
  }
}
