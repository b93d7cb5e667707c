// What a member remembers.

import {
  type Allowance,
  assert,
  type Bucket,
  type Millis,
  type NodeId,
  type Scene,
  type Turn,
  timers,
} from '../../core/index.ts'
import type { PublicKey, ReplayWindow } from '../../crypto/index.ts'
import type {
  Accusation,
  AliveClaim,
  AttributesClaim,
  FailedClaim,
  LeaveClaim,
  MeasuredClaim,
  NamedKey,
} from '../claims.ts'
import type { MemberStatus, MembershipEvent, Refusals } from '../events.ts'
import { bootOf, type Incarnation, incarnationOf } from '../incarnation.ts'
import type { MembershipSettings } from '../settings.ts'
import { AWARENESS_MAX } from '../suspicion.ts'
import { type Coordinate, ORIGIN } from '../vivaldi.ts'
import type { AggregateName, Estimate, MembershipMessage } from '../wire.ts'
import { emptyQueue, type GossipQueue, QUEUE_MAX, queueSize } from './queue.ts'

/** Members known, those gone included: what a view of ten thousand with its dead needs, and no more. */
export const MEMBERS_MAX = 16_384
/** Peers remembered: all members of a large group. Where none of them has been quiet for long, those beyond share one record. */
export const PEERS_MAX = 16_384
/** A user's own events: what others would slow down is refused at the source. */
export const PUBLISHING: Allowance = { burst: 16, perSecond: 2 }
/** Pings for others under way: those of a large group in a bad moment. */
export const RELAYS_MAX = 1_024
/** Pings for one peer under way: a member has one question open at a time, and its next may overtake the end of the last. */
export const RELAYS_OF_PEER_MAX = 4
/** Verdicts on signatures remembered: a burst of news in a large group. */
export const VERDICTS_MAX = 4_096
/** Accusers kept of one member: more change nothing. */
export const ACCUSERS_MAX = 16
/** About how many of those who hear of a suspicion see for themselves at once: confirmations need not wait for their turn. */
export const WITNESSES = 6
/** Aggregates of others under way at one member. */
export const AGGREGATES_MAX = 256
/** Aggregates of one asker under way at one member. */
export const AGGREGATES_OF_ASKER_MAX = 4
/** Round-trip times kept of each member: their least is the path, the rest is queues. */
export const ROUND_TRIPS_MAX = 8

export interface Member {
  readonly id: NodeId
  status: MemberStatus
  /** Its last word about its own life; verified. */
  alive: AliveClaim
  /** The digest of that claim, and the key under which this boot of the member signs. */
  digest: string
  key: PublicKey
  /** The life in which it said two things under one number, or had two keys. */
  twoFacedIn: number | undefined
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
  /** When this member last looked whether to tell what it measured. */
  measuredAt: Millis | undefined
  /** What those chosen to measure its distance say. */
  measures: Map<NodeId, MeasuredClaim>
  coordinate: Coordinate | undefined
  /** How often it may change what it says of itself. */
  updates: Bucket
  /** How many suspicions of this member each author may still have refuted before it is no longer listened to. */
  credit: Map<NodeId, Bucket>
  /** Which of its events were seen. */
  events: ReplayWindow | undefined
}

/** The probe under way: one at a time. */
export interface Probe {
  readonly target: NodeId
  readonly nonce: Uint8Array
  readonly sentAt: Millis
  answered: boolean
  helpers: NodeId[]
  /** Helpers that said no: each once. */
  nacks: NodeId[]
}

/** A ping that this member sends in another's place. */
export interface RelayedProbe {
  readonly target: NodeId
  readonly requester: NodeId
  readonly theirNonce: Uint8Array
}

/** What one peer may still do, and what it did. A peer is the one that the transport says is speaking. */
export interface PeerRecord {
  bucket: Bucket
  /** Claims that it brought with a signature that does not hold. An honest member never passes such a claim on. */
  forged: number
  mutedUntil: Millis
  /** When it was last named for flooding. */
  namedAt: Millis
  slowed: number
}

export interface Aggregate {
  readonly of: AggregateName
  /** The asker's, for those who hear of it from this member. */
  readonly signature: Uint8Array
  estimate: Estimate
  rounds: number
  /** The asker's command, at the asker only. */
  readonly id: number | undefined
  /** The exchange under way: an answer counts once, and only from the partner. */
  exchange: number
  partner: NodeId | undefined
}

/** What a member remembers of the group. */
export interface MembershipState {
  readonly self: NodeId
  /** Asked for entry, and again whenever they are not among the living. */
  contacts: readonly NodeId[]
  savedBoot: number
  /** 0 before the start. */
  boot: number
  incarnation: Incarnation
  /** Everybody known, this member included once it has started. */
  members: Map<NodeId, Member>
  /** Their names in order, for comparing views; undefined when somebody came or was forgotten since. */
  names: readonly NodeId[] | undefined
  /** The others that are alive or suspect: those that can be talked to. */
  others: NodeId[]
  /** Who is still to be asked in this round; everybody once, in an order of its own. */
  round: NodeId[]
  /** Members that are asked before their turn, because somebody suspects them. */
  witnessed: NodeId[]
  probe: Probe | undefined
  relays: Map<string, RelayedProbe>
  awareness: number
  queue: GossipQueue
  /** Whether the gossip timer is set. */
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
  measureVersion: number
  eventNumber: number
  publishing: Bucket
  aggregates: Map<string, Aggregate>
  aggregateNumber: number
  /** Set by `leave`, and never unset in this life. */
  leaving: boolean
}

export type MembershipTurn = Turn<MembershipMessage, MembershipEvent>
export type MemberScene = Scene<MembershipState, MembershipSettings, MembershipMessage, MembershipEvent>
export type Message<Kind extends MembershipMessage['kind']> = Extract<MembershipMessage, { kind: Kind }>

export const memberTimers = timers(
  'probe',
  /** A direct answer is late. */
  'answer',
  'gossip',
  'repair',
  'join',
  /** About a nonce: a ping for somebody else has no answer. */
  'relay',
  /** About a member: the suspicion ends. */
  'suspicion',
  /** About an aggregate: its next round. */
  'aggregate',
  /** About a `leave` command: the farewell has gone round. */
  'gone',
)

export type MemberTimerDue = ReturnType<typeof memberTimers.due>

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

export function sameBoot(member: Member, boot: number): boolean {
  return bootOf(member.alive.incarnation) === boot
}

/** Cheap, since drivers call it after each step: what a step can break is near what it touched. */
export function checkMembership(state: MembershipState): void {
  checkBounds(state)
  checkViews(state)
  if (state.boot > 0) checkOwn(state)
  if (state.probe !== undefined) checkProbe(state, state.probe)
}

function checkBounds(state: MembershipState): void {
  assert(state.members.size <= MEMBERS_MAX, 'members are bounded')
  // The crowd beyond the bound has one record.
  assert(state.peers.size <= PEERS_MAX + 1, 'peers are bounded')
  assert(queueSize(state.queue) <= QUEUE_MAX, 'the gossip queue is bounded')
  assert(state.queue.held.size <= queueSize(state.queue), 'who has nothing in the gossip queue is not counted')
  assert(state.relays.size <= RELAYS_MAX, 'pings for others are bounded')
  assert(state.verdicts.size <= VERDICTS_MAX, 'verdicts are bounded')
  assert(state.aggregates.size <= AGGREGATES_MAX + AGGREGATES_OF_ASKER_MAX, 'aggregates are bounded')
  assert(state.witnessed.length <= WITNESSES, 'members asked before their turn are bounded')
  assert(state.awareness >= 0 && state.awareness <= AWARENESS_MAX, 'awareness stays on its scale')
}

function checkViews({ members, others, names, boot }: MembershipState): void {
  assert(boot > 0 || members.size === 0, 'nobody is known before the start')
  assert(others.length <= Math.max(0, members.size - 1), 'those that can be talked to are known, and are others')
  assert(names === undefined || names.length === members.size, 'the sorted names are those of all members')
}

function checkOwn({ self, boot, incarnation, members, leaving }: MembershipState): void {
  const own = members.get(self)
  assert(own !== undefined, 'a member that has started knows itself')
  assert(own.alive.incarnation === incarnation, 'what a member says of itself is its present incarnation')
  assert(sameBoot(own, boot), 'an incarnation is of this life')
  assert(own.status === 'alive' || own.status === 'left', 'a member never takes itself for gone')
  assert(!leaving || own.status === 'left', 'a member that leaves has said so')
  checkMember(own)
}

function checkProbe({ self, members }: MembershipState, { target, helpers, nacks }: Probe): void {
  assert(target !== self, 'a member does not probe itself')
  assert(nacks.length <= helpers.length, 'only helpers say no, each once')
  const probed = members.get(target)
  if (probed !== undefined) checkMember(probed)
}

export function checkMember(member: Member): void {
  const { id, status, alive, attributes, accusers, notices } = member
  assert(alive.member === id, `${id} is known by its own word`)
  assert((status === 'left') === (member.leave !== undefined), `${id} left exactly if it said so`)
  assert(status !== 'suspect' || accusers.size > 0, `${id} is suspect by somebody's word`)
  assert(isAccused(status) || accusers.size === 0, `${id} is accused only while it is suspect or failed`)
  assert(accusers.size <= ACCUSERS_MAX, `the accusers of ${id} are bounded`)
  assert(member.credit.size <= ACCUSERS_MAX, `the credit kept at ${id} is bounded`)
  assert(!member.certified || notices.size > 0, `the failure of ${id} is certified by notices`)
  assert(attributes === undefined || sameBoot(member, attributes.boot), `the attributes of ${id} are of this life`)
  assert(member.roundTrips.length <= ROUND_TRIPS_MAX, `the round trips to ${id} are bounded`)
}

function isAccused(status: MemberStatus): boolean {
  return status === 'suspect' || status === 'failed'
}
