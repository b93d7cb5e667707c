// One TLS connection, once the peer's certificate was accepted: frames in, frames out, and the ways it can end.
//
// Writes of one turn of the event loop leave as one block, and one block is under way at a time. What is sent
// meanwhile gathers behind it: under load the batches grow by themselves, and a peer that does not read is seen by the
// write that does not complete. The block under way is not reused before its write is reported complete: node:tls may
// still be reading from it. A program that exits within a turn has said what it sent in it: the end of the process
// writes what the end of the turn would have.
//
// A connection ends once, with a reason in words. `sweep` finds the ends that no event reports.

import type { TLSSocket } from 'node:tls'
import { FrameSplitter } from './frames.ts'
import { GREETING_BYTES_MAX, type Limits } from './limits.ts'
import { BLOCK_BYTES, type Block, type BlockPool, Outbox } from './outbox.ts'
import { Pace } from './pace.ts'
import type { Reader, Room } from './room.ts'
import { Share, type Turns, type Worker } from './turns.ts'

/** Whose doing the end was: the peer broke a rule, or connections simply end. */
export type Fault = 'refused' | 'ended'

export interface ConnectionEvents {
  /** The bytes are valid during the call only. */
  frame(frame: Uint8Array): void
  /** The peer says more than we listen to: it is read more slowly. Called for the first pause. */
  slowed?(): void
  /** Called once. `lost`: frames that were queued or under way. */
  end(fault: Fault, why: string, lost: number): void
}

/** What the connections of a node have together. */
interface ConnectionMeans {
  readonly limits: Limits
  readonly pool: BlockPool
  readonly turns: Turns
}

/** What the connections of one certificate have together. */
export interface Common {
  readonly share: Share
  readonly room: Room
}

const NEVER = Number.POSITIVE_INFINITY

/** What leaves at the end of this turn of the event loop. */
let planned: (() => void)[] = []
let exitIsHeard = false

function plan(flush: () => void): void {
  if (planned.push(flush) > 1) return
  process.nextTick(flushPlanned)
  if (exitIsHeard) return
  exitIsHeard = true
  process.on('exit', flushPlanned)
}

function flushPlanned(): void {
  const now = planned
  planned = []
  for (const flush of now) flush()
}

export class Connection implements Worker, Reader {
  readonly socket: TLSSocket
  readonly openedAt: number
  events: ConnectionEvents

  private readonly limits: Limits
  private readonly pool: BlockPool
  private readonly turns: Turns
  /** Of whom it is; its own until it is known who that is. */
  private share = new Share()
  private room: Room | undefined
  private readonly outbox: Outbox
  private pace: Pace
  private paused: NodeJS.Timeout | undefined
  private wasSlowed = false
  private readonly splitter = new FrameSplitter(GREETING_BYTES_MAX)
  private readonly validUntil: Date
  private underWay: Block | undefined
  private underWaySince = NEVER
  private frameSince = NEVER
  private greeted = false
  private flushPlanned = false
  private closing = false
  private ended = false
  /** Read, and not yet worked at. */
  private pieceBytes = 0
  /** There are frames in what was read that wait for the next turn of the event loop. */
  private resting = false
  /** The room that the frame under way has; 0: it needs none. */
  private roomBytes = 0
  private waitsForRoom = false
  /** It has said enough for now: nothing of it is taken, not even what was read. */
  private held = false

  constructor(socket: TLSSocket, validUntil: Date, { limits, pool, turns }: ConnectionMeans, events: ConnectionEvents) {
    this.socket = socket
    this.openedAt = performance.now()
    this.validUntil = validUntil
    this.limits = limits
    this.pool = pool
    this.turns = turns
    this.pace = new Pace(limits, this.openedAt)
    this.outbox = new Outbox(pool, limits.queueBytesMax)
    this.events = events
    socket.setNoDelay(true)
    socket.setKeepAlive(true, limits.keepAliveMs)
    socket.on('data', this.read)
    socket.on('end', () => this.end('ended', 'closed by the peer'))
    socket.on('error', error => this.end('ended', errorCode(error)))
    socket.on('close', () => this.end('ended', 'closed'))
  }

  /** The greeting is over: from now on frames may be large. `waiting`: what was sent while the peer was dialled. */
  open(events: ConnectionEvents, { share, room }: Common, waiting?: Outbox): void {
    this.greeted = true
    this.share = share
    this.room = room
    this.outbox.enter(room)
    this.events = events
    this.splitter.frameBytesMax = this.limits.frameBytesMax
    waiting?.moveInto(this.outbox)
    this.planFlush()
  }

  /** The peer was caught lying: from now on it is read slowly. */
  slow(): void {
    const perSecond = this.limits.caughtBytesPerSecond
    this.pace = new Pace({ inBytesBurst: perSecond, inBytesPerSecond: perSecond }, performance.now())
  }

  /** Whether it has to wait with its words. What it may have under way is none of its doing meanwhile. */
  hold(isHeld: boolean): void {
    if (this.ended || isHeld === this.held) return
    this.held = isHeld
    if (isHeld) this.socket.pause()
    // Whoever lets go is in the middle of something, and frames come from a fresh turn of the event loop.
    else setImmediate(this.goOn)
  }

  private readonly goOn = (): void => {
    if (this.ended || this.held) return
    if (this.frameSince !== NEVER) this.frameSince = performance.now()
    // What was read before comes first. Where others of its certificate go before it, its turn comes by itself.
    if (!this.resting) this.turns.work(this.share, this)
    this.readOn()
  }

  /** False where the queue is full. */
  send(frame: Uint8Array): boolean {
    if (this.ended || this.closing || !this.outbox.push(frame)) return false
    this.planFlush()
    return true
  }

  /** Lets what is queued leave, then ends. What does not leave in time is lost. */
  close(): Promise<void> {
    this.closing = true
    clearTimeout(this.paused)
    this.socket.resume()
    this.planFlush()
    return new Promise(resolve => {
      if (this.socket.closed) return resolve()
      const late = setTimeout(() => this.end('ended', 'closed before everything had left'), this.limits.closeMs)
      this.socket.once('close', () => {
        clearTimeout(late)
        resolve()
      })
    })
  }

  end(fault: Fault, why: string): void {
    if (this.ended) return
    this.ended = true
    clearTimeout(this.paused)
    // The block under way stays with node:tls, which may not have read all of it: it is left to the collector.
    const lost = this.outbox.clear() + (this.underWay?.frames ?? 0)
    if (this.underWay !== undefined) this.outbox.gone(this.underWay)
    this.leaveRoom()
    this.socket.destroy()
    this.events.end(fault, why, lost)
  }

  /** Ends the connection where a limit of time has passed. False once it has ended. */
  sweep(now: number): boolean {
    if (!this.greeted && now - this.openedAt > this.limits.handshakeMs) this.end('refused', 'no greeting in time')
    else if (now - this.underWaySince > this.limits.stallMs) this.end('refused', 'the peer does not read')
    else if (!this.resting && !this.held && now - this.frameSince > this.limits.frameMs)
      this.end('refused', 'half a frame, then silence')
    else if (this.validUntil.getTime() < Date.now()) this.end('refused', 'the certificate has expired')
    return !this.ended
  }

  private readonly read = (piece: Uint8Array): void => {
    if (this.ended || this.closing) return
    if (!this.splitter.insideFrame) this.frameSince = performance.now()
    this.pieceBytes += piece.length
    this.splitter.push(piece)
    if (!this.resting) this.turns.work(this.share, this)
  }

  /** One frame of what was read. */
  step(): boolean {
    if (this.ended || this.closing) return false
    if (this.held) {
      this.resting = false
      return false
    }
    const frame = this.splitter.next()
    if (frame === undefined) {
      this.allTaken()
      return false
    }
    const { share } = this
    this.events.frame(frame)
    this.leaveRoom()
    this.frameSince = performance.now()
    if (share === this.share) return true
    // That was the greeting. What was read behind it is worked at in the turn of its certificate, not in one of its own.
    this.turns.work(this.share, this)
    return false
  }

  private allTaken(): void {
    const rested = this.resting
    this.resting = false
    if (this.splitter.refusal !== undefined) return this.end('refused', this.splitter.refusal)
    if (!this.splitter.insideFrame) this.frameSince = NEVER
    this.askForRoom()
    const pauseMs = this.pace.spend(this.pieceBytes, performance.now())
    this.pieceBytes = 0
    if (pauseMs > 0) this.pause(pauseMs)
    else if (rested) this.readOn()
  }

  /** A large frame has begun: the rest of it is read when there is room. What has come is no more than a piece. */
  private askForRoom(): void {
    const bytes = this.splitter.wholeBytes
    if (bytes <= BLOCK_BYTES || this.roomBytes > 0 || this.room === undefined) return
    this.roomBytes = bytes
    if (this.room.enter(this, bytes)) return
    this.waitsForRoom = true
    this.frameSince = NEVER
    this.socket.pause()
  }

  roomGiven(): void {
    this.waitsForRoom = false
    this.frameSince = performance.now()
    this.readOn()
  }

  private leaveRoom(): void {
    if (this.waitsForRoom) this.room?.forget(this)
    else if (this.roomBytes > 0) this.room?.leave(this.roomBytes)
    this.waitsForRoom = false
    this.roomBytes = 0
  }

  /** The others have their turn in between: nothing more is read before. */
  rest(): void {
    this.resting = true
    this.socket.pause()
  }

  /** What the peer says meanwhile fills its own buffers. */
  private pause(millis: number): void {
    this.socket.pause()
    clearTimeout(this.paused)
    this.paused = setTimeout(this.resume, millis)
    if (this.wasSlowed) return
    this.wasSlowed = true
    this.events.slowed?.()
  }

  private readonly resume = (): void => {
    clearTimeout(this.paused)
    this.paused = undefined
    this.readOn()
  }

  private readOn(): void {
    if (!this.resting && !this.held && !this.waitsForRoom && this.paused === undefined) this.socket.resume()
  }

  private planFlush(): void {
    if (this.flushPlanned || this.underWay !== undefined) return
    this.flushPlanned = true
    plan(this.flush)
  }

  private readonly flush = (): void => {
    this.flushPlanned = false
    if (this.ended || this.underWay !== undefined) return
    const block = this.outbox.shift()
    if (block === undefined) {
      if (this.closing) this.socket.end()
      return
    }
    this.underWay = block
    this.underWaySince = performance.now()
    this.socket.write(block.bytes.subarray(0, block.length), this.written)
  }

  private readonly written = (error?: Error | null): void => {
    if (this.ended || this.underWay === undefined || error) return
    this.outbox.gone(this.underWay)
    this.pool.give(this.underWay)
    this.underWay = undefined
    this.underWaySince = NEVER
    this.flush()
  }
}

export function errorCode(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message
}
