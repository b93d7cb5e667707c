// What a router remembers. Nothing of it is saved: a member that restarts asks its neighbours.

import { type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import type { PublicKey } from '../../crypto/index.ts'
import type { Clause } from '../canonical.ts'
import type { EventContent } from '../content.ts'
import type { Filter } from '../filter.ts'
import type { Item, Source } from '../wire.ts'
import type { OverlayRecord } from './overlay.ts'
import type { KnownMember, RoutingSettings } from './settings.ts'
import type { RoutingMessage } from './wire.ts'

/** The attribute under which routing knows an event's channel; no other may begin with a dollar sign. */
export const CHANNEL = '$channel'

/** A clause that a neighbour was told of. */
export interface Told {
  readonly clause: Clause
  /** What it is found by among what is wanted. */
  readonly key: string
  /** It stands for several others, and nobody wants it itself. */
  readonly isHull: boolean
}

/** One neighbour in one tree. */
export interface Link {
  readonly tree: number
  readonly peer: NodeId
  /** What it was told that our side wants, by number; and how many announcements that were. */
  readonly told: Map<number, Told>
  announced: number
  ids: number
  /** What was uncovered and is not yet told. */
  owes: boolean
  /** How often it was given everything in this beat. */
  answered: number
  /** What its side wants, by its number; which announcement that was, of which life. */
  readonly heard: Map<number, Clause>
  number: number
  life: string
  /** Its whole side has announced, as it says; and we said so of ours. */
  ready: boolean
  saidReady: boolean
}

/** The trees over one list of members. */
export interface Overlay {
  readonly number: number
  /** Which of the places in `Seen.passed` is its own. */
  readonly slot: number
  readonly trees: number
  readonly members: readonly NodeId[]
  readonly links: readonly Link[]
  readonly since: Millis
  /** When all neighbours were ready, or were passed over. */
  openAt: Millis | undefined
  /** That was before any newer list was known: everybody makes these trees, and older ones are left. */
  replacesOlder: boolean
}

/** An event that was verified. */
export interface Seen {
  readonly at: Millis
  /** The hash of the item as it came, proof and all. */
  readonly seal: string
  /** In which trees of which overlays it was passed on: a bit each. */
  passed: number
  /** A subscription of this member was given it. */
  handed: boolean
}

/** One life of one author. */
export interface Life {
  /** All up to it are refused. */
  floor: number
  /** In the order in which they came. */
  readonly counters: Map<number, Seen>
}

/** A subscription of this member. */
export interface RoutedSubscription {
  readonly channel: string
  readonly filter: Filter
  /** As they are announced, with their keys. */
  readonly clauses: readonly { readonly key: string; readonly clause: Clause }[]
}

/** An event of our own that is not out yet. */
export interface Waiting {
  readonly id: number
  readonly channel: string
  readonly content: EventContent
  readonly encoded: Uint8Array
  readonly receipts: boolean
}

/** An event of our own whose receipts are waited for. */
export interface Awaited extends Passing {
  readonly id: number
  readonly since: Millis
  /** Members that have not said; how often each was sent the event itself. */
  readonly waitsFor: Map<NodeId, number>
  /** Members that gave a receipt, and members that have it and did not want it. */
  readonly received: NodeId[]
  readonly seen: NodeId[]
}

/** What a router remembers. */
export interface RoutingState {
  readonly self: NodeId
  /** Random, of this life. */
  boot: string
  /** How many events were published in this life, in all channels. */
  counter: number
  readonly subscriptions: Map<number, RoutedSubscription>
  /** By number, the oldest first. */
  overlays: Overlay[]
  readonly keys: Map<NodeId, PublicKey>
  /** Author → boot → what was seen. */
  readonly seen: Map<NodeId, Map<string, Life>>
  waiting: Waiting[]
  waitingBytes: number
  /** A batch was signed a moment ago: what comes now waits for the next. */
  batching: boolean
  /** By counter. */
  readonly awaited: Map<number, Awaited>
  awaitedBytes: number
  /** Copies that came twice in one tree: from a liar, or from a bug. */
  repeats: number
}

/** What the user of a router, or another part of its node, asks for. */
export type RoutingCommand =
  | { readonly kind: 'subscribe'; readonly id: number; readonly channel: string; readonly filter: Filter }
  | { readonly kind: 'unsubscribe'; readonly id: number }
  | {
      readonly kind: 'publish'
      readonly id: number
      readonly channel: string
      readonly content: EventContent
      /** Who has it is asked for, and told by `received`. */
      readonly receipts?: boolean
    }
  /** No longer waits: what is not out is taken back, and else `received` comes at once. */
  | { readonly kind: 'settle'; readonly id: number }
  /** A newer list of members. */
  | { readonly kind: 'overlay'; readonly record: OverlayRecord }
  /** What membership says of a member. */
  | { readonly kind: 'changed'; readonly view: KnownMember }

/** What a router tells. */
export type RoutingEvent =
  /** It went out in trees that were ready. */
  | { readonly kind: 'published'; readonly id: number; readonly source: Source; readonly counter: number }
  /** Which members gave a receipt, and which have not said whether they have it. */
  | {
      readonly kind: 'received'
      readonly id: number
      readonly members: readonly NodeId[]
      readonly silent: readonly NodeId[]
    }
  /** Certainly not done. */
  | { readonly kind: 'refused'; readonly id: number; readonly why: string }
  | {
      readonly kind: 'handed'
      readonly id: number
      readonly source: Source
      readonly counter: number
      readonly content: EventContent
    }
  /** An event came so late that nobody knows whether it was handed over before: it was not, now. */
  | { readonly kind: 'late'; readonly author: NodeId; readonly counter: number }
  /** A neighbour said what no honest one says. */
  | {
      readonly kind: 'dropped'
      readonly from: NodeId
      readonly author: NodeId
      readonly why: 'forged' | 'unknown author'
    }
  /** The trees over the list of this number are in use. */
  | { readonly kind: 'open'; readonly overlay: number }
  /** This member is not in the list of this number: nothing comes to it, and it publishes nothing. */
  | { readonly kind: 'outside'; readonly overlay: number }

/** Its timers: what is compared and forgotten now and then, the next batch, and the next question for receipts. */
export const routingTimers = timers('beat', 'batch', 'ask')

/** What a handler of a router is given. */
export type RoutingScene = Scene<RoutingState, RoutingSettings, RoutingMessage, RoutingEvent>

/** An event as it is passed on. */
export interface Passing {
  readonly source: Source
  readonly item: Item
}
