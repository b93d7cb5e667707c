// What a member remembers, and the words its user speaks to it. Fields marked secret are never saved, sent or shown.

import { type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import type { Element, Group, Scalar, Signatures, Signer } from '../../crypto/index.ts'
import type { SlotsSettings } from '../settings.ts'
import type { EpochMember, EpochRecord } from './record.ts'
import type { SlotsRules } from './rules.ts'
import type { Goer } from './waits.ts'
import type { Favoured, Key, Link, Petition, Propose, SlotsMessage, Step, Want } from './wire.ts'

/** What its user, and its worker, say to a member. */
export type SlotsCommand =
  /** Wants a seat; answered by `seat`, or `refused`. */
  | { kind: 'request'; id: number }
  /** No longer wants one; lets go if it has one. */
  | { kind: 'cancel'; id: number }
  | { kind: 'release'; id: number }
  | { kind: 'status'; id: number }
  /** Leaves the group at the next epoch change. */
  | { kind: 'leave' }
  /** What a worker found: the answer to a `work` event. */
  | { kind: 'worked'; id: number; answer: Uint8Array }

/** What a member tells its user. */
export type SlotsEvent =
  /** For this process alone: the slot is held until `deadline` on its own clock. */
  | { kind: 'seat'; id: number; slot: string; deadline: Millis }
  /** The lease is over. */
  | { kind: 'lost'; id: number }
  | { kind: 'released'; id: number }
  | { kind: 'refused'; id: number; why: 'crowded' | 'unknown' }
  | { kind: 'status'; id: number; status: SlotsStatus }
  /** Heavy work for a worker: `performShuffleWork` makes the answer. The request may be secret. */
  | { kind: 'work'; id: number; request: Uint8Array }
  /** A member was caught, with evidence that anybody can check. */
  | { kind: 'cheat'; member: NodeId; what: string; evidence: Uint8Array }
  /** Members that owe a word for too long: left out, not accused. */
  | { kind: 'silent'; members: readonly NodeId[] }
  /** It brought us a word that its author did not sign. We know it, and cannot show it to anybody. */
  | { kind: 'forged'; member: NodeId; what: string }
  | { kind: 'epoch'; number: number; members: readonly NodeId[]; live: boolean }

/** What a member may know of the whole. Never an assignment. */
export interface SlotsStatus {
  readonly name: string
  readonly epoch: number
  readonly members: readonly NodeId[]
  readonly phase: 'outside' | 'forming' | 'waiting out old leases' | 'dealing' | 'changing'
  readonly rounds: readonly { readonly number: number; readonly phase: RoundPhase; readonly checks: number }[]
  /** Requests of this process that wait. */
  readonly waiting: number
}

/** How far a round of dealing slots has come. */
export type RoundPhase = 'lap' | 'checking' | 'sealing' | 'sharing' | 'open' | 'over'

/** What a machine is made with and never changes: settings, arithmetic, keys that sign. */
export interface SlotsMeans {
  readonly settings: SlotsSettings
  readonly group: Group
  readonly signer: Signer
  readonly signatures: Signatures
  /** Who may be a member at all. */
  readonly directory: readonly EpochMember[]
  readonly first: EpochRecord
  readonly rules: SlotsRules
}

/** What a handler is given. */
export interface SlotsScene extends SlotsMeans, Scene<MemberState, SlotsSettings, SlotsMessage, SlotsEvent> {}

/** `beat`: look around; `lease`: the lease of our seat may be over. */
export const slotsTimers = timers('beat', 'lease')
export type SlotsTimer = ReturnType<typeof slotsTimers.due>['kind']

/** What a member remembers. */
export interface MemberState {
  readonly self: NodeId
  /** The successors that led here, oldest first: a member that is behind gets the next one. */
  readonly chain: Link[]
  epoch: Epoch
  /** Requests that wait, oldest first; they outlive rounds and epochs. */
  readonly waiting: number[]
  /** At most one: a second valid ticket is declared free. */
  seat: Seat | undefined
  /** Who was caught, with the evidence; empty if it was in an earlier life of ours. */
  readonly cheats: Map<NodeId, Uint8Array>
  readonly petitions: Map<NodeId, Petition>
  /** Who went before, under our eyes: at most all who may be members. */
  readonly goers: Map<NodeId, Goer>
  leaving: boolean
  /** Words that wait for the beat, with `paced`. */
  readonly outbox: { readonly to: NodeId; readonly body: SlotsMessage }[]
  /** How many of them for each member. */
  readonly outboxTo: Map<NodeId, number>
  /** How many words each member was sent since the last beat because it asked. */
  readonly answered: Map<NodeId, number>
  beats: number
  /** Pieces of work given to workers so far: the id of the last. */
  workCount: number
  /** What each piece of work under way is for, by its id. */
  readonly workUnderWay: Map<number, WorkUnderWay>
}

export interface WorkUnderWay {
  readonly epoch: number
  readonly round: number
  readonly kind: 'shuffle' | 'check'
}

/** Secret: which slot. */
export interface Seat {
  readonly id: number
  readonly epoch: number
  readonly round: number
  readonly slot: number
  readonly deadline: Millis
}

export interface Epoch {
  readonly record: EpochRecord
  readonly hash: Uint8Array
  /** Our place in the ring; -1 outside. */
  readonly position: number
  /** We restarted: our key of this epoch is lost, and another must not be posted. */
  readonly barred: boolean
  /** Secret, in memory only; erased when the epoch ends. */
  secret: Scalar | undefined
  /** Keys and readiness, by place. */
  readonly said: Map<string, Step>
  /** By position, once all are there. */
  keys: readonly Key[]
  groupKey: Element
  live: boolean
  liveAt: Millis
  readonly adoptedAt: Millis
  /** No seal and no share before: every lease of earlier epochs is over then. */
  quietUntil: Millis
  /** We signed a successor: no share is given any more. */
  closed: boolean
  readonly rounds: Map<number, Round>
  /** The first round whose header is not known. */
  next: number
  /** With `onDemand`: somebody asked for the next round. Kept to be passed on to who leads it. */
  wanted: Want | undefined
  readonly uses: SlotUse[]
  /** Since when each word is missing, by its name. */
  readonly owed: Map<string, Millis>
  /** Positions of members that owe a word for too long, and when they last did. */
  readonly silent: Map<number, Millis>
  /** When we last called each of them silent: others may need some time to see it too. */
  readonly wasSilent: Map<number, Millis>
  /** For how long each member held up the others, less what was drained since, by position. */
  readonly heldUp: Map<number, Millis>
  /** Positions of members that brought us words under signatures that do not hold. */
  readonly forgers: Set<number>
  /** Voters that brought evidence which proves nothing. */
  readonly falseAccusers: Set<NodeId>
  /** Positions of members of whom we complained: the next time we do so at once. */
  readonly complainedOf: Set<number>
  readonly succession: Succession
}

/** The last round that a slot was dealt in. */
export interface SlotUse {
  /** -1: none in this epoch. */
  round: number
  /** When we last gave a share there. */
  sharedAt: Millis
  closed: boolean
}

export interface Succession {
  active: boolean
  ballot: number
  /** How many ballots began by our own clock. */
  tries: number
  startedAt: Millis
  /** The largest ballot in which we favoured something; saved first. */
  favouredIn: number
  proposals: Map<number, Propose>
  favours: Map<string, Map<NodeId, Uint8Array>>
  signs: Map<string, Map<NodeId, Uint8Array>>
  /** What we signed last, with the favours that let us; saved first. */
  lock: { readonly record: EpochRecord; readonly favoured: Favoured } | undefined
  /** The latest record known to be favoured by a quorum. */
  valid: { readonly record: EpochRecord; readonly favoured: Favoured } | undefined
  signedAt: Millis
  /** The largest ballot in which each member favoured something. */
  readonly reached: Map<NodeId, number>
  /** When we last favoured something of each leader. */
  readonly led: Map<NodeId, Millis>
  /** Leaders that proposed two records in one ballot: they are not heard any more. */
  readonly torn: Set<NodeId>
}

export interface Round {
  readonly number: number
  /** Everything said in it, by place. */
  readonly said: Map<string, Step>
  /** Bytes of what each member said in it before its header was known, by position. */
  readonly early: Map<number, number>
  /** Places in the record's list of slots; ticket k < slots.length means slots[k]. Empty until the header is known. */
  slots: readonly number[]
  phase: RoundPhase
  /** The passes in order, as far as they are known. */
  readonly passes: (Step & { kind: 'pass' })[]
  hashes: Uint8Array[]
  /** A worker shuffles for us. */
  shuffling: boolean
  /** The lap was checked and a pass found wrong. */
  spoiled: boolean
  sealedAt: Millis
  sharedAt: Millis
  /** Whose shares for us were checked and are good. */
  readonly checked: Set<number>
  /** How long we waited for a word of each kind of each member, by kind and position. */
  readonly waited: Map<string, Millis>
  /** Rotating, as the leader: which ticket we take out. Secret. */
  wish: number | undefined
  /** The slots that were not found free yet. */
  live: readonly number[]
  check: number
  checkAt: Millis
  pause: Millis
  readonly goodVotes: Set<number>
  readonly goodOpenings: Set<number>
}

export const NEVER = Number.NEGATIVE_INFINITY
