// The chain of keepers as a server shows it: to clients that ask, and to those whose words are of an epoch that is over.

import type { NodeId } from '../../core/index.ts'
import { inclusionProof } from '../merkle.ts'
import type { EpochStep } from '../transactions.ts'
import { STEPS_MAX } from '../wire.ts'
import { type LedgerScene, send } from './state.ts'

/** To a client that knows the keepers of that epoch, and none after them. */
export function giveSteps(scene: LedgerScene, to: NodeId, after: number): void {
  const { ledger, settings } = scene
  const { closings, leaves, tree, descriptor } = ledger
  const steps = closings.slice(after, after + STEPS_MAX).map((checkpoint): EpochStep => {
    const index = checkpoint.size - 1
    const path = inclusionProof(tree, index, checkpoint.size, settings.suite.hash)
    return { leaf: leaves[index]!, path, checkpoint }
  })
  if (steps.length > 0) send(scene, to, { kind: 'stepped', ledger: descriptor.id, steps })
}

/** The newest of them, to a client that did not say what it knows. */
export function giveNewestSteps(scene: LedgerScene, to: NodeId): void {
  giveSteps(scene, to, Math.max(0, scene.ledger.closings.length - STEPS_MAX))
}
