// Puts what a visitor does into the world's calendar, beside the faults that were drawn (faults.ts).

import type { NodeId } from '../core/index.ts'
import type { ManualAct } from './acts.ts'
import type { Micros } from './network.ts'
import type { World } from './world.ts'

/** Schedules an act that strikes nodes or links. What has begun before everything heals ends there at the latest. */
export function strike(world: World, act: ManualAct, healsAt: Micros): void {
  if (!('lasts' in act) || act.at >= healsAt) return
  const ends = Math.min(act.at + act.lasts, healsAt)
  const both = (begin: () => void, end: () => void) => {
    world.at(act.at, begin)
    world.at(ends, end)
  }
  switch (act.kind) {
    case 'crash':
    case 'lose': {
      const { node, kind } = act
      return both(
        () => known(world, node) && world[kind](node),
        () => known(world, node) && world.node(node).spec.returns !== false && world.start(node),
      )
    }
    case 'pause':
      return both(
        () => known(world, act.node) && world.pause(act.node),
        () => known(world, act.node) && world.resume(act.node),
      )
    case 'slow':
      return both(
        () => known(world, act.node) && world.network.slow.set(world.node(act.node).index, act.factor),
        () => known(world, act.node) && world.network.slow.delete(world.node(act.node).index),
      )
    case 'cut': {
      let cut: readonly [number, number] | undefined
      return both(
        () => {
          if (!known(world, act.from) || !known(world, act.to)) return
          cut = [world.node(act.from).index, world.node(act.to).index]
          world.network.cut(...cut)
        },
        () => cut && world.network.mend(...cut),
      )
    }
  }
}

function known(world: World, node: NodeId): boolean {
  return world.nodes.has(node)
}
