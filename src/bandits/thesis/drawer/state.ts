// What the drawer of a phase remembers: its secret, from which it draws, and Comp's key. The rest comes again.

import { encode, type NodeId, type Saved, timers } from '../../../core/index.ts'
import { NOTHING, type PartyScene, type PartyState } from '../../party.ts'
import { lastSaved, type Sums } from '../common.ts'
import { drawerRecord } from '../wire.ts'

/** The sums of a phase, while rewards are added to them. */
export interface Drawing {
  readonly sums: readonly Uint8Array[]
  /** By place, the arm that is there. */
  readonly order: Uint8Array
  readonly added: Uint8Array[]
  /** How many rewards of the next place are drawn, and what they come to beyond the value. */
  drawn: number
  noise: number
}

export interface DrawerState extends PartyState {
  /** The phase that it draws for. */
  readonly phase: number
  secret: Uint8Array
  modulus: Uint8Array
  values: readonly Uint8Array[]
  epsilon: number
  drawing: Drawing | undefined
  sums: Sums | undefined
}

export type DrawerScene = PartyScene<DrawerState, never>

/** `work`: one arm at a time, so that the node hears others in between. */
export const drawerTimers = timers('repeat', 'work')

export function newDrawer(self: NodeId, phase: number, saved: Saved): DrawerState {
  const from = lastSaved(drawerRecord, saved)
  return {
    self,
    phase,
    secret: from?.secret ?? NOTHING,
    modulus: from?.modulus ?? NOTHING,
    stopped: from?.stopped ?? '',
    values: [],
    epsilon: 0,
    drawing: undefined,
    sums: undefined,
  }
}

export function drawerSnapshot(state: DrawerState): Uint8Array {
  return encode(drawerRecord, state)
}
