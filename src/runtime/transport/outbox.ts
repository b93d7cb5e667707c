// Frames that wait for one connection, already in the form in which they leave.
//
// `push` copies a frame behind the others into a block of fixed size; the connection takes one block at a time and
// writes it with one call. Blocks come from a pool that the connections of a transport share, so that a busy
// connection allocates nothing per frame, and one at rest owns nothing. (A growing buffer for each connection would do
// the first but not the second: a thousand idle clients would hold a thousand buffers.)

import { HEADER_BYTES, writeHeader } from './frames.ts'
import type { Room } from './room.ts'

/** Four TLS records. Larger blocks did not make anything faster, and more of each would lie idle. */
export const BLOCK_BYTES = 1 << 16

/** Blocks that the pool keeps for later: enough for a server's peers all at once; what a burst needed beyond is freed. */
const BLOCKS_KEPT_MAX = 32

export interface Block {
  readonly bytes: Uint8Array
  length: number
  /** Frames whose last byte is in this block: what is lost when the block is. */
  frames: number
}

export class BlockPool {
  private readonly free: Block[] = []

  take(): Block {
    const block = this.free.pop() ?? { bytes: Buffer.allocUnsafeSlow(BLOCK_BYTES), length: 0, frames: 0 }
    block.length = 0
    block.frames = 0
    return block
  }

  give(block: Block): void {
    if (this.free.length < BLOCKS_KEPT_MAX) this.free.push(block)
  }
}

export class Outbox {
  /** Never more than the limit. */
  bytes = 0
  private readonly blocks: Block[] = []
  private readonly header = new Uint8Array(HEADER_BYTES)
  private readonly pool: BlockPool
  private readonly bytesMax: number
  /** What the connections of its owner share. One without an owner yet counts for itself alone. */
  private room: Room | undefined
  /** What it counts for there: what is queued, and what was taken to be written. */
  private counted = 0

  constructor(pool: BlockPool, bytesMax: number) {
    this.pool = pool
    this.bytesMax = bytesMax
  }

  /** From now on it is known whose it is. */
  enter(room: Room): void {
    this.room = room
    room.queuedBytes += this.counted
  }

  private count(change: number): void {
    this.counted += change
    if (this.room !== undefined) this.room.queuedBytes += change
  }

  get empty(): boolean {
    return this.bytes === 0
  }

  /** False where the frame does not fit; it is then not queued in part either. */
  push(frame: Uint8Array): boolean {
    const size = HEADER_BYTES + frame.length
    if (this.bytes + size > this.bytesMax) return false
    if (this.bytes + size > BLOCK_BYTES && this.room?.takes(size) === false) return false
    const last = this.blocks.at(-1)
    if (last !== undefined && last.length + size <= BLOCK_BYTES) this.putWhole(last, frame)
    else this.putCut(frame)
    this.bytes += size
    this.count(size)
    return true
  }

  private putWhole(block: Block, frame: Uint8Array): void {
    writeHeader(block.bytes, block.length, frame.length)
    block.bytes.set(frame, block.length + HEADER_BYTES)
    block.length += HEADER_BYTES + frame.length
    block.frames++
  }

  private putCut(frame: Uint8Array): void {
    writeHeader(this.header, 0, frame.length)
    this.fill(this.header)
    this.fill(frame)
    this.blocks.at(-1)!.frames++
  }

  private fill(part: Uint8Array): void {
    for (let at = 0; at < part.length; ) {
      const block = this.blockWithRoom()
      const count = Math.min(part.length - at, BLOCK_BYTES - block.length)
      block.bytes.set(part.subarray(at, at + count), block.length)
      block.length += count
      at += count
    }
  }

  private blockWithRoom(): Block {
    const last = this.blocks.at(-1)
    if (last !== undefined && last.length < BLOCK_BYTES) return last
    const block = this.pool.take()
    this.blocks.push(block)
    return block
  }

  /** The oldest block, which now belongs to the caller, and counts until it is `gone`. */
  shift(): Block | undefined {
    const block = this.blocks.shift()
    if (block !== undefined) this.bytes -= block.length
    return block
  }

  /** A block that was taken is not held any more. */
  gone(block: Block): void {
    this.count(-block.length)
  }

  /** Puts what waits here behind what waits there. */
  moveInto(other: Outbox): void {
    other.blocks.push(...this.blocks)
    other.bytes += this.bytes
    other.count(this.bytes)
    this.count(-this.bytes)
    this.blocks.length = 0
    this.bytes = 0
  }

  /** Drops everything and says how many frames that was. */
  clear(): number {
    let frames = 0
    for (let block = this.shift(); block !== undefined; block = this.shift()) {
      frames += block.frames
      this.gone(block)
      this.pool.give(block)
    }
    return frames
  }
}
