// Who keeps a ledger, and who will: what a server says of its epochs, and its pledge to keep it from the next one on.

import type { NodeId } from '../../core/index.ts'
import { whyNotByOperators } from '../authority.ts'
import { newestEpoch } from '../genesis.ts'
import { whyNotNext } from '../light.ts'
import { readTransaction, signingBytes } from '../transactions.ts'
import { type LedgerRequest, shortened } from '../wire.ts'
import { catchUpWithAny } from './catching-up.ts'
import { executionOf, type LedgerScene, placeIn, send } from './state.ts'
import { giveSteps } from './steps.ts'

/** The steps after an epoch, as many as go into one answer. */
export function onSteps(scene: LedgerScene, from: NodeId, { from: after }: LedgerRequest & { kind: 'steps' }): void {
  giveSteps(scene, from, after)
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
  // Of an epoch that this server has not heard of: it fetches what it missed, and is asked again.
  if (next.number > newestEpoch(descriptor).number + 1) return catchUpWithAny(scene)
  const wrong = whyNotNext(descriptor, next, settings.suite, settings.rules)
  if (wrong !== undefined) return refuse(`${wrong}.`)
  const unsigned = whyNotByOperators(ledger.book, next, executionOf(scene))
  if (unsigned !== undefined) return refuse(unsigned.why)
  const place = placeIn(next, state.self, settings)
  if (place < 0) return refuse('it does not name the voting key of this server.')
  const signature = settings.voter(next.servers[place]!.salt).sign(signingBytes(descriptor.id, next))
  send(scene, from, { kind: 'pledged', query, signature })
}
