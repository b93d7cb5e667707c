// A version that empties an object, for operators who delete it: every entry goes, and every session but that of the one who
// erases. Operations of others are left where they wait: this client does not know how to apply them, and their sessions are
// over with this version, so that they certainly did not happen.

import type { Applier } from '../applier.ts'
import type { OrderingSettings } from '../settings.ts'
import { applyOperation, type Batch, openSession } from './batch.ts'
import { ownOpen, ownOperations } from './own-operations.ts'
import type { ClientObject, ClientScene } from './state.ts'

/** Sessions that one version ends: each is a write. */
const ENDED_MAX = 10_000

/** Fills a version with the own operations alone. */
export function fillAlone(scene: ClientScene, object: ClientObject, batch: Batch, applier: Applier): void {
  const { state, settings } = scene
  const open = ownOpen(state, object)
  if (open !== undefined) openSession(batch, open)
  const erases = ownOperations(state, object).map(operation => eraseBy(batch, applier, operation, settings))
  if (!erases.includes(true)) return
  let ended = 0
  for (const session of batch.base.sessions.keys()) {
    if (session === object.session.id) continue
    if (++ended > ENDED_MAX) return
    batch.sessions.set(session, undefined)
  }
}

type OwnOperation = ReturnType<typeof ownOperations>[number]

function eraseBy(batch: Batch, applier: Applier, operation: OwnOperation, { rules }: OrderingSettings): boolean {
  return applyOperation(batch, applier, operation, rules) && operation.kind === 'apply'
}
