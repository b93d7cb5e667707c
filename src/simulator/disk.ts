// A simulated disk: records become durable after a while, in order. A crash loses what was not yet durable,
// except that any prefix of it may have reached the disk after all: a record that nobody promised may be there.

import type { Random, Saved } from '../core/index.ts'
import type { Micros } from './network.ts'

interface Pending {
  readonly lane: string
  readonly record: Uint8Array
  readonly replaces: boolean
  readonly durable: () => void
}

export class Disk {
  private readonly lanes = new Map<string, Uint8Array[]>()
  private readonly pending: Pending[] = []
  private readonly random: Random
  private busyUntil: Micros = 0

  constructor(saved: Saved | undefined, random: Random) {
    this.random = random
    for (const [lane, records] of saved ?? []) this.lanes.set(lane, [...records])
  }

  read(): Saved {
    return new Map([...this.lanes].map(([lane, records]) => [lane, [...records]]))
  }

  /** Takes a record, and says when it will be durable; `finish` must be called then. */
  write(
    lane: string,
    record: Uint8Array,
    replaces: boolean,
    now: Micros,
    takesMax: Micros,
    durable: () => void,
  ): Micros {
    this.pending.push({ lane, record, replaces, durable })
    this.busyUntil = Math.max(this.busyUntil, now) + (takesMax > 0 ? this.random.below(takesMax) : 0)
    return this.busyUntil
  }

  /** The oldest record is durable now. */
  finish(): void {
    const first = this.pending.shift()
    if (first === undefined) return
    this.keep(first)
    first.durable()
  }

  crash(): void {
    const reached = this.random.below(this.pending.length + 1)
    for (const record of this.pending.splice(0).slice(0, reached)) this.keep(record)
    this.busyUntil = 0
  }

  private keep(record: Pending): void {
    const lane = this.lanes.get(record.lane)
    if (lane === undefined || record.replaces) this.lanes.set(record.lane, [record.record])
    else lane.push(record.record)
  }
}
