// What AS remembers: how far the run is, and who leads. The order of a ring is drawn from its secret.

import { encode, type NodeId, type Saved, timers } from '../../../core/index.ts'
import { NOTHING, type PartyScene, type PartyState } from '../../party.ts'
import type { ShufflerEvent } from '../../shuffler/state.ts'
import { lastSaved } from '../common.ts'
import { controllerRecord } from '../wire.ts'

export interface ControllerState extends PartyState {
  secret: Uint8Array
  begun: boolean
  round: number
  /** One more than the place of the arm that leads; 0 before the first round. */
  leads: number
  /** Of the user's key, under which sums are added. */
  modulus: Uint8Array
  /** The arms' sums, by place. */
  readonly sums: Map<number, Uint8Array>
}

export type ControllerScene = PartyScene<ControllerState, ShufflerEvent>

export const controllerTimers = timers('repeat')

export function newController(self: NodeId, saved: Saved): ControllerState {
  const from = lastSaved(controllerRecord, saved)
  return {
    self,
    secret: from?.secret ?? NOTHING,
    begun: from?.begun ?? false,
    round: from?.round ?? 0,
    leads: from?.leads ?? 0,
    modulus: from?.modulus ?? NOTHING,
    stopped: from?.stopped ?? '',
    sums: new Map(),
  }
}

export function controllerSnapshot(state: ControllerState): Uint8Array {
  return encode(controllerRecord, state)
}
