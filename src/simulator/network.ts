// The simulated network. Every link draws from a generator of its own, so that leaving out one fault of a plan
// disturbs the rest of the run as little as possible: that is what makes shrinking work.

import { type Random, seededRandom } from '../core/index.ts'

/** Microseconds of true time. */
export type Micros = number

/** How late, lossy and disorderly a network is. */
export interface NetworkFaults {
  readonly delayMin: Micros
  /** Added uniformly to every delay. */
  readonly delaySpread: Micros
  /** Chance that a message takes up to `tailMax` longer: the slow one in a hundred. */
  readonly tailChance: number
  readonly tailMax: Micros
  readonly loss: number
  readonly duplication: number
  /** Messages of a link keep their order, as over TCP. */
  readonly inOrder: boolean
}

/** A network that loses, repeats and reorders nothing; messages take up to 1.5 ms. */
export const calm: NetworkFaults = {
  delayMin: 500,
  delaySpread: 1_000,
  tailChance: 0,
  tailMax: 0,
  loss: 0,
  duplication: 0,
  inOrder: true,
}

interface Link {
  readonly random: Random
  lastArrival: Micros
  /** Messages that were sent over it. */
  sent: number
}

/** Decides when each message arrives, and whether it does. */
export class Network {
  faults: NetworkFaults
  /** Delays of links from or to these nodes are multiplied. */
  readonly slow = new Map<number, number>()
  private readonly seed: number
  private readonly links = new Map<number, Link>()
  /** Cut links, by how many partitions cut them: partitions overlap. */
  private readonly cuts = new Map<number, number>()

  constructor(seed: Random, faults: NetworkFaults) {
    this.seed = seed.below(2 ** 32)
    this.faults = faults
  }

  cut(from: number, to: number): void {
    const link = key(from, to)
    this.cuts.set(link, (this.cuts.get(link) ?? 0) + 1)
  }

  mend(from: number, to: number): void {
    const link = key(from, to)
    const left = (this.cuts.get(link) ?? 0) - 1
    if (left > 0) this.cuts.set(link, left)
    else this.cuts.delete(link)
  }

  /** All links whole again, all delays ordinary, nothing lost. */
  heal(): void {
    this.cuts.clear()
    this.slow.clear()
    for (const link of this.links.values()) link.lastArrival = 0
    this.faults = calm
  }

  /**
   * When the message arrives: not at all, once, or twice. `arrive` is called for each. Returns how many were sent over this
   * link, with this one: its name on it.
   */
  route(from: number, to: number, now: Micros, arrive: (at: Micros, nth: number) => void): number {
    const { faults } = this
    const link = this.link(from, to)
    const nth = ++link.sent
    if (this.cuts.size > 0 && this.cuts.has(key(from, to))) return nth
    if (faults.loss > 0 && link.random.chance(faults.loss)) return nth
    arrive(this.arrival(link, from, to, now), nth)
    if (faults.duplication > 0 && link.random.chance(faults.duplication)) arrive(this.arrival(link, from, to, now), nth)
    return nth
  }

  private arrival(link: Link, from: number, to: number, now: Micros): Micros {
    const { faults } = this
    let delay = faults.delayMin + (faults.delaySpread > 0 ? link.random.below(faults.delaySpread) : 0)
    if (faults.tailChance > 0 && link.random.chance(faults.tailChance)) delay += link.random.below(faults.tailMax + 1)
    if (this.slow.size > 0) delay *= (this.slow.get(from) ?? 1) * (this.slow.get(to) ?? 1)
    if (!faults.inOrder) return now + delay
    link.lastArrival = Math.max(link.lastArrival, now + delay)
    return link.lastArrival
  }

  private link(from: number, to: number): Link {
    const name = key(from, to)
    let link = this.links.get(name)
    if (link === undefined) {
      // Made of the link's name, not of the order in which links are first used.
      link = { random: seededRandom(this.seed, name), lastArrival: 0, sent: 0 }
      this.links.set(name, link)
    }
    return link
  }
}

const NODES_MAX = 1 << 15

function key(from: number, to: number): number {
  return from * NODES_MAX + to
}
