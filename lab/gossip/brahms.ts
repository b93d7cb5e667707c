// Brahms (Bortnikov, Gurevich, Keidar, Kliot and Shraer, 2009): peer sampling that bounds what liars can do.
//
// A node has a view of l1 references, made every round from three parts: references pushed to it (α), references
// pulled from others (β) and its own samples (γ). If more is pushed than an honest crowd would push, the round is
// skipped: flooding makes a node deaf, not captured. Beside the view, l2 samplers: each has a random order of all ids
// and keeps the smallest that it ever saw, so that repeating an id a thousand times does not help it.
// The order is a keyed integer mix here; against an attacker that knows the keys it must be a keyed hash.

import type { Chance } from './chance.ts'

export interface BrahmsOptions {
  readonly size: number
  /** l1 and l2. */
  readonly view: number
  readonly samplers: number
  /** How many nodes, the first ones, push only themselves and show only each other. */
  readonly attackers: number
}

const PUSHED = 0.45
const PULLED = 0.45

export class Brahms {
  readonly options: BrahmsOptions
  readonly views: Int32Array
  readonly samples: Int32Array
  private readonly keys: Int32Array
  private readonly lowest: Uint32Array
  private readonly pushed: Int32Array
  private readonly pushes: Int32Array
  private readonly next: Int32Array
  private readonly pushMax: number
  private readonly pullMax: number
  private readonly chance: Chance

  constructor(options: BrahmsOptions, chance: Chance) {
    const { size, view, samplers } = options
    this.options = options
    this.chance = chance
    this.pushMax = Math.max(1, Math.round(PUSHED * view))
    this.pullMax = Math.max(1, Math.round(PULLED * view))
    this.views = Int32Array.from({ length: size * view }, () => chance.below(size))
    this.next = new Int32Array(size * view)
    this.samples = new Int32Array(size * samplers).fill(-1)
    this.keys = Int32Array.from({ length: size * samplers }, () => chance.next())
    this.lowest = new Uint32Array(size * samplers).fill(0xffff_ffff)
    this.pushed = new Int32Array(size)
    this.pushes = new Int32Array(size * this.pushMax)
    for (let node = 0; node < size; node++) {
      for (let at = node * view; at < (node + 1) * view; at++) this.see(node, this.views[at]!)
    }
  }

  runRound(): void {
    this.pushed.fill(0)
    for (let node = 0; node < this.options.size; node++) this.push(node)
    for (let node = this.options.attackers; node < this.options.size; node++) this.renew(node)
    this.views.set(this.next)
  }

  private push(node: number): void {
    const { size, view, attackers } = this.options
    for (let at = 0; at < this.pushMax; at++) {
      // An attacker spreads its pushes over everybody; the protocol limits how many it has.
      const to = node < attackers ? this.chance.below(size) : this.views[node * view + this.chance.below(view)]!
      const count = this.pushed[to]!
      if (count < this.pushMax) this.pushes[to * this.pushMax + count] = node
      this.pushed[to] = count + 1
    }
  }

  private renew(node: number): void {
    const { views, next, pushed, pushes, samples, pushMax, pullMax, chance } = this
    const { view, samplers, attackers } = this.options
    const from = node * view
    const pulledFrom = new Int32Array(pullMax)
    for (let at = 0; at < pullMax; at++) pulledFrom[at] = views[from + chance.below(view)]!
    const fits = pushed[node]! > 0 && pushed[node]! <= pushMax
    const pulled = () => {
      const source = pulledFrom[chance.below(pullMax)]!
      return source < attackers ? chance.below(attackers) : views[source * view + chance.below(view)]!
    }
    for (let at = 0; at < view; at++) {
      if (!fits) next[from + at] = views[from + at]!
      else if (at < pushMax) next[from + at] = pushes[node * pushMax + chance.below(pushed[node]!)]!
      else if (at < pushMax + pullMax) next[from + at] = pulled()
      else next[from + at] = samples[node * samplers + chance.below(samplers)]!
    }
    for (let at = 0; at < Math.min(pushMax, pushed[node]!); at++) this.see(node, pushes[node * pushMax + at]!)
    for (const source of pulledFrom) this.seeAll(node, source)
  }

  private seeAll(node: number, source: number): void {
    const { view, attackers } = this.options
    for (let at = 0; at < view; at++) {
      this.see(node, source < attackers ? at % attackers : this.views[source * view + at]!)
    }
  }

  private see(node: number, id: number): void {
    const { samples, keys, lowest } = this
    if (id === node) return
    const { samplers } = this.options
    for (let at = node * samplers; at < (node + 1) * samplers; at++) {
      const rank = mixed(id, keys[at]!)
      if (rank >= lowest[at]!) continue
      lowest[at] = rank
      samples[at] = id
    }
  }

  /** Of the honest nodes' references, the share that goes to attackers. */
  caught(references: Int32Array, each: number): number {
    const { attackers, size } = this.options
    let caught = 0
    for (let at = attackers * each; at < size * each; at++) if (references[at]! < attackers) caught++
    return caught / ((size - attackers) * each)
  }
}

/** An order of the ids for each key: the finishing steps of MurmurHash3, so that near ids do not rank together. */
function mixed(id: number, key: number): number {
  let value = Math.imul(id, 0x9e37_79b1) ^ key
  value = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2_ae35)
  return (value ^ (value >>> 16)) >>> 0
}
