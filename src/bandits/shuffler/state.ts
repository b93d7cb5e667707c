// What a shuffler remembers: how far the run is, and the tokens that it has to hand out. Permutations are drawn from its
// secret, so they need not be kept.

import { assert, decode, encode, type NodeId, type Saved, timers } from '../../core/index.ts'
import { NOTHING, type PartyScene, type PartyState } from '../party.ts'
import { type Drop, type ShufflerRecord, shufflerRecord } from '../wire.ts'

/** A round is over. */
export interface ShufflerEvent {
  readonly kind: 'round'
  /** Rounds that are over. */
  readonly round: number
  /** Pulls of all arms, once their winners have pulled. */
  readonly spent: number
}

export interface ShufflerState extends PartyState {
  secret: Uint8Array
  begun: boolean
  round: number
  attempt: number
  /** Tokens of the round before, by arm. */
  tokens: readonly Uint8Array[]
  tokenAttempt: number
  verdict: Uint8Array
  /** Boxes of this attempt by arm. */
  readonly boxes: Map<number, Uint8Array>
  readonly answers: Map<number, Uint8Array>
  /** Arms that are lost, and since when. */
  drops: readonly Drop[]
  /** Attempts that were tried again since somebody was not ready. */
  again: number
}

export type ShufflerScene = PartyScene<ShufflerState, ShufflerEvent>

export const shufflerTimers = timers('repeat', 'lost')

export function newShuffler(self: NodeId, saved: Saved): ShufflerState {
  const record = saved.get('')?.at(-1)
  const decoded = record && decode(shufflerRecord, record)
  assert(decoded === undefined || decoded.ok, 'what a shuffler saved can be read')
  const from: ShufflerRecord | undefined = decoded?.ok ? decoded.value : undefined
  return {
    self,
    secret: from?.secret ?? NOTHING,
    begun: from?.begun ?? false,
    round: from?.round ?? 0,
    attempt: from?.attempt ?? 0,
    tokens: from?.tokens ?? [],
    tokenAttempt: from?.tokenAttempt ?? 0,
    verdict: from?.verdict ?? NOTHING,
    stopped: from?.stopped ?? '',
    drops: from?.drops ?? [],
    again: from?.again ?? 0,
    boxes: new Map(),
    answers: new Map(),
  }
}

export function shufflerSnapshot(state: ShufflerState): Uint8Array {
  return encode(shufflerRecord, state)
}
