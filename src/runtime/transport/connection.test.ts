// Connections over sockets that exist in memory only: whatever happens, in whatever order, nobody is paused for good, what is counted is
// counted back, and no timer is left.

import { EventEmitter } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { framed } from '../../../test/support/attacker.ts'
import { type Random, seededRandom } from '../../core/index.ts'
import { Connection, type ConnectionEvents } from './connection.ts'
import { limitsWith } from './limits.ts'
import { BlockPool, Outbox } from './outbox.ts'
import { Room } from './room.ts'
import { Share, Turns } from './turns.ts'

const KIB = 1 << 10
const LIMITS = limitsWith({
  frameBytesMax: 128 * KIB,
  inBytesBurst: 256 * KIB,
  inBytesPerSecond: 4_096 * KIB,
  caughtBytesPerSecond: 512 * KIB,
  queueBytesMax: 160 * KIB,
  queueBytesOfOwnerMax: 200 * KIB,
  readingBytesOfOwnerMax: 150 * KIB,
  frameMs: 2_000,
  stallMs: 1_000,
  closeMs: 100,
})
const NEXT_YEAR = new Date(Date.now() + 365 * 24 * 3_600_000)

/** What the peer says comes piece by piece while it is read; what we say leaves when the peer takes it. */
class Wire extends EventEmitter {
  closed = false
  isPaused = false
  readonly coming: Uint8Array[] = []
  private readonly leaving: (() => void)[] = []

  setNoDelay(): void {}
  setKeepAlive(): void {}
  pause(): void {
    this.isPaused = true
  }
  resume(): void {
    this.isPaused = false
  }
  write(_bytes: Uint8Array, done: () => void): void {
    this.leaving.push(done)
  }
  end(): void {
    this.destroy()
  }
  destroy(): void {
    if (this.closed) return
    this.closed = true
    this.emit('close')
  }

  /** A piece of what the peer has said is read, if anybody reads. */
  bring(): boolean {
    if (this.closed || this.isPaused || this.coming.length === 0) return false
    this.emit('data', this.coming.shift()!)
    return true
  }
  /** The peer takes a block. */
  take(): boolean {
    const done = this.leaving.shift()
    done?.()
    return done !== undefined
  }
}

interface Peer {
  readonly connection: Connection
  readonly wire: Wire
  said: number
  readonly heard: number[]
  isGone: boolean
}

/** Processes of one certificate, at a node that does with their words whatever chance says. */
class Owner {
  readonly share = new Share()
  readonly room = new Room(LIMITS)
  readonly peers: Peer[] = []
  isHeld = false

  hold(isHeld: boolean): void {
    this.isHeld = isHeld
    for (const { connection } of this.peers) connection.hold(isHeld)
  }
}

class Bench {
  now = 0
  readonly owners = [new Owner(), new Owner()]
  private readonly pool = new BlockPool()
  private readonly turns = new Turns(LIMITS, () => this.now)
  private readonly random: Random

  constructor(random: Random) {
    this.random = random
  }

  get peers(): Peer[] {
    return this.owners.flatMap(owner => owner.peers)
  }

  private anyOf<Thing>(things: readonly Thing[]): Thing {
    return things[this.random.below(things.length)]!
  }

  dial(owner: Owner): void {
    const { pool, turns } = this
    const wire = new Wire()
    const greeting: ConnectionEvents = { frame() {}, end() {} }
    const means = { limits: LIMITS, pool, turns }
    const connection = new Connection(wire as unknown as TLSSocket, NEXT_YEAR, means, greeting)
    const peer: Peer = { connection, wire, said: 0, heard: [], isGone: false }
    const waiting = new Outbox(pool, LIMITS.queueBytesMax)
    waiting.push(new Uint8Array(this.random.below(60 * KIB)))
    owner.peers.push(peer)
    connection.hold(owner.isHeld)
    connection.open(
      {
        frame: frame => this.heard(owner, peer, frame),
        end() {
          peer.isGone = true
        },
      },
      owner,
      waiting,
    )
  }

  private heard(owner: Owner, peer: Peer, frame: Uint8Array): void {
    const { random } = this
    peer.heard.push(new DataView(frame.buffer, frame.byteOffset).getUint32(0))
    this.now += random.below(8)
    if (random.chance(0.5)) peer.connection.send(new Uint8Array(random.below(90 * KIB)))
    if (random.chance(0.1)) owner.hold(true)
    if (random.chance(0.02)) peer.connection.end('refused', 'chance')
    if (random.chance(0.02)) this.anyOf(this.peers).connection.end('ended', 'chance')
  }

  say(peer: Peer): void {
    const { random } = this
    const frame = new Uint8Array(4 + random.below(random.chance(0.4) ? 120 * KIB : 2 * KIB))
    new DataView(frame.buffer).setUint32(0, peer.said++)
    const bytes = framed(frame)
    for (let at = 0; at < bytes.length; ) {
      const count = 1 + random.below(16 * KIB)
      peer.wire.coming.push(bytes.subarray(at, at + count))
      at += count
    }
  }

  act(): void {
    const { random } = this
    const peer = this.anyOf(this.peers)
    const kind = random.below(100)
    if (kind < 25) this.say(peer)
    else if (kind < 65) peer.wire.bring()
    else if (kind < 75) peer.wire.take()
    else if (kind < 85) vi.advanceTimersByTime(random.below(20))
    else if (kind < 90) this.anyOf(this.owners).hold(random.chance(0.5))
    else if (kind < 93) this.sweep()
    else if (kind < 95) peer.wire.emit(random.chance(0.5) ? 'end' : 'error', new Error('chance'))
    else if (kind < 96) void peer.connection.close()
    else if (kind < 97) peer.connection.slow()
    else this.dial(this.anyOf(this.owners))
  }

  sweep(): void {
    for (const { connection } of this.peers) connection.sweep(performance.now())
  }

  /** Everything that can still happen, happens. */
  async settle(): Promise<void> {
    for (const owner of this.owners) owner.hold(false)
    for (let quiet = 0; quiet < 50; quiet++) {
      await new Promise(process.nextTick)
      vi.advanceTimersByTime(20)
      this.now += 20
      for (const owner of this.owners) if (owner.isHeld) owner.hold(false)
      for (const { wire } of this.peers) {
        while (wire.bring()) quiet = 0
        while (wire.take()) quiet = 0
      }
    }
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('connections of two certificates, whatever happens', () => {
  const counted = ({ room, share }: Owner) => {
    const { queuedBytes, readingBytes, waiting } = room as unknown as {
      readonly queuedBytes: number
      readonly readingBytes: number
      readonly waiting: readonly unknown[]
    }
    return { queuedBytes, readingBytes, waiting: waiting.length, resting: share.waiting.length }
  }
  const nothing = { queuedBytes: 0, readingBytes: 0, waiting: 0, resting: 0 }

  it.each(Array.from({ length: 20 }, (_, seed) => seed))('hold nothing in the end: seed %i', async seed => {
    const bench = new Bench(seededRandom(seed))
    for (const owner of bench.owners) for (let i = 0; i < 3; i++) bench.dial(owner)
    for (let acts = 0; acts < 1_500; acts++) {
      bench.act()
      if (acts % 10 === 0) await new Promise(process.nextTick)
    }
    await bench.settle()
    const alive = bench.peers.filter(({ isGone, wire }) => !isGone && !wire.closed)
    for (const { said, heard, wire } of alive) {
      expect(heard).toEqual(Array.from({ length: said }, (_, place) => place))
      expect(wire.isPaused).toBe(false)
    }
    for (const { heard } of bench.peers) expect(heard).toEqual(heard.map((_, place) => place))
    expect(bench.owners.map(counted)).toEqual([nothing, nothing])
    for (const { connection } of bench.peers) connection.end('ended', 'enough')
    expect(vi.getTimerCount()).toBe(0)
  })
})
