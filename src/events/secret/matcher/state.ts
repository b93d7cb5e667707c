// What a matcher remembers: trapdoors, and the tags that they will have next.

import { type NodeId, type Scene, timers } from '../../../core/index.ts'
import type { MatcherSettings } from '../settings.ts'
import type { CarrierMessage } from '../wire.ts'

/** A trapdoor, and who wants what it finds. */
export interface Trapdoor {
  readonly key: Uint8Array
  readonly boxes: Set<string>
  /** Lap → the first count that is still looked out for. */
  readonly next: Map<number, number>
}

/** A tag that is looked out for. */
export interface Awaited {
  readonly trapdoor: Trapdoor
  readonly count: number
}

/** What a matcher remembers. */
export interface MatcherState {
  readonly carriers: readonly NodeId[]
  /** By their letters. */
  readonly trapdoors: Map<string, Trapdoor>
  /** Box → its trapdoors, and when it last spoke. */
  readonly boxes: Map<string, { readonly trapdoors: Set<string>; heard: number }>
  /** Lap → tag → what it is of. */
  readonly laps: Map<number, Map<string, Awaited>>
  /** Trapdoors whose tags of the next lap are still to be made. */
  readonly pending: Trapdoor[]
}

/** What a matcher tells. */
export type MatcherEvent =
  | { readonly kind: 'matched'; readonly boxes: number; readonly tags: number }
  | { readonly kind: 'full'; readonly trapdoors: number }

/** Its timers: the next lap, and the tags of the lap after it, bit by bit. */
export const matcherTimers = timers('lap', 'ahead')

/** What a handler of a matcher is given. */
export type MatcherScene = Scene<MatcherState, MatcherSettings, CarrierMessage, MatcherEvent>
