// How high a rank may be. Ranks follow the wall clock (client/turns.ts), and are promised for good: one get with the largest
// there is would leave no room above it, and end an object for everybody.

import type { Millis, NodeId } from '../../core/index.ts'
import type { Rank } from '../wire.ts'
import type { OrderingServerCommand, ServerObject, ServerScene } from './state.ts'
import { clientName } from './state.ts'

const MICROS_PER_MS = 1_000
/** Clients that are told of, once each. */
const BEYOND_MAX = 1_000

export function onClock({ state, turn }: ServerScene, { micros }: OrderingServerCommand & { kind: 'clock' }): void {
  state.wallLead = Math.floor(micros / MICROS_PER_MS) - turn.now
}

/** The highest counter that is promised: without a wall clock every one. */
export function highestRank({ state, settings, turn }: ServerScene): number {
  const { wallLead } = state
  if (wallLead === undefined) return Number.POSITIVE_INFINITY
  return turn.now + wallLead + settings.rankAheadMax
}

/** Whether the rank is too high to be promised; the people who run this server hear of it. */
export function isBeyond(
  scene: ServerScene,
  { name: object }: ServerObject,
  client: NodeId,
  { counter }: Rank,
): boolean {
  const { state, settings, turn } = scene
  const highest = highestRank(scene)
  if (settings.rules.mayPromise(counter, highest)) return false
  const who = clientName(client)
  if (!state.beyond.has(who) && state.beyond.size < BEYOND_MAX) {
    state.beyond.add(who)
    const ahead: Millis = Math.round(counter - highest + settings.rankAheadMax)
    turn.do({ kind: 'emit', event: { kind: 'rankBeyond', object, client, ahead } })
  }
  return true
}
