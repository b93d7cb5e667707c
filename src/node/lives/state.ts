// What a server remembers of its own starts and of the others'.

import { assert, type Millis, type NodeId, type Protocol, type Scene, timers } from '../../core/index.ts'
import type { LivesMessage, SeenLife } from './wire.ts'

/** The line on which lives rest; the proof breaks it. */
export interface LivesRules {
  /**
   * How many others must know a later life before a store counts as old. Of b, all may lie: with b enough, one liar calls
   * every store old, and with objects no server starts any more.
   */
  accusersNeeded(liars: number): number
}

export const livesRules: LivesRules = { accusersNeeded: liars => liars + 1 }

export interface LivesSettings {
  readonly liars: number
  readonly rules?: LivesRules
}

export type LivesCommand =
  /** The other parts have written down that their store was lost: from now on this is a life after all that were seen. */
  { readonly kind: 'raise' }

export type LivesEvent =
  /** Enough others know of no later life, or too few answer: promises may be made. */
  | { readonly kind: 'go' }
  /** More servers than may lie have seen this life, or a later one: what is on disk is not what was promised last. */
  | { readonly kind: 'old'; readonly life: number; readonly seen: number; readonly by: readonly NodeId[] }

export interface LivesState {
  readonly others: readonly NodeId[]
  life: number
  mark: number
  /** Enough others have this life written down. */
  known: boolean
  /** The latest life of each other server. */
  readonly seen: Map<NodeId, SeenLife & { readonly at: Millis }>
  /** Who has answered in this life: that it is new, or which later one there was. */
  readonly welcomed: Set<NodeId>
  readonly older: Map<NodeId, number>
  /** Promises wait; are made; or nothing on disk counts. */
  stage: 'asking' | 'going' | 'old'
  /** Until those who have not answered are asked again. */
  pause: Millis
}

export type LivesScene = Scene<LivesState, LivesSettings, LivesMessage, LivesEvent>
export type Lives = Protocol<LivesState, LivesMessage, LivesCommand, LivesEvent>

export const livesTimers = timers('hail', 'hold', 'grow')

/** How many of the others have not answered since this life was last said: at the start, and every few minutes. */
export function silentOf(state: LivesState | undefined): number {
  return state === undefined ? 0 : state.others.length - state.welcomed.size - state.older.size
}

export function checkLives({ others, seen, welcomed, older }: LivesState): void {
  for (const map of [seen, welcomed, older]) assert(map.size <= others.length, 'only other servers are remembered')
}
