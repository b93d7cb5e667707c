// Whose words wait for the disk, and who has to wait with more.
//
// A machine answers when what it answers with is durable, so everything that is asked while the disk is busy waits in memory: the
// records, and the answers behind them. A disk may be slow for seconds, and a question of a few bytes may have a large answer. So what
// follows from the words of one certificate is added up, and when it is enough, no more of it is read until half of that has left.
// Everybody else is read as ever.

import type { NodeId } from '../core/index.ts'
import { inBackground } from './platform.ts'
import { ownerOf } from './transport/instance.ts'
import type { Log, Transport } from './transport/transport.ts'

/** What waits for the disk because of one certificate, before it has to wait itself: beyond it is what one word can cause. */
export const HELD_BYTES_OF_OWNER_MAX = 8 << 20
/** A slow disk is told of once, for each certificate that it makes wait. */
const SILENT_MS = 60_000

export class Holding {
  private readonly bytes = new Map<string, number>()
  private readonly held = new Set<string>()
  /** Told of in this minute. */
  private readonly told = new Set<string>()
  private readonly log: Log
  private readonly transport: () => Transport | undefined

  constructor(log: Log, transport: () => Transport | undefined) {
    this.log = log
    this.transport = transport
  }

  /** So much more, or less, waits because of this peer. */
  change(peer: NodeId, change: number): void {
    const owner = ownerOf(peer)
    const bytes = (this.bytes.get(owner) ?? 0) + change
    if (bytes === 0) this.bytes.delete(owner)
    else this.bytes.set(owner, bytes)
    if (bytes > HELD_BYTES_OF_OWNER_MAX && !this.held.has(owner)) this.hold(peer, owner)
    else if (bytes <= HELD_BYTES_OF_OWNER_MAX / 2 && this.held.delete(owner)) this.transport()?.hold?.(peer, false)
  }

  private hold(peer: NodeId, owner: string): void {
    this.held.add(owner)
    this.transport()?.hold?.(peer, true)
    if (this.told.size === 0) inBackground(setTimeout(() => this.told.clear(), SILENT_MS))
    if (this.told.has(owner)) return
    this.told.add(owner)
    this.log('warn', 'peer has to wait for the disk', {
      peer,
      why: `more than ${HELD_BYTES_OF_OWNER_MAX} bytes that it asked for wait to be saved`,
    })
  }
}
