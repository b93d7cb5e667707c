// What BAI remembers: which arms are in, and their sums under Comp's key.

import { encode, type NodeId, type Saved, timers } from '../../../core/index.ts'
import { NOTHING, type PartyScene, type PartyState } from '../../party.ts'
import type { ShufflerEvent } from '../../shuffler/state.ts'
import { lastSaved, type Sums } from '../common.ts'
import { judgeRecord } from '../wire.ts'

/** An arm that is in. Its sum is empty before the first phase. */
export interface InPlay {
  readonly arm: number
  readonly sum: Uint8Array
}

export interface JudgeState extends PartyState {
  secret: Uint8Array
  begun: boolean
  modulus: Uint8Array
  phase: number
  left: readonly InPlay[]
  /** Other ciphertexts of the sums, by the place in `left`, as far as they are made. */
  renewed: Uint8Array[]
  /** What came back in this phase. */
  added: readonly Uint8Array[] | undefined
  worst: number | undefined
  sums: Sums | undefined
}

export type JudgeScene = PartyScene<JudgeState, ShufflerEvent>

/** `work`: one ciphertext at a time, so that the node hears others in between. */
export const judgeTimers = timers('repeat', 'work')

export function newJudge(self: NodeId, arms: number, saved: Saved): JudgeState {
  const from = lastSaved(judgeRecord, saved)
  return {
    self,
    secret: from?.secret ?? NOTHING,
    begun: from?.begun ?? false,
    modulus: from?.modulus ?? NOTHING,
    phase: from?.phase ?? 0,
    left: from?.left ?? Array.from({ length: arms }, (_, arm) => ({ arm, sum: NOTHING })),
    stopped: from?.stopped ?? '',
    renewed: [],
    added: undefined,
    worst: undefined,
    sums: undefined,
  }
}

export function judgeSnapshot(state: JudgeState): Uint8Array {
  return encode(judgeRecord, state)
}
