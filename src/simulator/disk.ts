// A simulated disk: records become durable after a while, in order. A crash loses what was not yet durable,
// except that any prefix of it may have reached the disk after all: a record that nobody promised may be there.
//
// Lazy records and `forget` wait for the next record that somebody waits for, or for a clean stop: a real store writes
// them sooner, and so loses less.

import { KeptLane, type Random, type Saved, type SaveKind } from '../core/index.ts'
import type { Micros } from './network.ts'

interface Pending {
  readonly apply: () => void
  /** Missing where nobody waits for it. */
  readonly durable?: () => void
}

/** One record on its way to the disk. */
export interface Writing {
  readonly lane: string
  readonly record: Uint8Array
  readonly kind: SaveKind
}

export class Disk {
  private lanes: Map<string, KeptLane>
  private readonly pending: Pending[] = []
  private readonly random: Random
  private busyUntil: Micros = 0

  constructor(saved: Saved | undefined, random: Random) {
    this.random = random
    this.lanes = lanesOf(saved ?? new Map())
  }

  read(): Saved {
    return new Map([...this.lanes].map(([lane, { records }]) => [lane, [...records]]))
  }

  /** Takes a record, and says when it will be durable; `finish` must be called then. */
  write({ lane, record, kind }: Writing, now: Micros, takesMax: Micros, durable: () => void): Micros {
    this.pending.push({ apply: () => this.lane(lane).save(record, kind), durable })
    this.busyUntil = Math.max(this.busyUntil, now) + (takesMax > 0 ? this.random.below(takesMax) : 0)
    return this.busyUntil
  }

  writeLazily({ lane, record, kind }: Writing): void {
    this.pending.push({ apply: () => this.lane(lane).save(record, kind) })
  }

  forget(lane: string): void {
    this.pending.push({ apply: () => this.lanes.get(lane)?.forget() })
  }

  /** The oldest record that somebody waits for is durable now, and all before it. */
  finish(): void {
    const first = this.pending.findIndex(({ durable }) => durable !== undefined)
    if (first < 0) return
    const done = this.pending.splice(0, first + 1)
    for (const { apply } of done) apply()
    done[first]!.durable!()
  }

  /** A clean stop: what nobody waits for is written too. */
  stop(): void {
    for (const { apply } of this.pending.splice(0)) apply()
    this.endLife()
  }

  crash(): void {
    const reached = this.random.below(this.pending.length + 1)
    for (const { apply } of this.pending.splice(0).slice(0, reached)) apply()
    this.busyUntil = 0
    this.endLife()
  }

  /** Another disk, with nothing on it, takes its place. */
  lose(): void {
    this.lanes = new Map()
  }

  /** An older copy of what was on it takes its place. */
  putBack(copy: Saved): void {
    this.lanes = lanesOf(copy)
  }

  // An account that this life has begun is not the next one's.
  private endLife(): void {
    this.lanes = lanesOf(this.read())
  }

  private lane(name: string): KeptLane {
    const lane = this.lanes.get(name) ?? new KeptLane()
    this.lanes.set(name, lane)
    return lane
  }
}

function lanesOf(saved: Saved): Map<string, KeptLane> {
  return new Map([...saved].map(([name, records]) => [name, new KeptLane(records)]))
}
