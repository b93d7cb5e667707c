// LECTURE, "Gossip-based overlay construction: a 2D torus": lists of the c nearest nodes on an N × N grid whose sides
// are joined, found by gossip.
//
// The lecture's rule, literally: every node picks a random other from its lowest list (peer sampling) and keeps the
// nearer ones. A round brings each node one reference, which is one of its four neighbours once in N²/4 rounds: no
// picture after 5 or 20 rounds looks like a torus. What gives the lecture's pictures is T-Man (Jelasity, Montresor and
// Babaoglu 2009): exchange lists with a node that is near already, so that neighbours introduce neighbours; the
// random reference stays, as what keeps the search from getting stuck.

import type { Chance } from './chance.ts'

export type Overlay = 'literal' | 't-man'

export class Torus {
  /** N: nodes along a side. */
  readonly side: number
  /** c */
  readonly length: number
  readonly lists: Int32Array
  private readonly chance: Chance
  private readonly overlay: Overlay
  private readonly pool: number[] = []
  private readonly seen: Int32Array
  private stamp = 0

  constructor(side: number, length: number, overlay: Overlay, chance: Chance) {
    this.side = side
    this.length = length
    this.overlay = overlay
    this.chance = chance
    this.seen = new Int32Array(side * side)
    this.lists = new Int32Array(side * side * length)
    for (let node = 0; node < side * side; node++) {
      for (let at = node * length; at < (node + 1) * length; at++) this.lists[at] = this.random(node)
      this.keep(node, [])
    }
  }

  /** A reference from the lowest list: peer sampling gives anybody with the same chance. */
  private random(node: number): number {
    const drawn = this.chance.below(this.side * this.side - 1)
    return drawn < node ? drawn : drawn + 1
  }

  distance(a: number, b: number): number {
    const { side } = this
    const across = Math.abs((a % side) - (b % side))
    const down = Math.abs(Math.floor(a / side) - Math.floor(b / side))
    return Math.min(across, side - across) + Math.min(down, side - down)
  }

  runRound(): void {
    for (let node = 0; node < this.side * this.side; node++) {
      const random = this.random(node)
      if (this.overlay === 'literal') this.keep(node, [random])
      else this.exchange(node, random)
    }
  }

  private listOf(node: number): Int32Array {
    return this.lists.slice(node * this.length, (node + 1) * this.length)
  }

  // The partner is drawn from the nearer half of the list: near ones know near ones.
  private exchange(node: number, random: number): void {
    const { length, chance, lists } = this
    const partner = lists[node * length + chance.below(Math.max(1, length >> 1))]!
    const own = [...this.listOf(node), node, random]
    const theirs = [...this.listOf(partner), partner, this.random(partner)]
    this.keep(node, theirs)
    this.keep(partner, own)
  }

  /** The c nearest of the list and what was shown, nearest first; equally near ones at random. */
  private keep(node: number, shown: readonly number[]): void {
    const { length, lists, pool, seen } = this
    const stamp = ++this.stamp
    seen[node] = stamp
    pool.length = 0
    for (const id of [...this.listOf(node), ...shown]) {
      if (seen[id] === stamp) continue
      seen[id] = stamp
      pool.push(this.distance(node, id) * 2 ** 20 + this.chance.below(2 ** 20), id)
    }
    const ranked: [number, number][] = []
    for (let at = 0; at < pool.length; at += 2) ranked.push([pool[at]!, pool[at + 1]!])
    ranked.sort((a, b) => a[0] - b[0])
    // A list is never shorter than c: the last reference fills what doubles left empty.
    for (let at = 0; at < length; at++) lists[node * length + at] = ranked[Math.min(at, ranked.length - 1)]![1]
  }

  /** Of the 4 neighbours of every node, how many are in its list. */
  found(): number {
    let found = 0
    for (let node = 0; node < this.side * this.side; node++) {
      found += new Set([...this.listOf(node)].filter(id => this.distance(node, id) === 1)).size
    }
    return found / (4 * this.side * this.side)
  }

  /** Lines to the four nearest, for a picture; those across the joined sides are left out. */
  lines(): [number, number][] {
    const { side, length, lists } = this
    const lines: [number, number][] = []
    for (let node = 0; node < side * side; node++) {
      for (let at = 0; at < Math.min(4, length); at++) {
        const other = lists[node * length + at]!
        const plain =
          Math.abs((node % side) - (other % side)) + Math.abs(Math.floor(node / side) - Math.floor(other / side))
        if (plain === this.distance(node, other)) lines.push([node, other])
      }
    }
    return lines
  }
}
