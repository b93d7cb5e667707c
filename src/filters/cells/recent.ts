// The dictionary beside a queue (THESIS theorem 4.3.1): which ring position holds the latest occurrence of an entry?
//
// The thesis keeps a counter per key, and in it the key once more. Neither is needed. The table stores ring positions
// only, and the ring itself says which entry stands there; an entry is in the window exactly when its latest occurrence
// has not been overwritten. So a slot takes log2(w + 1) bits, and half of the thesis's memory for keys goes into free
// slots instead, which make look-up fast.
//
// Open addressing with linear probing; a removal closes the gap behind it, so there are no tombstones.

import { PackedCells } from './packed.ts'

export interface Ring {
  /** The slot where the entry at this position would like to be found, the same for equal entries. */
  homeOf(position: number): number
  /** Whether the entry at this position equals the candidate at hand. */
  isCandidate(position: number): boolean
}

export class RecentPositions {
  readonly slots: number
  private readonly ring: Ring
  /** Position + 1; 0 is a free slot. */
  private readonly held: PackedCells

  constructor(slots: number, window: number, ring: Ring) {
    this.slots = slots
    this.ring = ring
    this.held = new PackedCells(slots, positionBits(window))
  }

  get bits(): number {
    return this.held.bits
  }

  get words(): Int32Array {
    return this.held.words
  }

  /** Whether the candidate, whose home is given, has an occurrence in the ring. */
  has(home: number): boolean {
    return this.held.get(this.seek(home)) !== 0
  }

  /** The candidate's latest occurrence is now at this position. */
  put(home: number, position: number): void {
    this.held.set(this.seek(home), position + 1)
  }

  /** The entry at this position leaves the ring. A later occurrence of the same entry, if any, stays. */
  forget(position: number): void {
    for (let slot = this.ring.homeOf(position); ; slot = this.after(slot)) {
      const held = this.held.get(slot)
      if (held === 0) return
      if (held === position + 1) {
        this.close(slot)
        return
      }
    }
  }

  /** Whether these slots can belong to a ring with so many entries: a table without a free slot would never end a search. */
  isSound(entries: number): boolean {
    let taken = 0
    for (let slot = 0; slot < this.slots; slot++) {
      const held = this.held.get(slot)
      if (held > entries) return false
      if (held !== 0) taken++
    }
    return taken <= entries && taken < this.slots
  }

  clear(): void {
    this.held.clear()
  }

  /** The slot that holds the candidate, or the free one where it belongs. */
  private seek(home: number): number {
    let slot = home
    for (let held = this.held.get(slot); held !== 0 && !this.ring.isCandidate(held - 1); held = this.held.get(slot))
      slot = this.after(slot)
    return slot
  }

  private close(removed: number): void {
    let gap = removed
    for (let slot = this.after(gap); ; slot = this.after(slot)) {
      const held = this.held.get(slot)
      if (held === 0) break
      // It may move back into the gap only if that is not before its home.
      const home = this.ring.homeOf(held - 1)
      const staysReachable = gap <= slot ? home <= gap || home > slot : home <= gap && home > slot
      if (!staysReachable) continue
      this.held.set(gap, held)
      gap = slot
    }
    this.held.set(gap, 0)
  }

  private after(slot: number): number {
    return slot + 1 === this.slots ? 0 : slot + 1
  }
}

/** A ring's cursor: [where the next entry goes, entries in the ring]. */
export function isCursorSound(cursor: Int32Array, window: number): boolean {
  const [next, entries] = [cursor[0]!, cursor[1]!]
  return next >= 0 && next < window && (entries === window || (entries === next && entries >= 0))
}

export function positionBits(window: number): number {
  return Math.ceil(Math.log2(window + 1))
}
