// What a user remembers: that it has asked, and the key that the answer is bound to.

import { assert, decode, encode, type NodeId, type Saved, timers } from '../../core/index.ts'
import { NOTHING, type PartyScene, type PartyState } from '../party.ts'
import { type UserRecord, userRecord } from '../wire.ts'

/** What is asked of a user. */
export type UserCommand =
  | { kind: 'begin' }
  /** The caller waits no longer. */
  | { kind: 'cancel' }

/** What becomes of a run. */
export type UserEvent =
  /** `best`: the place of the best arm, after a search; `steps`: the sum of all rewards on the grid, else. */
  | {
      kind: 'answered'
      best: number | undefined
      steps: number | undefined
      /** Places of arms that were lost on the way. */
      lost?: readonly number[]
      /** Attempts that were tried again since an arm was not ready in time. */
      again?: number
    }
  | { kind: 'progress'; round: number; spent: number }

export interface UserState extends PartyState {
  begun: boolean
  runKey: Uint8Array
  /** It has its answer. */
  done: boolean
}

export type UserScene = PartyScene<UserState, UserEvent>

export const userTimers = timers('repeat', 'timeout')

export function newUser(self: NodeId, saved: Saved): UserState {
  const record = saved.get('')?.at(-1)
  const decoded = record && decode(userRecord, record)
  assert(decoded === undefined || decoded.ok, 'what a user saved can be read')
  const from: UserRecord | undefined = decoded?.ok ? decoded.value : undefined
  return {
    self,
    begun: from?.begun ?? false,
    runKey: from?.runKey ?? NOTHING,
    stopped: from?.stopped ?? '',
    done: false,
  }
}

export function userSnapshot(state: UserState): Uint8Array {
  return encode(userRecord, state)
}
