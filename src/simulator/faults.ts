// Faults as data. A plan lists what goes wrong and when; it is drawn from the seed before the run begins, so that
// a failing run can be repeated with some of it left out.

import type { NodeId, Random } from '../core/index.ts'
import type { Micros, NetworkFaults } from './network.ts'
import type { World } from './world.ts'

/** What goes wrong in a run. */
export type Fault =
  /** Gone for a while, then restarted with what was durable; `clean`: stopped in order. */
  | { readonly kind: 'crash'; readonly node: NodeId; readonly lasts: Micros; readonly clean: boolean }
  | { readonly kind: 'pause'; readonly node: NodeId; readonly lasts: Micros }
  /** Messages from these nodes do not reach the others, and the other way round too unless `oneWay`. */
  | { readonly kind: 'partition'; readonly side: readonly NodeId[]; readonly lasts: Micros; readonly oneWay: boolean }
  | { readonly kind: 'slow'; readonly node: NodeId; readonly lasts: Micros; readonly factor: number }

/** Something, and when it happens. */
export type Timed<Item> = Item & { readonly at: Micros }

/** What faults may strike. */
export interface FaultTargets {
  /** Nodes that restart under their own name with their disk. */
  readonly durable: readonly NodeId[]
  /** Nodes that may be paused, cut off and slowed. */
  readonly all: readonly NodeId[]
}

/** Which kinds of fault this run has at all (swarm testing: a run with few kinds goes deeper into each). */
export function drawFaults(random: Random, targets: FaultTargets, until: Micros, lastsMax: Micros): Timed<Fault>[] {
  const kinds = (['crash', 'pause', 'partition', 'slow'] as const).filter(() => random.chance(0.5))
  if (kinds.length === 0) return []
  const count = random.below(12)
  const faults: Timed<Fault>[] = []
  for (let i = 0; i < count; i++) {
    const kind = kinds[random.below(kinds.length)]!
    faults.push({ at: random.below(until), ...drawFault(random, kind, targets, lastsMax) })
  }
  return faults
}

function drawFault(random: Random, kind: Fault['kind'], targets: FaultTargets, lastsMax: Micros): Fault {
  const lasts = 1 + random.below(lastsMax)
  const node = pick(random, kind === 'crash' ? targets.durable : targets.all)
  switch (kind) {
    case 'crash':
      return { kind, node, lasts, clean: random.chance(0.25) }
    case 'pause':
      return { kind, node, lasts }
    case 'slow':
      return { kind, node, lasts, factor: 2 + random.below(30) }
    case 'partition':
      return { kind, side: targets.all.filter(() => random.chance(0.4)), lasts, oneWay: random.chance(0.3) }
  }
}

/** A network that loses, repeats, delays and reorders, or does not. */
export function drawNetwork(random: Random): NetworkFaults {
  return {
    delayMin: 200 + random.below(2_000),
    delaySpread: 1 + random.below(random.chance(0.3) ? 100_000 : 5_000),
    tailChance: random.chance(0.5) ? 0.02 : 0,
    tailMax: 1_000 + random.below(2_000_000),
    loss: random.chance(0.5) ? random.unit() * 0.2 : 0,
    duplication: random.chance(0.4) ? random.unit() * 0.2 : 0,
    inOrder: random.chance(0.3),
  }
}

/** One of these, drawn. */
export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random.below(from.length)]!
}

/** Puts a fault and its end into the world's calendar. */
export function schedule(world: World, fault: Timed<Fault>): void {
  const ends = fault.at + fault.lasts
  switch (fault.kind) {
    case 'crash':
      world.at(fault.at, () => (fault.clean ? world.stop(fault.node) : world.crash(fault.node)))
      return world.at(ends, () => world.start(fault.node))
    case 'pause':
      world.at(fault.at, () => world.pause(fault.node))
      return world.at(ends, () => world.resume(fault.node))
    case 'slow':
      world.at(fault.at, () => world.network.slow.set(world.node(fault.node).index, fault.factor))
      return world.at(ends, () => world.network.slow.delete(world.node(fault.node).index))
    case 'partition':
      return world.at(fault.at, () => {
        // Exactly these are mended again: nodes that joined meanwhile were not cut off by this partition.
        const cuts = cutLinks(world, fault)
        for (const [from, to] of cuts) world.network.cut(from, to)
        world.at(ends, () => {
          for (const [from, to] of cuts) world.network.mend(from, to)
        })
      })
  }
}

function cutLinks(world: World, fault: Fault & { kind: 'partition' }): (readonly [from: number, to: number])[] {
  const links: (readonly [number, number])[] = []
  for (const [id, node] of world.nodes) {
    if (fault.side.includes(id)) continue
    for (const inside of fault.side) {
      const { index } = world.node(inside)
      links.push([index, node.index])
      if (!fault.oneWay) links.push([node.index, index])
    }
  }
  return links
}

/** The end of all faults: every node runs, every link is whole. */
export function heal(world: World): void {
  world.network.heal()
  for (const [id, node] of world.nodes) {
    world.resume(id)
    if (node.host === undefined && node.life > 0 && node.spec.returns !== false) world.start(id)
  }
}
