// What the data owner remembers, who is also the user: what its arms are worth, and Comp's key.

import { encode, type NodeId, type Saved, timers } from '../../../core/index.ts'
import { NOTHING, type PartyScene, type PartyState } from '../../party.ts'
import type { UserEvent } from '../../user/state.ts'
import { lastSaved, type Sums } from '../common.ts'
import { ownerRecord } from '../wire.ts'

/** What is asked of a data owner. */
export type OwnerCommand =
  /** In steps. After a restart the same again. */
  { kind: 'begin'; values: readonly number[]; epsilon: number } | { kind: 'cancel' }

export interface OwnerState extends PartyState {
  secret: Uint8Array
  begun: boolean
  modulus: Uint8Array
  values: readonly number[]
  epsilon: number
  /** The values under encryption, as far as they are made in this life. */
  readonly encrypted: Uint8Array[]
  sums: Sums | undefined
  done: boolean
}

export type OwnerScene = PartyScene<OwnerState, UserEvent>

/** `work`: one encryption at a time, so that the node hears others in between. */
export const ownerTimers = timers('repeat', 'timeout', 'work')

export function newOwner(self: NodeId, saved: Saved): OwnerState {
  const from = lastSaved(ownerRecord, saved)
  return {
    self,
    secret: from?.secret ?? NOTHING,
    begun: from?.begun ?? false,
    modulus: from?.modulus ?? NOTHING,
    values: from?.values.map(Number) ?? [],
    epsilon: from?.epsilon ?? 0,
    stopped: from?.stopped ?? '',
    encrypted: [],
    sums: undefined,
    done: false,
  }
}

export function ownerSnapshot(state: OwnerState): Uint8Array {
  return encode(ownerRecord, { ...state, values: state.values.map(String) })
}
