// Entries that share all keys: a list, and once there are many of them, buckets.

import type { Arena } from './arena.ts'
import type { Attribute } from './attribute.ts'
import { BUCKET_MAX, Bucket } from './bucket.ts'
import type { Visit } from './visit.ts'

/** Up to so many are faster compared one by one than looked up. */
const LIST_MAX = 32

export class Leaf {
  private readonly arena: Arena
  private readonly vetoed: readonly Attribute[]
  private readonly hasBuckets: boolean
  private readonly buckets: Bucket[] = []
  private list: number[] = []
  /** The names of the list's subscriptions, in its order. */
  private names: unknown[] = []
  size = 0

  constructor(arena: Arena, vetoed: readonly Attribute[]) {
    this.arena = arena
    this.vetoed = vetoed
    this.hasBuckets = arena.ranges.length > 0 || vetoed.length > 0
  }

  add(entry: number): void {
    this.size++
    const last = this.buckets.at(-1)
    if (last !== undefined && last.size < last.capacity) return this.addTo(last, entry)
    if (last !== undefined && last.capacity < BUCKET_MAX) return this.rebuild(this.buckets.length - 1, [entry])
    this.arena.places[entry] = this.list.length
    this.list.push(entry)
    this.names.push(this.arena.nameOf(entry))
    if (!this.hasBuckets || this.list.length < LIST_MAX) return
    this.rebuild(this.buckets.length, this.list)
    this.list = []
    this.names = []
  }

  private addTo(bucket: Bucket, entry: number): void {
    bucket.add(entry)
    // As large as any: it is sorted once more, and for the last time.
    if (bucket.size === BUCKET_MAX) this.rebuild(this.buckets.length - 1, [])
  }

  /** Puts what lives in a bucket, if there is one, and more into a new one in its place. */
  private rebuild(number: number, more: readonly number[]): void {
    const entries = this.buckets[number]?.entries() ?? []
    this.buckets[number] = new Bucket(this.arena, entries.concat(more), this.vetoed, number)
  }

  remove(entry: number): void {
    this.size--
    const place = this.arena.places[entry]!
    if (place < 0) return this.removeSlot(~place)
    const last = this.list.pop()!
    const name = this.names.pop()
    if (last === entry) return
    this.list[place] = last
    this.names[place] = name
    this.arena.places[last] = place
  }

  private removeSlot(at: number): void {
    const number = Math.floor(at / BUCKET_MAX)
    const bucket = this.buckets[number]!
    bucket.remove(at % BUCKET_MAX)
    // Half of it is dead: what lives gets a smaller one, in the same place.
    if (bucket.live * 2 <= bucket.size) this.rebuild(number, [])
  }

  collect(visit: Visit): void {
    const { arena } = this
    for (let at = 0; at < this.buckets.length; at++) this.buckets[at]!.collect(visit)
    const tested = arena.mustTest(visit, false)
    if (arena.ranges.length > 0) this.collectRanges(visit, tested)
    else if (tested || arena.mayRepeat(visit)) this.collectTested(visit, tested)
    else this.collectAll(visit)
  }

  private collectAll(visit: Visit): void {
    const { names } = this
    const { found } = visit
    let { count } = visit
    for (let at = 0; at < names.length; at++) found[count++] = names[at]
    visit.count = count
  }

  private collectTested(visit: Visit, tested: boolean): void {
    const { arena, list } = this
    for (let at = 0; at < list.length; at++) {
      if (!tested || arena.passes(list[at]!, visit, false)) arena.hit(list[at]!, visit)
    }
  }

  /** Most fail at their first range: it is compared here. */
  private collectRanges(visit: Visit, tested: boolean): void {
    const { arena, list } = this
    const from = arena.from[0]!
    const to = arena.to[0]!
    const { number } = arena.ranges[0]!
    for (let at = 0; at < list.length; at++) {
      const entry = list[at]!
      // Joined by | and not by ||: one comparison alone is a coin toss to the processor, both together rarely pass. Of a
      // list with several numbers `number` is NaN, and neither holds.
      if ((Number(number < from[entry]!) | Number(number > to[entry]!)) !== 0 || !arena.isInRanges(entry)) continue
      if (!tested || arena.passes(entry, visit, false)) arena.hit(entry, visit)
    }
  }
}
