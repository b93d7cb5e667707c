// What a member remembers of its elections, and the words its user and its membership speak to it.

import type { Bucket, Millis, NodeId, Turn } from '../core/index.ts'
import type { Group, KeyPair, Sealing, Signatures, Signer } from '../crypto/index.ts'
import type { OpenBallot, VoidedBallots } from './ballot.ts'
import type { Approval, Change, Electorate, Listed } from './electorate.ts'
import type { ElectionMessage, SignedGrant } from './messages.ts'
import type { ElectionSettings } from './settings.ts'
import type { Row, View } from './view.ts'

export type ElectionCommand =
  /** From now on this member sees to it that there is a coordinator of that name. */
  | { kind: 'open'; name: string }
  /** No more: elections go on without its help, and its votes and grants remain. */
  | { kind: 'close'; name: string }
  /** Who stands for that name, with which values: from membership. Safety does not rest on it. */
  | { kind: 'view'; name: string; rows: readonly Row[] }
  /** Who seems to be gone: from membership. Safety does not rest on it. */
  | { kind: 'failed'; members: readonly NodeId[] }
  /** Who seems to be here: from membership. A first election waits for a quorum of them, for a while. */
  | { kind: 'seen'; members: readonly NodeId[] }
  /** So many failures of a member are certified, as membership has checked: it may enter the next list. */
  | { kind: 'vouch'; member: NodeId; failures: number }
  /** This member may be admitted or removed, as its operator or membership has checked: else no successor is signed. */
  | { kind: 'allow'; change: Change }
  /** Steps down: others may lead at once. */
  | { kind: 'resign'; name: string }
  /** For the sitting coordinator of any name: one member in or out. */
  | { kind: 'change'; id: number; change: Change }

export type ElectionEvent =
  /**
   * This member leads until `deadline` on its own clock, which may be over already: it was told after a save, and the
   * process may have been stopped meanwhile. The claim is what made it: anybody can check its count.
   */
  | { kind: 'elected'; name: string; term: number; deadline: Millis; claim: Claim }
  | { kind: 'extended'; name: string; term: number; deadline: Millis }
  /** It no longer leads: told before its belief ends, so before anybody else can lead. */
  | { kind: 'lost'; name: string; term: number }
  /** It stepped down by command: others may lead from now on. */
  | { kind: 'resigned'; name: string; term: number }
  /** q grants prove that this is the coordinator. `until`: when, on this clock, it will be unknown without news. */
  | { kind: 'coordinator'; name: string; term: number; coordinator: NodeId; until: Millis }
  /** Nobody is known to lead: a minority sees this until it is whole again. */
  | { kind: 'vacant'; name: string; term: number }
  /** An attempt that came to nothing, and whose ballots a candidate did not have: denial of voting has names. */
  | { kind: 'turnout'; name: string; term: number; ballots: number; needed: number; missing: readonly NodeId[] }
  /** What a third party can check: two ballots, or two grants, of one member in one term. */
  | { kind: 'evidence'; name: string; term: number; member: NodeId; ballots: VoidedBallots }
  /** A member asks for more than its share: it is slowed. */
  | { kind: 'misbehaved'; member: NodeId; how: 'flooding' }
  | { kind: 'electorate'; electorate: Electorate }
  | { kind: 'changed'; id: number; number: number }
  | { kind: 'refused'; id: number; why: string }

export type Claim = Extract<ElectionMessage, { kind: 'claim' }>
export type ElectionTurn = Turn<ElectionMessage, ElectionEvent>

export interface ElectionState {
  readonly self: NodeId
  /** The newest list that is known; undefined for a member that is yet to be admitted. */
  electorate: Electorate | undefined
  /** Terms under this list are above it. */
  floor: number
  /** Newest last, the current one: for members that are behind. */
  readonly chain: Listed[]
  /** The successor that this member signed: it signs no other of that number. */
  signed: Electorate | undefined
  proposal: Proposal | undefined
  /** False where the store was empty: a member that forgot its grants must not give them again. */
  mayGrant: boolean
  readonly races: Map<string, Race>
  /** What each member has used of its share of our time. */
  readonly peers: Map<NodeId, Peer>
  failed: readonly NodeId[]
  /** When a quorum of the list was first seen here; undefined while there is none, or nobody told. */
  gatheredAt: Millis | undefined
  /** Members that cannot stand, because ballots are secret and they did not prove a key. */
  keyless: readonly NodeId[]
  readonly vouched: Map<NodeId, number>
  /** Changes that this member agrees to, newest last. */
  allowed: readonly Change[]
  /** Records since the last snapshot. */
  records: number
  stopped: boolean
}

export interface Proposal {
  /** The command that asked for it; 0 for one that somebody else began and we carry on. */
  readonly id: number
  readonly electorate: Electorate
  readonly approvals: Map<NodeId, Approval>
}

export interface Peer {
  readonly bucket: Bucket
  namedAt: Millis
}

/** One named election. */
export interface Race {
  readonly name: string
  /** Who spoke of it first; empty if it was this member's own user, or is from before a restart. */
  by: NodeId
  /** This member starts elections when nobody leads. */
  open: boolean
  rows: readonly Row[]
  /** When each of the rows came or changed, until a first coordinator is known. */
  readonly since: Map<NodeId, Millis>
  /** When this member's user asked for a coordinator, and when something about who stands changed last. */
  openedAt: Millis
  changedAt: Millis
  /** A coordinator has been known in this life. */
  met: boolean
  /** After an attempt that failed: no other begins before, whatever is heard about who stands. */
  pausedUntil: Millis
  /** The highest term that was granted, and to whom; saved before the grant is given. Never goes back. */
  term: number
  coordinator: NodeId
  /** The highest term that it voted in or claimed; saved before the ballot or the claim is sent. */
  voted: number
  /** The highest term heard of, in bounded steps: a hint for the next. */
  seen: number
  /** Until then, by the own clock, no other coordinator is granted. */
  promisedUntil: Millis
  /** When that term was granted: without a proof, the promise is not made longer for ever. */
  grantedAt: Millis
  /** Who called for a later term, and when; while it is so many that no quorum can be left, nothing is renewed. */
  readonly callers: Map<NodeId, Millis>
  /** The number of the list by whose quorum the coordinator led when that promise was given. */
  promisedUnder: number
  /** Who led last, as far as is known: left out of the next election. */
  lapsed: NodeId
  /** Who leads, as q grants prove, and until when without news. */
  known: { readonly term: number; readonly coordinator: NodeId; until: Millis } | undefined
  attempt: Attempt | undefined
  /** Attempts in a row that failed. */
  failures: number
  /** Candidates of failed attempts that did not claim. */
  tried: readonly NodeId[]
  /** Had a promise of ours and were never proved to lead: the newest, as many as there may be liars. */
  idle: readonly NodeId[]
  candidacy: Candidacy | undefined
  /** A claim that waits for the own promise to run out. */
  held: { readonly from: NodeId; readonly claim: Claim } | undefined
  /** Ballots that came before the attempt they belong to, by voter. */
  readonly early: Map<NodeId, Extract<ElectionMessage, { kind: 'ballot' }>>
  /** Voters of whose two ballots the user was told, in this term. */
  readonly told: Map<NodeId, number>
}

/** One term in which this member votes, or waits for a claim. */
export interface Attempt {
  readonly term: number
  readonly view: View
  readonly digest: Uint8Array
  readonly candidates: readonly NodeId[]
  /** False for a single candidate that nobody was called to vote on: those who see the same grant it (|C| = 1). */
  readonly votes: boolean
  /** The own ballot, once cast. */
  own: OpenBallot | undefined
  /** As a candidate: what was opened, by voter. */
  readonly ballots: Map<NodeId, OpenBallot>
  readonly voided: Map<NodeId, VoidedBallots>
  /** Ballots have been waited for long enough: a quorum of them is counted. */
  due: boolean
  /** How often ballots were waited for. */
  ticks: number
  /** Candidates that claimed. */
  claimed: readonly NodeId[]
  /** When it is given up. */
  until: Millis
  /** It was to be given up when this process had been slow itself; once is enough. */
  excused: boolean
  /** Where ballots are secret, as a candidate: what it opened. It opens nothing else in this term. */
  tally: Tally | undefined
}

/** Secret ballots that are counted together. */
export interface Tally {
  readonly ballots: readonly OpenBallot[]
  readonly voided: readonly VoidedBallots[]
  readonly digest: Uint8Array
  /** By candidate: the own one, as the teller everybody's. */
  readonly openings: Map<NodeId, Uint8Array>
}

/** The own way from a claim to the end of the term. */
export interface Candidacy {
  readonly term: number
  phase: 'claiming' | 'leading' | 'ending'
  claim: Claim
  /** When what is numbered so was sent, newest last: an answer counts from there. */
  sent: { readonly asked: number; readonly at: Millis }[]
  asked: number
  /** Until when each member's promise may be believed in. */
  readonly until: Map<NodeId, Millis>
  readonly grants: Map<NodeId, SignedGrant>
  /** Members that know the grants, and need not be sent them again. */
  readonly aware: Map<NodeId, boolean>
  deadline: Millis
  /** The number of the list by whose quorum it believes until then. */
  by: number
  /** Members that refused, and when it is worth asking them again. */
  readonly refusedUntil: Map<NodeId, Millis>
}

export interface Keys {
  readonly signer: Signer
  readonly signatures: Signatures
  readonly sealing: Sealing
  /** For secret ballots: the group that all members agree on, and the own keys in it. */
  readonly counting?: Counting
}

export interface Counting {
  readonly group: Group
  readonly keys: KeyPair
}

/** What every function here needs: whose state, under which settings and keys, in which turn. */
export interface Context {
  readonly state: ElectionState
  readonly settings: ElectionSettings
  readonly keys: Keys
  readonly turn: ElectionTurn
}

export function newRace(name: string, by: NodeId = ''): Race {
  return {
    name,
    by,
    open: false,
    rows: [],
    since: new Map(),
    openedAt: 0,
    changedAt: 0,
    met: false,
    pausedUntil: 0,
    term: 0,
    coordinator: '',
    voted: 0,
    seen: 0,
    promisedUntil: 0,
    grantedAt: 0,
    callers: new Map(),
    promisedUnder: 0,
    lapsed: '',
    known: undefined,
    attempt: undefined,
    failures: 0,
    tried: [],
    idle: [],
    candidacy: undefined,
    held: undefined,
    early: new Map(),
    told: new Map(),
  }
}
