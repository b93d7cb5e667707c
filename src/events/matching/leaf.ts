// Entries that share all keys: a list, and once there are many of them, buckets.

import type { Arena } from './arena.ts'
import type { Attribute } from './attribute.ts'
import { BUCKET_MAX, Bucket } from './bucket.ts'
import type { Visit } from './visit.ts'

/** Up to so many are faster compared one by one than looked up. */
const LIST_MAX = 64
/** A bucket is built anew when as many have come as it has entries, divided by this: each is moved a few times only. */
const GROWTH = 16

export class Leaf {
  private readonly arena: Arena
  private readonly vetoed: readonly Attribute[]
  private readonly hasBuckets: boolean
  private list: number[] = []
  private readonly buckets: Bucket[] = []
  size = 0

  constructor(arena: Arena, vetoed: readonly Attribute[]) {
    this.arena = arena
    this.vetoed = vetoed
    this.hasBuckets = arena.ranges.length > 0 || vetoed.length > 0
  }

  add(entry: number): void {
    this.size++
    this.arena.places[entry] = this.list.length
    this.list.push(entry)
    if (!this.hasBuckets || this.list.length < LIST_MAX) return
    const last = this.buckets.at(-1)
    const room = last === undefined || last.slots.length >= BUCKET_MAX ? 0 : last.slots.length
    if (this.list.length * GROWTH >= room) this.build(room > 0)
  }

  /** Puts the list into buckets; the last bucket is built anew where it has room. */
  private build(withLast: boolean): void {
    const entries = withLast ? alive(this.buckets.pop()!).concat(this.list) : this.list
    this.list = []
    for (let at = 0; at < entries.length; at += BUCKET_MAX) {
      const part = entries.slice(at, at + BUCKET_MAX)
      this.buckets.push(new Bucket(this.arena, part, this.vetoed, this.buckets.length))
    }
  }

  remove(entry: number): void {
    this.size--
    const place = this.arena.places[entry]!
    if (place < 0) return this.removeSlot(~place)
    const last = this.list.pop()!
    if (last === entry) return
    this.list[place] = last
    this.arena.places[last] = place
  }

  private removeSlot(at: number): void {
    const number = Math.floor(at / BUCKET_MAX)
    const bucket = this.buckets[number]!
    bucket.remove(at % BUCKET_MAX)
    // Half of it is dead: what lives gets a smaller one, in the same place.
    if (bucket.live * 2 > bucket.slots.length) return
    this.buckets[number] = new Bucket(this.arena, alive(bucket), this.vetoed, number)
  }

  collect(visit: Visit): void {
    for (const bucket of this.buckets) bucket.collect(visit)
    if (this.arena.ranges.length > 0) this.collectRanges(visit)
    else this.collectList(visit)
  }

  private collectList(visit: Visit): void {
    const { arena, list } = this
    const { owners } = arena
    const tested = arena.mustTest(visit, false)
    for (let at = 0; at < list.length; at++) {
      if (!tested || arena.passes(list[at]!, visit, false)) visit.hit(owners[list[at]!]!)
    }
  }

  /** Most fail at their first range: it is compared here. */
  private collectRanges(visit: Visit): void {
    const { arena, list } = this
    const { owners } = arena
    const from = arena.from[0]!
    const to = arena.to[0]!
    const { number } = arena.ranges[0]!
    const tested = arena.mustTest(visit, false)
    for (let at = 0; at < list.length; at++) {
      const entry = list[at]!
      // Joined by | and not by ||: one comparison alone is a coin toss to the processor, both together rarely pass. Of a
      // list with several numbers `number` is NaN, and neither holds.
      if ((Number(number < from[entry]!) | Number(number > to[entry]!)) !== 0 || !arena.isInRanges(entry)) continue
      if (!tested || arena.passes(entry, visit, false)) visit.hit(owners[entry]!)
    }
  }
}

function alive(bucket: Bucket): number[] {
  const entries: number[] = []
  for (let slot = 0; slot < bucket.slots.length; slot++) if (bucket.isAlive(slot)) entries.push(bucket.slots[slot]!)
  return entries
}
