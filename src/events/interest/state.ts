// What a member that gossips by interest remembers. Nothing of it is saved.

import { type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import type { PublicKey } from '../../crypto/index.ts'
import type { EventContent } from '../content.ts'
import type { Filter } from '../filter.ts'
import type { KnownMember } from '../routing/settings.ts'
import type { Life, Passing } from '../routing/state.ts'
import type { Source } from '../wire.ts'
import type { Box, Point } from './boxes.ts'
import type { InterestSettings } from './settings.ts'
import type { Claim, InterestMessage } from './wire.ts'

/** A member that is known by its claim. */
export interface Known {
  readonly claim: Claim
  /** Where it stands on every ring. */
  readonly place: number
  /** How old the claim was when it came, in rounds, and when that was. */
  readonly age: number
  readonly heard: Millis
}

/** A subscription of this member. */
export interface Wish {
  readonly channel: string
  readonly filter: Filter
  readonly boxes: readonly Box[]
}

/** An event that was sent on, until all to whom it went have said that it came. */
export interface Outgoing extends Passing {
  readonly point: Point
  readonly hops: number
  /** Everybody to whom it went, and who has not said that it came, since when. */
  readonly sent: Set<NodeId>
  readonly open: Map<NodeId, Millis>
}

/** What a member that gossips by interest remembers. */
export interface InterestState {
  readonly self: NodeId
  place: number
  boot: string
  counter: number
  readonly wishes: Map<number, Wish>
  /** Its own claim, made anew in each round. */
  claim: Claim | undefined
  readonly links: Map<NodeId, Known>
  readonly random: Map<NodeId, Known>
  /** Members that did not answer, and the last number that they had said. */
  readonly barred: Map<NodeId, number>
  /** Members that membership knows to be here. */
  readonly peers: Set<NodeId>
  readonly keys: Map<NodeId, PublicKey>
  /** Hashes of names: each claim of a member has the same. */
  readonly hashed: Map<NodeId, number>
  /** Whose answers are waited for. */
  readonly asked: Set<NodeId>
  readonly seen: Map<NodeId, Map<string, Life>>
  readonly outgoing: Map<string, Outgoing>
  outgoingBytes: number
  /** Of these, events and bytes of each author. */
  readonly outgoingOf: Map<NodeId, { readonly events: number; readonly bytes: number }>
}

/** What the user, or another part of the node, asks for. */
export type InterestCommand =
  | { readonly kind: 'subscribe'; readonly id: number; readonly channel: string; readonly filter: Filter }
  | { readonly kind: 'unsubscribe'; readonly id: number }
  | { readonly kind: 'publish'; readonly id: number; readonly channel: string; readonly content: EventContent }
  /** What membership says of a member: its key, and whether it is here. */
  | { readonly kind: 'changed'; readonly view: KnownMember & { readonly here: boolean } }

/** What is told. */
export type InterestEvent =
  /** It went out, to so many members. */
  | { readonly kind: 'published'; readonly id: number; readonly source: Source; readonly counter: number }
  /** Certainly not done. */
  | { readonly kind: 'refused'; readonly id: number; readonly why: string }
  | {
      readonly kind: 'handed'
      readonly id: number
      readonly source: Source
      readonly counter: number
      readonly content: EventContent
    }
  /** A member said what no honest one says. */
  | {
      readonly kind: 'dropped'
      readonly from: NodeId
      readonly author: NodeId
      readonly why: 'forged' | 'unknown author'
    }

/** Its timers: the next round, and when those that were sent something must have answered. */
export const interestTimers = timers('round', 'patience')

/** What a handler is given. */
export type InterestScene = Scene<InterestState, InterestSettings, InterestMessage, InterestEvent>
