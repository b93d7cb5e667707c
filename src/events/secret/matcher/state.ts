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
  /** Peks mode: who looks for something, by box and reader; the same by the reader that events are marked for. */
  readonly seekers: Map<string, Seeker>
  readonly readers: Map<string, Set<Seeker>>
  /** Those that have something to be tested, in turn; and how many pairings that are. */
  readonly busy: Seeker[]
  pairings: number
  /** Trapdoors of all seekers. */
  searched: number
}

/** One reader's trapdoors, and the events that wait to be tested with them. */
export interface Seeker {
  readonly box: string
  readonly reader: string
  trapdoors: readonly Uint8Array[]
  heard: number
  readonly jobs: Job[]
}

/** An event that is tested with one trapdoor after the other, until one finds it. */
export interface Job {
  readonly from: NodeId
  readonly channel: Uint8Array
  readonly point: Uint8Array
  readonly marks: ReadonlySet<string>
  readonly body: Uint8Array
  readonly trapdoors: readonly Uint8Array[]
  /** How many were tried. */
  tried: number
}

/** What a matcher tells. */
export type MatcherEvent =
  | { readonly kind: 'matched'; readonly boxes: number; readonly tags: number }
  | { readonly kind: 'full'; readonly trapdoors: number }
  /** More pairings wait than may: an event was not tested for one reader, who will be told that it is missing. */
  | { readonly kind: 'behind'; readonly pairings: number }

/** Its timers: the next lap, the tags of the lap after it, bit by bit, and the next pairings. */
export const matcherTimers = timers('lap', 'ahead', 'pair')

/** What a handler of a matcher is given. */
export type MatcherScene = Scene<MatcherState, MatcherSettings, CarrierMessage, MatcherEvent>
