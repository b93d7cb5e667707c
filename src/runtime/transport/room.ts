// How many bytes the connections of one certificate make us hold, all together.
//
// Out: frames that wait for somebody who does not read. In: large frames of which only a part has come. Each connection has
// a bound of its own; by connection alone, a client with 256 of them would have 256 shares, and with half-read answers on
// each it would fill the memory of any server.
//
// What is beyond is a frame that is not queued (as where the queue of one connection is full), or a large frame that is not
// read on before others of the same certificate are whole or gone. A small frame always goes: one block of each connection is
// not counted against the others, so that a process in need of little is served beside its greedy brothers.

import { assert } from '../../core/index.ts'
import type { Limits } from './limits.ts'

/** A connection in whose stream a large frame has begun. */
export interface Reader {
  /** There is room for its frame now. */
  roomGiven(): void
}

export class Room {
  /** Of frames that wait to be written, or whose write is under way. */
  queuedBytes = 0
  /** Of large frames that are being read: the whole of each, however little of it has come. */
  private readingBytes = 0
  private readonly limits: Pick<Limits, 'queueBytesOfOwnerMax' | 'readingBytesOfOwnerMax'>
  private readonly waiting: { readonly reader: Reader; readonly bytes: number }[] = []

  constructor(limits: Pick<Limits, 'queueBytesOfOwnerMax' | 'readingBytesOfOwnerMax'>) {
    this.limits = limits
  }

  /** Whether so much more may be queued. */
  takes(size: number): boolean {
    return this.queuedBytes + size <= this.limits.queueBytesOfOwnerMax
  }

  /** False: the reader waits, and is told when there is room. One after the other: a small one must not overtake for ever. */
  enter(reader: Reader, bytes: number): boolean {
    if (this.waiting.length > 0 || !this.fits(bytes)) {
      this.waiting.push({ reader, bytes })
      return false
    }
    this.readingBytes += bytes
    return true
  }

  leave(bytes: number): void {
    this.readingBytes -= bytes
    assert(this.readingBytes >= 0, 'no more is left than was entered')
    this.giveRoom()
  }

  /** It waits no more. */
  forget(reader: Reader): void {
    const place = this.waiting.findIndex(one => one.reader === reader)
    if (place < 0) return
    this.waiting.splice(place, 1)
    this.giveRoom()
  }

  private fits(bytes: number): boolean {
    return this.readingBytes + bytes <= this.limits.readingBytesOfOwnerMax
  }

  private giveRoom(): void {
    while (this.waiting.length > 0 && this.fits(this.waiting[0]!.bytes)) {
      const { reader, bytes } = this.waiting.shift()!
      this.readingBytes += bytes
      reader.roomGiven()
    }
  }
}
