// What a party of a secret channel remembers.

import { type NodeId, type Scene, timers } from '../../../core/index.ts'
import type { EventContent } from '../../content.ts'
import type { Filter } from '../../filter.ts'
import type { channelNames, EpochKeys } from '../keys.ts'
import type { EpochRecord, KeyedParty } from '../record.ts'
import type { SecretSettings } from '../settings.ts'
import type { CarrierMessage, Life } from '../wire.ts'

/** An epoch whose record is known; without keys where we are no party of it. */
export interface Epoch {
  readonly record: EpochRecord
  /** The record as it travels. */
  readonly encoded: Uint8Array
  readonly keys: EpochKeys | undefined
  /** What they come from, and what the secrets of pairs are bound to; empty without keys. */
  readonly secret: Uint8Array
  /** Who may write, by name. */
  readonly writers: ReadonlyMap<string, KeyedParty>
  /** Tags of keywords that were published, so that each is computed once. */
  readonly tags: Map<string, Tag>
  /** The author's own events of each tag so far. */
  readonly sent: Map<string, number>
  /** More tags than are kept: totals are no longer whole. */
  overflowed: boolean
  /** Events that we sealed in it. */
  sealed: number
  closed: boolean
  /** Lives that told their totals, and when by the wall clock they did so last. */
  readonly toldAt: Map<string, number>
  /** Those of them that said that they send nothing more. */
  readonly closedBy: Set<string>
  /** Authors of which one began before the epoch, so that nobody was before it. */
  readonly closers: Set<string>
  /** Authors of which something may be missing that no number shows. */
  readonly unsure: Set<string>
  /** It is over, and what is missing was told. */
  judged: boolean
  /** The tags that our subscriptions listen on; nothing: to be made again. */
  wanted: Map<string, Wanted> | undefined
  /** Paired: the keys of pairs by writer and reader; names that we listen on with their writers, and of which subscriptions; the
   * keys of writers by the name of their totals. */
  readonly pairs: Map<string, EpochKeys>
  readonly pairNames: Map<string, string>
  readonly pairIds: Set<number>
  readonly pairTotals: Map<string, EpochKeys>
  /** Peks: our trapdoors by keyword. */
  readonly trapdoors: Map<string, Uint8Array>
}

/** A tag, as bytes and as the letters of its name. */
export interface Tag {
  readonly bytes: Uint8Array
  readonly name: string
}

/** Who listens on a tag, and since when by the wall clock. */
export interface Wanted {
  since: number
  readonly ids: number[]
}

/** An event that waits: for the next signature, or for the next lap. */
export interface Waiting {
  readonly id: number
  readonly content: Uint8Array
  readonly keywords: readonly Uint8Array[]
}

/** A subscription, with the keywords that it listens on. */
export interface Subscription {
  readonly filter: Filter
  readonly keywords: readonly Uint8Array[]
  /** By the wall clock. */
  readonly since: number
}

/** Which counters of one author's life were taken. */
export interface Seen {
  /** The newest epoch in which it spoke. */
  epoch: number
  /** All up to it are refused. */
  floor: number
  /** Above it: counter → when it came. */
  readonly counters: Map<number, number>
}

/** Which numbers of one author and tag have come. */
export interface Followed {
  readonly author: string
  readonly life: string
  readonly tag: string
  readonly epoch: number
  /** All up to it came, or were told to be missing. */
  through: number
  /** Beyond what is missing: number → when it came. */
  readonly ahead: Map<number, number>
  /** How many there are, as far as is known, and since when. */
  most: number
  mostAt: number
}

/** Writers were asked how many events there are so far: a subscription that begins within an epoch counts from there. */
export interface Ask {
  readonly epoch: number
  readonly at: number
  /** Authors that have told since. */
  readonly heard: Set<string>
}

/** What a party remembers. */
export interface MemberState {
  readonly self: NodeId
  readonly carriers: readonly NodeId[]
  /** Where the channel's records travel, and what its matcher is sent. */
  readonly names: ReturnType<typeof channelNames>
  /** By number. */
  readonly epochs: Map<number, Epoch>
  newest: number
  life: Life
  counter: number
  readonly waiting: Waiting[]
  /** A batch was signed a moment ago: what comes now waits for the next. */
  batching: boolean
  readonly subscriptions: Map<number, Subscription>
  /** Names that the carriers were asked for: tag → how many want it. */
  readonly listening: Map<string, number>
  readonly seen: Map<string, Seen>
  readonly followed: Map<string, Followed>
  /** Signatures of batches that held. */
  readonly verified: Set<string>
  /** A look at what is missing is due. */
  looking: boolean
  /** Asked within the patience, and whether somebody has subscribed since the last time. */
  readonly asks: Ask[]
  askAgain: boolean
  /** When our totals were last told because somebody asked. */
  answeredAt: number
  /** How many more times totals are to be told since they last changed. */
  untold: number
  /** Where a matcher sends to, and whether trapdoors are being made for it. */
  box: string
  searching: boolean
  /** Counted mode: how often each trapdoor was used in this lap. */
  lap: number
  startedIn: number
  readonly counts: Map<string, number>
  /** Writers that have the newest record. */
  readonly receipts: Set<string>
  /** When a record was last sent for somebody who had just started. */
  showedAt: number
}

/** What the user of a party asks for. */
export type MemberCommand =
  | { readonly kind: 'publish'; readonly id: number; readonly content: EventContent }
  | { readonly kind: 'subscribe'; readonly id: number; readonly filter: Filter }
  | { readonly kind: 'unsubscribe'; readonly id: number }
  /** A record from elsewhere than a carrier: a file. */
  | { readonly kind: 'record'; readonly record: Uint8Array; readonly share: boolean }

/** What a party tells. */
export type MemberEvent =
  | {
      readonly kind: 'published'
      readonly id: number
      readonly life: Life
      readonly counter: number
      readonly epoch: number
    }
  /** Certainly not sent. */
  | { readonly kind: 'refused'; readonly id: number; readonly why: string }
  | {
      readonly kind: 'handed'
      readonly id: number
      readonly life: Life
      readonly counter: number
      readonly content: EventContent
    }
  /** Events of this author that match came to nobody here: these numbers of one of its tags. */
  | {
      readonly kind: 'missed'
      readonly author: string
      readonly epoch: number
      readonly from: number
      readonly to: number
    }
  /** The epoch is over, and of these writers nobody knows whether something is missing. */
  | { readonly kind: 'unknown'; readonly epoch: number; readonly authors: readonly string[] }
  /** The newest epoch is over, and no record of another has come: nothing is heard until one does. */
  | { readonly kind: 'ended'; readonly epoch: number }
  /** A new record was taken and saved. */
  | { readonly kind: 'epoch'; readonly number: number; readonly record: Uint8Array; readonly isParty: boolean }
  /** Of the remaining writers these have not yet said that they have the newest record. */
  | { readonly kind: 'receipts'; readonly number: number; readonly missing: readonly string[] }
  /** Something was refused: an invention, a repeat, another's words. */
  | { readonly kind: 'dropped'; readonly why: string }
  /** The matcher's clock and ours differ by more than a lap. */
  | { readonly kind: 'clock'; readonly laps: number }

/** Its timers: the end of an epoch, the next batch, gaps and old ids, totals, an answer, the next lap, trapdoors. */
export const memberTimers = timers('turn', 'batch', 'look', 'tell', 'answer', 'lap', 'want')

/** What a handler of a party is given. */
export type MemberScene = Scene<MemberState, SecretSettings, CarrierMessage, MemberEvent>

/** The wall clock now. */
export function wallNow({ settings, turn }: MemberScene): number {
  return settings.wall(turn.now)
}

/** The newest epoch that has begun. */
export function currentEpoch(state: MemberState, now: number): Epoch | undefined {
  let found: Epoch | undefined
  for (const epoch of state.epochs.values()) {
    if (epoch.record.from <= now && (found === undefined || epoch.record.number > found.record.number)) found = epoch
  }
  return found
}

/** When an epoch is over: at its end, or when the next one begins. */
export function endOf({ state }: MemberScene, record: EpochRecord): number {
  let end = record.until
  for (const other of state.epochs.values()) {
    if (other.record.number > record.number) end = Math.min(end, other.record.from)
  }
  return end
}

/** To every carrier. */
export function toAll({ state, turn }: MemberScene, body: CarrierMessage): void {
  for (const to of state.carriers) turn.do({ kind: 'send', to, body })
}
