// What a comparator remembers: its secret, the arms' parts of the key that proves a box, and its last answer.

import { assert, decode, encode, type NodeId, type Saved, timers } from '../../core/index.ts'
import { NOTHING, type PartyScene, type PartyState } from '../party.ts'
import { type ComparatorRecord, comparatorRecord } from '../wire.ts'

export interface ComparatorState extends PartyState {
  secret: Uint8Array
  /** By arm; empty where it has not come. */
  readonly shares: Uint8Array[]
  /** What everything is bound to, and the key that proves boxes: made once in a life, when all parts are there. */
  keys: { readonly run: Uint8Array; readonly boxes: Uint8Array } | undefined
  /** The last round that was answered; -1 before the first. */
  answered: number
  attempt: number
  /** Of the boxes that were answered. */
  digest: Uint8Array
  tokens: readonly Uint8Array[]
  verdict: Uint8Array
  /** Arms that are lost, a bit for each place. */
  lost: number
  /** The attempt in which somebody was not ready, and its boxes: it is not compared any more. */
  again: { readonly round: number; readonly attempt: number } | undefined
}

export type ComparatorScene = PartyScene<ComparatorState, never>

export const comparatorTimers = timers('repeat')

export function newComparator(self: NodeId, arms: number, saved: Saved): ComparatorState {
  const record = saved.get('')?.at(-1)
  const decoded = record && decode(comparatorRecord, record)
  assert(decoded === undefined || decoded.ok, 'what a comparator saved can be read')
  const from: ComparatorRecord | undefined = decoded?.ok ? decoded.value : undefined
  return {
    self,
    secret: from?.secret ?? NOTHING,
    shares: [...(from?.shares ?? Array.from({ length: arms }, () => NOTHING))],
    keys: undefined,
    answered: (from?.answered ?? 0) - 1,
    attempt: from?.attempt ?? 0,
    digest: from?.digest ?? NOTHING,
    tokens: from?.tokens ?? [],
    verdict: from?.verdict ?? NOTHING,
    stopped: from?.stopped ?? '',
    lost: from?.lost ?? 0,
    again: undefined,
  }
}

export function comparatorSnapshot(state: ComparatorState): Uint8Array {
  return encode(comparatorRecord, { ...state, answered: state.answered + 1 })
}
