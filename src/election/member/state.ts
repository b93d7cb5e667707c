// What a member remembers of its elections.

import { type Bucket, type Millis, type NodeId, timers } from '../../core/index.ts'
import type { Change } from '../count/electorate.ts'
import { viewDigest } from '../count/view.ts'
import type {
  Approval,
  Claim,
  ElectionMessage,
  Electorate,
  Led,
  OpenBallot,
  Row,
  SignedGrant,
  SignedList,
  View,
  VoidedBallots,
} from '../wire.ts'
import type { Misbehaviour } from './commands.ts'

/** `carry` is about the change of the list that is under way, the others are about one election, by its name. */
export const electionTimers = timers(
  'carry',
  'attempt',
  'count',
  'claim',
  'start',
  'promise',
  'held',
  'renew',
  'end',
  'over',
)

export type ElectionTimer = Parameters<typeof electionTimers.set>[1]

/** What happened during one input and has consequences, which `advance` draws. */
export type News =
  /** Another list of members holds. */
  | 'list'
  /** More promises: the claimant may lead, the coordinator may believe for longer. */
  | 'promises'
  /** Perhaps nobody leads. */
  | 'vacancy'
  /** Ballots to count. */
  | 'ballots'
  /** Shares of the totals to ask for again. */
  | 'shares'
  /** This member has won. */
  | 'victory'
  /** Ballots have been waited for: what is missing is asked for. */
  | 'reminder'
  /** Everybody is to be called. */
  | 'call'

/** What a member remembers of its elections. */
export interface ElectionState {
  readonly self: NodeId
  /** The newest list that is known; undefined for a member that is yet to be admitted. */
  electorate: Electorate | undefined
  /** Terms under this list are above it. */
  floor: number
  /** Newest last, the current one: for members that are behind. */
  readonly chain: SignedList[]
  /** The successor that this member signed: it signs no other of that number. */
  signedSuccessor: Electorate | undefined
  proposal: Proposal | undefined
  /** False where the store was empty: a member that forgot its grants must not give them again. */
  mayGrant: boolean
  readonly races: Map<string, Race>
  /** What each member has used of its share of our time. */
  readonly peers: Map<NodeId, Peer>
  failed: readonly NodeId[]
  /** Since when a quorum of the list is seen here; undefined while there is none, or membership said nothing. */
  quorumSeenAt: Millis | undefined
  /** Members that cannot stand, because ballots are secret and they did not prove a key. */
  keyless: readonly NodeId[]
  readonly vouchedFailures: Map<NodeId, number>
  /** Changes that this member agrees to, newest last. */
  allowedChanges: readonly Change[]
  /** Records since the last snapshot. */
  recordsSinceSnapshot: number
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
  /** For proofs that are checked for it: beyond it the rest of what it says is heard as ever. */
  readonly proofs: Bucket
  /** When it was named last, for each way to lie. */
  readonly reportedAt: Map<Misbehaviour, Millis>
}

/** One named election. */
export interface Race {
  readonly name: string
  /** Who spoke of it first; empty if it was this member's own user, or is from before a restart. */
  broughtUpBy: NodeId
  /** This member starts elections when nobody leads. */
  open: boolean
  rows: readonly Row[]
  /** When each of the rows came or changed, until a first coordinator is known. */
  readonly rowsSince: Map<NodeId, Millis>
  /** When this member's user asked for a coordinator, and when something about who stands changed last. */
  openedAt: Millis
  changedAt: Millis
  /** A coordinator has been known in this life. */
  hadCoordinator: boolean
  /** After an attempt that failed: no other begins before, whatever is heard about who stands. */
  pausedUntil: Millis
  /** The highest term that was granted, and to whom; saved before the grant is given. Never goes back. */
  grantedTerm: number
  grantedTo: NodeId
  /** The highest term that it voted in or claimed; saved before the ballot or the claim is sent. */
  votedTerm: number
  /** The highest term that was begun in this life, also where nobody had to vote. */
  begunTerm: number
  /** The highest term that each other member of the list said it was in: one word of each. */
  readonly saidTerms: Map<NodeId, number>
  /** When a call of each other member was followed last: one that calls again and again does not keep us from counting. */
  readonly followedAt: Map<NodeId, Millis>
  /** Until then, by the own clock, no other coordinator is granted. */
  promisedUntil: Millis
  /** When that term was granted: without a proof, the promise is not made longer for ever. */
  grantedAt: Millis
  /** Who called for a later term, and when; while these are too many to leave a quorum, nothing is renewed. */
  readonly callers: Map<NodeId, Millis>
  /** The number of the list by whose quorum the coordinator led when that promise was given. */
  promisedUnder: number
  /** Who led last, as far as is known: left out of the next election. */
  lastCoordinator: NodeId
  /** Who leads, as q grants prove, and until when without news. */
  leader: { readonly term: number; readonly coordinator: NodeId; until: Millis } | undefined
  /** The coordinator of the highest term of which one was proved in this life, with the grants. Its term never goes back. */
  proof: Led | undefined
  attempt: Attempt | undefined
  /** Attempts in a row that failed. */
  failures: number
  /** Candidates of failed attempts that did not claim. */
  silentCandidates: readonly NodeId[]
  /** Had a promise of ours and were never proved to lead: the newest, as many as there may be liars. */
  neverLed: readonly NodeId[]
  candidacy: Candidacy | undefined
  /** A claim that waits for the own promise to run out. */
  heldClaim: { readonly from: NodeId; readonly claim: Claim } | undefined
  /** Ballots that came before the attempt they belong to, by voter. */
  readonly earlyBallots: Map<NodeId, Extract<ElectionMessage, { kind: 'ballot' }>>
  /** The newest term that each other member claimed, and on which view, by its digest. */
  readonly claimedViews: Map<NodeId, { readonly term: number; readonly digest: Uint8Array }>
  /** Voters whose two ballots were reported to the user, and the term of them. */
  readonly reportedDoubles: Map<NodeId, number>
  /** Empty between inputs: `advance` takes it all. */
  readonly news: Set<News>
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
  ownBallot: OpenBallot | undefined
  /** As a candidate: what was opened, by voter. */
  readonly ballots: Map<NodeId, OpenBallot>
  readonly voided: Map<NodeId, VoidedBallots>
  /** Ballots have been waited for long enough: a quorum of them is counted. */
  waitIsOver: boolean
  /** How often ballots were waited for. */
  reminders: number
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
  readonly believedUntil: Map<NodeId, Millis>
  readonly grants: Map<NodeId, SignedGrant>
  /** Members that know the grants, and need not be sent them again. */
  readonly informed: Map<NodeId, boolean>
  deadline: Millis
  /** The number of the list by whose quorum it believes until then. */
  underList: number
  /** Members that refused, and when it is worth asking them again. */
  readonly refusedUntil: Map<NodeId, Millis>
}

export function newRace(name: string, by: NodeId = ''): Race {
  return {
    name,
    broughtUpBy: by,
    open: false,
    rows: [],
    rowsSince: new Map(),
    openedAt: 0,
    changedAt: 0,
    hadCoordinator: false,
    pausedUntil: 0,
    grantedTerm: 0,
    grantedTo: '',
    votedTerm: 0,
    begunTerm: 0,
    saidTerms: new Map(),
    followedAt: new Map(),
    promisedUntil: 0,
    grantedAt: 0,
    callers: new Map(),
    promisedUnder: 0,
    lastCoordinator: '',
    leader: undefined,
    proof: undefined,
    attempt: undefined,
    failures: 0,
    silentCandidates: [],
    neverLed: [],
    candidacy: undefined,
    heldClaim: undefined,
    earlyBallots: new Map(),
    claimedViews: new Map(),
    reportedDoubles: new Map(),
    news: new Set(),
  }
}

export function newAttempt(term: number, view: View, candidates: readonly NodeId[], votes: boolean): Attempt {
  return {
    term,
    view,
    digest: viewDigest(view),
    candidates,
    votes,
    ownBallot: undefined,
    ballots: new Map(),
    voided: new Map(),
    waitIsOver: false,
    reminders: 0,
    claimed: [],
    until: 0,
    excused: false,
    tally: undefined,
  }
}
