// One party is killed at one of its steps, just after it did what the step asked for: what was not on disk by then is lost. It comes
// back a moment later. Drawn faults are spread over seconds and miss most of a short run; these hit it.

import type { AnyProtocol, NodeId, Random } from '../../core/index.ts'
import { type Micros, pick, type World } from '../../simulator/index.ts'

/** Who is killed, after how many things that happened to it, and how long it is away. */
export interface Kill {
  readonly party: NodeId
  readonly step: number
  readonly lasts: Micros
}

const LASTS_MAX: Micros = 1_500_000

/** One of these at one of so many steps; a few beyond the last, where nothing happens, are the price of not knowing which is the last. */
export function drawKill(random: Random, parties: readonly NodeId[], stepsMax: number): Kill {
  return { party: pick(random, parties), step: random.below(stepsMax), lasts: 1 + random.below(LASTS_MAX) }
}

/** The same machine, killed at that step of all its lives together. */
export function killing(world: World, { party, step, lasts }: Kill, id: NodeId, protocol: AnyProtocol): AnyProtocol {
  if (id !== party) return protocol
  let steps = 0
  return {
    ...protocol,
    step(state, input, turn) {
      protocol.step(state, input, turn)
      if (steps++ !== step) return
      world.at(world.now, () => world.crash(id))
      world.at(world.now + lasts, () => world.start(id))
    },
  }
}
