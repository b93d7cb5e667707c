// Length-prefixed frames out of a stream that is cut anywhere: u32 big endian length, then that many bytes.
//
// Guarantees, against a peer that sends whatever it likes in pieces of any size:
// - the same frames come out however the stream was cut;
// - a length over the limit is refused when its four bytes are there, before anything is kept for it;
// - memory follows the bytes that arrived, not the length that was announced: a peer that announces a megabyte and
//   sends nothing costs nothing;
// - a frame inside one piece is a view of that piece; only a frame that was cut is put together by copying.
//
// Use: `push` a piece, then call `next` until it gives nothing. A frame is valid until the following call.

import { assert } from '../../core/index.ts'

export const HEADER_BYTES = 4

/** A buffer that a large frame needed is given back after it: most frames that are cut are far smaller. */
const CARRY_BYTES_KEPT = 1 << 14

const CARRY_BYTES_FIRST = 256

const NOTHING = new Uint8Array(0)

export function writeHeader(target: Uint8Array, at: number, length: number): void {
  target[at] = length >>> 24
  target[at + 1] = length >>> 16
  target[at + 2] = length >>> 8
  target[at + 3] = length
}

function readHeader(source: Uint8Array, at: number): number {
  return ((source[at]! << 24) | (source[at + 1]! << 16) | (source[at + 2]! << 8) | source[at + 3]!) >>> 0
}

// A `Buffer` is a `Uint8Array` whose `slice` does not copy: a decoder that slices to keep a field would keep a view of
// a buffer that is about to be overwritten.
function plain(piece: Uint8Array): Uint8Array {
  return piece instanceof Buffer ? new Uint8Array(piece.buffer, piece.byteOffset, piece.length) : piece
}

export class FrameSplitter {
  /** May be raised once the peer has earned it. */
  frameBytesMax: number
  /** Why the stream is refused. Nothing comes out after it is set. */
  refusal: string | undefined

  private piece: Uint8Array = NOTHING
  private at = 0
  /** The beginning of a frame that was cut, header included. Holds `carried` bytes. */
  private carry: Uint8Array = NOTHING
  private carried = 0

  constructor(frameBytesMax: number) {
    this.frameBytesMax = frameBytesMax
  }

  /** True between the first byte of a frame and its last. */
  get insideFrame(): boolean {
    return this.carried > 0
  }

  /** Of the frame that is being put together, with its header; 0 where that is not known. */
  get wholeBytes(): number {
    return this.carried < HEADER_BYTES ? 0 : HEADER_BYTES + readHeader(this.carry, 0)
  }

  push(piece: Uint8Array): void {
    assert(this.at === this.piece.length, 'a piece is pushed when the one before it was used up')
    this.piece = this.refusal === undefined ? plain(piece) : NOTHING
    this.at = 0
  }

  next(): Uint8Array | undefined {
    if (this.refusal !== undefined) return undefined
    return this.carried > 0 ? this.nextCut() : this.nextWhole()
  }

  private nextWhole(): Uint8Array | undefined {
    const left = this.piece.length - this.at
    if (left < HEADER_BYTES) return this.keep(left)
    const length = readHeader(this.piece, this.at)
    if (length > this.frameBytesMax) return this.refuse(length)
    if (left < HEADER_BYTES + length) return this.keep(left)
    const start = this.at + HEADER_BYTES
    this.at = start + length
    return this.piece.subarray(start, this.at)
  }

  /** The last piece ended inside a frame: complete its header, then its body. */
  private nextCut(): Uint8Array | undefined {
    if (this.carried < HEADER_BYTES) {
      this.keep(Math.min(HEADER_BYTES - this.carried, this.piece.length - this.at))
      if (this.carried < HEADER_BYTES) return undefined
    }
    const length = readHeader(this.carry, 0)
    if (length > this.frameBytesMax) return this.refuse(length)
    const whole = HEADER_BYTES + length
    this.keep(Math.min(whole - this.carried, this.piece.length - this.at), whole)
    if (this.carried < whole) return undefined
    const frame = this.carry.subarray(HEADER_BYTES, whole)
    this.carried = 0
    if (this.carry.length > CARRY_BYTES_KEPT) this.carry = NOTHING
    return frame
  }

  /** Moves this many bytes of the piece behind what is carried. `sizeMax`: more than this is never needed. */
  private keep(count: number, sizeMax = CARRY_BYTES_FIRST): undefined {
    const needed = this.carried + count
    if (needed > this.carry.length) {
      const grown = new Uint8Array(Math.max(needed, Math.min(sizeMax, this.carry.length * 2)))
      grown.set(this.carry.subarray(0, this.carried))
      this.carry = grown
    }
    this.carry.set(this.piece.subarray(this.at, this.at + count), this.carried)
    this.carried = needed
    this.at += count
    return undefined
  }

  private refuse(length: number): undefined {
    this.refusal = `a frame of ${length} bytes is announced, ${this.frameBytesMax} are allowed`
    this.at = this.piece.length
    this.carry = NOTHING
    this.carried = 0
    return undefined
  }
}
