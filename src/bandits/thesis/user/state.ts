// What somebody remembers who decrypts sums: that it was asked to begin, and two primes. The ring's user and Comp are alike in this.

import { encode, type NodeId, type Saved, timers } from '../../../core/index.ts'
import { NOTHING, type PartyScene, type PartyState } from '../../party.ts'
import type { UserCommand, UserEvent } from '../../user/state.ts'
import { lastSaved, OpenedSums, type PrimesCommand, type PrimesEvent } from '../common.ts'
import { holderRecord } from '../wire.ts'

/** What is asked of the ring's user. */
export type HolderCommand = UserCommand | PrimesCommand

export interface HolderState extends PartyState {
  secret: Uint8Array
  begun: boolean
  p: Uint8Array
  q: Uint8Array
  /** Made of the primes in this life. */
  sums: OpenedSums | undefined
  /** It has its answer. */
  done: boolean
}

export type HolderScene = PartyScene<HolderState, UserEvent | PrimesEvent>

export const holderTimers = timers('repeat', 'timeout')

export function newHolder(self: NodeId, saved: Saved): HolderState {
  const from = lastSaved(holderRecord, saved)
  return {
    self,
    secret: from?.secret ?? NOTHING,
    begun: from?.begun ?? false,
    p: from?.p ?? NOTHING,
    q: from?.q ?? NOTHING,
    stopped: from?.stopped ?? '',
    sums: undefined,
    done: false,
  }
}

export function holderSnapshot(state: HolderState): Uint8Array {
  return encode(holderRecord, state)
}

/** The first primes stay: sums under another key would be lost. */
export function keepPrimes(scene: HolderScene, { p, q }: PrimesCommand): void {
  const { state } = scene
  if (state.p.length > 0) return
  state.p = p
  state.q = q
  scene.save()
}

/** Undefined while there are no primes. */
export function openedSums({ state, keys }: HolderScene): OpenedSums | undefined {
  if (state.p.length > 0) state.sums ??= new OpenedSums(keys.tools, state.secret, state)
  return state.sums
}
