// What one server gave for heights that are not certified yet, over all ledgers: its proposals, and words about heights to come.
// Each ledger has bounds of its own; a server keeps up to 256 of them, and a liar would have its share in each.
//
// Nobody is refused for good: proposals and votes are said again on each beat, and whatever is certified makes room.

import type { NodeId } from '../../core/index.ts'
import type { ServedLedger, ServerScene } from './state.ts'

/** Two full batches in each of 256 ledgers, that of the height under way and that of the next: an honest leader of all of them has no more. */
export const HELD_BYTES_OF_SERVER_MAX = 128 << 20

/** Of a word beside its leaves, and of a leaf beside its bytes. */
const WORD_BYTES = 1_024
const LEAF_OVERHEAD_BYTES = 64

/** About what it takes to keep a word that brings leaves. */
export function heldBytes(leaves: readonly Uint8Array[]): number {
  return leaves.reduce((sum, leaf) => sum + leaf.length + LEAF_OVERHEAD_BYTES, WORD_BYTES)
}

/** Whether so much more of this server's words may be kept. */
export function mayHold({ state }: ServerScene, server: NodeId, bytes: number): boolean {
  let held = bytes
  for (const ledger of state.ledgers.values()) held += heldOf(ledger, server)
  return held <= HELD_BYTES_OF_SERVER_MAX
}

function heldOf({ places, round, early }: ServedLedger, server: NodeId): number {
  const place = places.get(server)
  const stalled = place === undefined ? undefined : round.stalled.get(place)
  let held = (round.broughtBytes.get(server) ?? 0) + (stalled?.bytes ?? 0)
  if (early.size === 0) return held
  for (const { from, bytes } of early.values()) if (from === server) held += bytes
  return held
}
