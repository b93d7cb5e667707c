// What a member remembers, what it can be told to do, and what it tells.

import { type Allowance, assert, type Bucket, type Millis, type NodeId, type Turn } from '../core/index.ts'
import type { PublicKey } from '../crypto/index.ts'
import type { Aggregate } from './aggregation.ts'
import type {
  Accusation,
  AliveClaim,
  AttributesClaim,
  FailedClaim,
  LeaveClaim,
  MeasuredClaim,
  NamedKey,
  NamedValue,
} from './claims.ts'
import { type Incarnation, incarnationOf } from './incarnation.ts'
import type { MembershipMessage } from './messages.ts'
import { emptyQueue, type GossipQueue, QUEUE_MAX, queueSize } from './queue.ts'
import type { MembershipSettings } from './settings.ts'
import { type Coordinate, ORIGIN } from './vivaldi.ts'
import type { Window } from './window.ts'

/** Members known, those gone included: what a view of ten thousand with its dead needs, and no more. */
export const MEMBERS_MAX = 16_384

/** A user's own events: what others would slow down is refused at the source. */
export const PUBLISHING: Allowance = { burst: 16, perSecond: 2 }
/** Pings for others under way: several helpers' worth of a whole round. */
export const RELAYS_MAX = 64

/** What a member is held to be, from what was heard of it. */
export type MemberStatus = 'alive' | 'suspect' | 'left' | 'failed'

export interface Member {
  readonly id: NodeId
  status: MemberStatus
  /** Its last word about its own life; verified. */
  alive: AliveClaim
  /** The digest of that claim, and the key under which this boot of the member signs. */
  digest: string
  key: PublicKey
  attributes: AttributesClaim | undefined
  /** Its word that it left: there exactly if the status is `left`. */
  leave: LeaveClaim | undefined
  /** When its status last changed. */
  since: Millis
  /** Who accuses it, in this incarnation; not empty while it is suspect. */
  accusers: Map<NodeId, Accusation>
  /** Notices of its failure in this incarnation, by author: at most `certifyAt`. */
  notices: Map<NodeId, FailedClaim>
  certified: boolean
  /** The last round-trip times that this member measured itself. */
  roundTrips: number[]
  /** What those chosen to measure its distance say. */
  measures: Map<NodeId, MeasuredClaim>
  coordinate: Coordinate | undefined
  /** How often it may change what it says of itself. */
  updates: Bucket
  /** How many suspicions of this member each author may still have refuted before it is not listened to any more. */
  credit: Map<NodeId, Bucket>
  /** Which of its events were seen. */
  events: Window | undefined
}

/** The probe under way: one at a time. */
export interface Probe {
  readonly target: NodeId
  readonly nonce: Uint8Array
  readonly sentAt: Millis
  answered: boolean
  helpers: NodeId[]
  nacks: NodeId[]
}

/** A ping that this member sends in another's place. */
export interface RelayedProbe {
  readonly target: NodeId
  readonly requester: NodeId
  readonly theirNonce: Uint8Array
}

/** What one peer, whoever speaks through it, may still do; and what it did. */
export interface PeerRecord {
  bucket: Bucket
  /** Claims that it brought with a signature that does not hold. An honest member never passes such a claim on. */
  forged: number
  mutedUntil: Millis
  /** When it was last named for flooding. */
  namedAt: Millis
  slowed: number
}

/** What was refused, by reason. */
export type Refusals = Record<'forged' | 'old' | 'unknown' | 'stranger' | 'slowed' | 'muted' | 'discredited', number>

export interface MembershipState {
  readonly self: NodeId
  /** Asked for entry, and whenever they are not among the living. */
  contacts: readonly NodeId[]
  savedBoot: number
  boot: number
  incarnation: Incarnation
  /** Everybody known, this member included once it has started. */
  members: Map<NodeId, Member>
  /** Their names in order, for comparing views; undefined when somebody came or was forgotten since. */
  names: readonly NodeId[] | undefined
  /** The others that are alive or suspect: whom one can talk to. */
  others: NodeId[]
  /** Who is still to be asked in this round; everybody once, in an order of its own. */
  round: NodeId[]
  /** Members that are asked before their turn, because somebody suspects them. */
  witnessed: NodeId[]
  probe: Probe | undefined
  relays: Map<string, RelayedProbe>
  awareness: number
  queue: GossipQueue
  gossiping: boolean
  address: string
  keys: readonly NamedKey[]
  values: Map<string, number>
  version: number
  coordinate: Coordinate
  peers: Map<NodeId, PeerRecord>
  /** Digests of claims, and whether their signatures held. */
  verdicts: Map<string, boolean>
  refusals: Refusals
  measuredAt: Map<NodeId, Millis>
  measureVersion: number
  eventNumber: number
  publishing: Bucket
  aggregates: Map<string, Aggregate>
  aggregateNumber: number
  /** Set by `leave`, and never unset in this life. */
  leaving: boolean
}

/** A member as others see it in events and status. */
export interface MemberView {
  readonly member: NodeId
  readonly status: MemberStatus
  readonly incarnation: Incarnation
  readonly address: string
  readonly identity: Uint8Array
  readonly keys: readonly NamedKey[]
  /** What it says of itself, and `distance` in milliseconds where enough others measured it. */
  readonly attributes: ReadonlyMap<string, number>
  readonly coordinate: Coordinate | undefined
}

export type MembershipCommand =
  /** Sets attributes of this member; the others keep their values. */
  | { kind: 'set'; id: number; values: readonly NamedValue[] }
  /** Says under which keys, at which address this member is to be found. */
  | { kind: 'announce'; id: number; keys?: readonly NamedKey[]; address?: string }
  | { kind: 'leave'; id: number }
  /** Average, sum, least, largest of an attribute over the group, and the group's size, by gossip. */
  | { kind: 'aggregate'; id: number; name: string }
  | { kind: 'publish'; id: number; topic: string; payload: Uint8Array }
  | { kind: 'status'; id: number }
  /** More members to ask for entry. */
  | { kind: 'contact'; id: number; contacts: readonly NodeId[] }

export type MembershipChange =
  /** Not here before, or gone and back. */
  | 'joined'
  /** Another address, other keys, attributes or distance. */
  | 'updated'
  | 'suspected'
  /** Refuted the suspicion. */
  | 'cleared'
  | 'left'
  | 'failed'

export type Misbehaviour =
  /** Brought claims that nobody signed. */
  | 'forging'
  /** Talks more than it may. */
  | 'flooding'
  /** Suspects members that then show that they live, again and again. */
  | 'accusing'
  /** Says two different things about itself under one number. */
  | 'two-faced'

export type MembershipEvent =
  | { kind: 'changed'; change: MembershipChange; member: MemberView }
  /** Enough members signed that this incarnation of a member failed. */
  | { kind: 'certified'; member: NodeId; incarnation: Incarnation; notices: readonly FailedClaim[] }
  | { kind: 'misbehaved'; member: NodeId; how: Misbehaviour }
  | { kind: 'heard'; author: NodeId; topic: string; payload: Uint8Array }
  /** The command was carried out, or begun. */
  | { kind: 'done'; id: number }
  | { kind: 'refused'; id: number; why: string }
  /** Said to enough others that the process may end. */
  | { kind: 'gone'; id: number }
  | {
      kind: 'aggregated'
      id: number
      name: string
      average: number
      sum: number
      minimum: number
      maximum: number
      size: number
    }
  | {
      kind: 'status'
      id: number
      members: readonly MemberView[]
      awareness: number
      refusals: Readonly<Refusals>
      coordinate: Coordinate
    }

export type MembershipTurn = Turn<MembershipMessage, MembershipEvent>

/** What every function of the machine works on. */
export interface Scene {
  readonly settings: MembershipSettings
  readonly state: MembershipState
  readonly turn: MembershipTurn
}

export function blankState(
  self: NodeId,
  contacts: readonly NodeId[],
  savedBoot: number,
  settings: MembershipSettings,
): MembershipState {
  return {
    self,
    contacts: contacts.filter(contact => contact !== self),
    savedBoot,
    boot: 0,
    incarnation: incarnationOf(0, 0),
    members: new Map(),
    names: undefined,
    others: [],
    round: [],
    witnessed: [],
    probe: undefined,
    relays: new Map(),
    awareness: 0,
    queue: emptyQueue(),
    gossiping: false,
    address: settings.address,
    keys: settings.keys,
    values: new Map(settings.attributes.map(({ name, value }) => [name, value])),
    version: 0,
    coordinate: ORIGIN,
    peers: new Map(),
    verdicts: new Map(),
    refusals: { forged: 0, old: 0, unknown: 0, stranger: 0, slowed: 0, muted: 0, discredited: 0 },
    measuredAt: new Map(),
    measureVersion: 0,
    eventNumber: 0,
    publishing: { tokens: PUBLISHING.burst, at: 0 },
    aggregates: new Map(),
    aggregateNumber: 0,
    leaving: false,
  }
}

export function isHere(member: Member | undefined): member is Member & { status: 'alive' | 'suspect' } {
  return member !== undefined && (member.status === 'alive' || member.status === 'suspect')
}

/** Cheap, since drivers call it after each step: what a step can break is near what it touched. */
export function checkMembership(state: MembershipState): void {
  assert(state.members.size <= MEMBERS_MAX, 'members are bounded')
  assert(queueSize(state.queue) <= QUEUE_MAX, 'the gossip queue is bounded')
  assert(state.relays.size <= RELAYS_MAX, 'pings for others are bounded')
  const probed = state.probe && state.members.get(state.probe.target)
  if (probed !== undefined) checkMember(probed)
}

export function checkMember(member: Member): void {
  assert((member.status === 'left') === (member.leave !== undefined), `${member.id} left exactly if it said so`)
  assert(member.status !== 'suspect' || member.accusers.size > 0, `${member.id} is suspect by somebody's word`)
}
