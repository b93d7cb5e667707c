// What liars have in common: what their own machines believe that they said, and whom they tell what.

import type { NodeId } from '../../../core/index.ts'
import { nameOf } from '../../verified/saying.ts'
import { isStep, type SlotsMessage, type Step } from '../../verified/wire.ts'
import type { LiarScene } from './lying.ts'

/** A liar's own machine goes on with what it really said, or nobody could go on with it. */
export function remember({ state: { epoch } }: LiarScene, said: SlotsMessage): void {
  if (!isStep(said)) return
  const shelf = said.round === 0 ? epoch.said : epoch.rounds.get(said.round)?.said
  shelf?.set(nameOf(epoch, said), said)
}

export function forget({ state: { epoch } }: LiarScene, said: Step): void {
  const shelf = said.round === 0 ? epoch.said : epoch.rounds.get(said.round)?.said
  shelf?.delete(nameOf(epoch, said))
}

/** Half of the others. */
export function isOdd(scene: LiarScene, to: NodeId): boolean {
  return scene.state.epoch.record.members.findIndex(({ name }) => name === to) % 2 === 1
}
