// Who keeps a ledger, and who will: what a server says of its epochs, and its pledge to keep it from the next one on.

import type { NodeId } from '../../core/index.ts'
import { whyNotByOperators } from '../authority.ts'
import { whyNotNext } from '../light.ts'
import { inclusionProof } from '../merkle.ts'
import { type EpochStep, readTransaction, signingBytes } from '../transactions.ts'
import { type LedgerRequest, STEPS_MAX, shortened } from '../wire.ts'
import { executionOf, type LedgerScene, placeIn, send } from './state.ts'

/** The steps after an epoch, as many as go into one answer. */
export function onSteps(scene: LedgerScene, from: NodeId, { from: after }: LedgerRequest & { kind: 'steps' }): void {
  const { ledger, settings } = scene
  const { closings, leaves, tree, descriptor } = ledger
  const steps = closings.slice(after, after + STEPS_MAX).map((checkpoint): EpochStep => {
    const index = checkpoint.size - 1
    const path = inclusionProof(tree, index, checkpoint.size, settings.suite.hash)
    return { leaf: leaves[index]!, path, checkpoint }
  })
  if (steps.length > 0) send(scene, from, { kind: 'stepped', ledger: descriptor.id, steps })
}

/** Pledges where the operators ask for it, and the next epoch names a key of this server. */
export function onPledge(scene: LedgerScene, from: NodeId, { query, leaf }: LedgerRequest & { kind: 'pledge' }): void {
  const { ledger, settings, state } = scene
  const { descriptor, head } = ledger
  const refuse = (why: string) =>
    send(scene, from, { kind: 'refused', query, code: 'epoch', why: shortened(why), size: head.size })
  const read = readTransaction(leaf)
  if (!read.ok || read.value.kind !== 'epoch') return refuse('it names no keepers.')
  const next = read.value
  const wrong = whyNotNext(descriptor, next, settings.suite, settings.rules)
  if (wrong !== undefined) return refuse(`${wrong}.`)
  const unsigned = whyNotByOperators(ledger.book, next, executionOf(scene))
  if (unsigned !== undefined) return refuse(unsigned.why)
  const place = placeIn(next, state.self, settings)
  if (place < 0) return refuse('it does not name the voting key of this server.')
  const signature = settings.voter(next.servers[place]!.salt).sign(signingBytes(descriptor.id, next))
  send(scene, from, { kind: 'pledged', query, signature })
}
