// What a server keeps of its ledgers: for each the leaves with their tree and book, the newest certificate, the round of
// the height that is under way, and a pool of what waits.

import { assert, encode, type Millis, type NodeId, type Scene, sameBytes, timers } from '../../core/index.ts'
import type { Signer } from '../../crypto/index.ts'
import { type Book, openBook } from '../book.ts'
import { type Checkpoint, firstHead, headHash, type Statement } from '../checkpoint.ts'
import { type Descriptor, type Epoch, type Keepers, newestEpoch } from '../genesis.ts'
import type { Failures, Quiet } from '../leaders.ts'
import { LeafMemory } from '../memory.ts'
import { newTree, type Tree } from '../merkle.ts'
import type { Proposal, Report } from '../proposal.ts'
import type { Execution } from '../refusal.ts'
import type { LedgerServerSettings } from '../settings.ts'
import { type LedgerLie, type LedgerMessage, type LedgerRecord, ledgerRecord, type PeerMessage } from '../wire.ts'

/** What a ledger's server tells the people who run it. */
export type LedgerServerEvent =
  | {
      readonly kind: 'opened'
      readonly name: string
      readonly ledger: string
      readonly by: NodeId
      readonly lost: boolean
    }
  | { readonly kind: 'certified'; readonly ledger: string; readonly checkpoint: Checkpoint }
  | { readonly kind: 'rejoined'; readonly ledger: string; readonly height: number }
  /** It is on disk that this server has forgotten its votes. */
  | { readonly kind: 'lossKept' }
  /** A server signed what contradicts its other signed words. */
  | { readonly kind: 'lied'; readonly ledger: string; readonly server: NodeId; readonly what: string }

/** What a server is told by the process around it: whether its store is an old copy. */
export type LedgerServerCommand =
  /** No other server knows of a later life of this one (`holds`). */
  | { readonly kind: 'go' }
  /** The others know of a later life: the store is an old copy, and votes were given that it does not know of. */
  | { readonly kind: 'lost' }
  /** The other parts of the node have that on disk: to be told when it is on disk here, too. */
  | { readonly kind: 'tellLoss' }

/** What a server keeps of its ledgers. */
export interface LedgerServerState {
  readonly self: NodeId
  readonly peers: readonly NodeId[]
  /** How often it has asked the others for its ledgers in this life. */
  rolls: number
  /** When each of the others was last told all ledgers. */
  readonly rolled: Map<NodeId, Millis>
  /** Of this life of the store. */
  salt: Uint8Array | undefined
  /** Whether its store is an old copy is not known yet: it promises nothing. */
  held: boolean
  /** By id in hex. */
  readonly ledgers: Map<string, ServedLedger>
  /** Ids by name: first come. */
  readonly names: Map<string, string>
  /** Bytes of each client's leaves that wait, over all ledgers. */
  readonly pooledBytesOf: Map<string, number>
  /** What each server was caught at in this life, each thing once. */
  readonly blamed: Map<NodeId, readonly LedgerLie[]>
}

/** A proposal that was executed and checked. */
export interface CheckedProposal extends Proposal {
  readonly hash: Uint8Array
  readonly size: number
  readonly root: Uint8Array
}

export interface SignedStatement {
  readonly statement: Statement
  readonly signature: Uint8Array
}

/** The height that is under way. */
export interface Round {
  /** The attempt that it is in. */
  attempt: number
  /** Votes below it are never given any more; at most one above `attempt`. */
  promised: number
  /** The reports that opened the attempt; none for the first. */
  opened: readonly Report[]
  /** Since when it is in the attempt with something to do: its time is counted from there. */
  since: Millis | undefined
  /** The newest vote of its own, and the newest report. */
  vote: SignedStatement | undefined
  report: Report | undefined
  /** What was proposed and found good, by hash; how many each server brought. */
  readonly proposals: Map<string, CheckedProposal>
  readonly brought: Map<number, number>
  /** What those take, by the server's name (holding.ts). */
  readonly broughtBytes: Map<NodeId, number>
  /** Of these, what is on disk: its own votes, and what the reports rest on that let it vote or leave. */
  readonly kept: Set<string>
  /** Good proposals of the leader of the attempt, by attempt: the first is voted for. */
  readonly led: Map<number, string>
  /** What this server itself proposed, by attempt. */
  proposed: Proposal | undefined
  /** The newest of each server. */
  readonly votes: Map<number, SignedStatement>
  readonly reports: Map<number, Report>
  /** Words that wait for a proposal which is not here: the newest of each server. */
  readonly stalled: Map<number, { readonly proposal: Proposal; readonly bytes: number }>
  /** Proposals that were asked for since the last beat. */
  readonly wanted: Set<string>
  /** When something of it was last said for the first time. */
  saidAt: Millis
  /** Until when more leaves are gathered before it proposes. */
  gathersUntil: Millis | undefined
  readonly unchecked: Map<number, Report>
}

/** A leaf that waits to be ordered. */
export interface Pooled {
  readonly leaf: Uint8Array
  readonly name: string
  /** The certificate name of the client that brought it. */
  readonly owner: string
  /** It could be appended now. */
  ready: boolean
  /** Account and register, where somebody spends. */
  readonly account: string | undefined
  readonly sequence: number
  /** Who wants to know, and under which number. */
  readonly askers: { readonly client: NodeId; readonly query: number }[]
}

export interface Pool {
  readonly entries: Map<string, Pooled>
  /** By the client that brought them. */
  readonly shares: Map<string, { readonly leaves: number; readonly bytes: number }>
  bytes: number
  /** Entries that could be appended now. */
  ready: number
}

/** A word about a height that is not under way yet. */
export interface EarlyWord {
  readonly from: NodeId
  readonly height: number
  /** Since when that server was ahead. */
  readonly at: Millis
  readonly body: Extract<PeerMessage, { ledger: Uint8Array }>
  /** What it takes to keep it (holding.ts). */
  readonly bytes: number
}

/** Leaves that are fetched from other servers, up to a certificate; each page was shown to lead to what is certified. */
export interface Catching {
  /** Who is asked for the next page, if anybody. */
  readonly from: NodeId | undefined
  /** How many leaves stand before them. */
  readonly start: number
  readonly checkpoint: Checkpoint
  readonly leaves: Uint8Array[]
  /** Of the tree up to the last of them. */
  readonly frontier: readonly Uint8Array[]
  askedAt: Millis
  /** That one said that it is ahead, and has given nothing yet. */
  readonly owes: boolean
}

export interface ServedLedger {
  /** With the epochs that its leaves name. */
  descriptor: Descriptor
  readonly owner: string
  /** Who keeps it now: of the height under way. */
  keepers: Epoch
  /** This server's place among them; -1 where it only follows. */
  place: number
  /** Their places by name. */
  places: ReadonlyMap<NodeId, number>
  /** The certificates with which epochs ended, oldest first. */
  readonly closings: Checkpoint[]
  readonly book: Book
  readonly tree: Tree
  readonly leaves: Uint8Array[]
  /** Where a leaf is, by its hash in hex. */
  readonly indexes: Map<string, number>
  head: Checkpoint
  /** The size of the certificate before it, as far as it was seen here. */
  before: number
  /** The hash of `head`, which the next height names. */
  previous: Uint8Array
  round: Round
  readonly pool: Pool
  /** The largest height in which it ever voted. */
  voted: number
  /** How long heights took lately. */
  pace: Millis
  /** Leaders that failed, by place: at most one for each server. */
  readonly failures: Failures
  /** Who has not voted lately, by place. */
  readonly quiet: Quiet
  /** It has forgotten votes: what the others say of theirs, by place. It neither votes nor reports. */
  lost: Map<number, number> | undefined
  catching: Catching | undefined
  /** When a server last gave nothing, too little or rubbish: the others come first for a while. */
  readonly passedOver: Map<NodeId, Millis>
  /** Its beat is set. */
  beating: boolean
  /** For links with a rate: when the next tick is due, and who signed it. */
  hourAt: Millis | undefined
  readonly hours: Map<number, { readonly number: number; readonly signature: Uint8Array }>
  /** What is known of leaves that wait or are proposed. */
  readonly memory: LeafMemory
  /** Words about heights that are not under way yet, the newest of each server and kind: the next height begins at different moments. */
  readonly early: Map<string, EarlyWord>
  /** Servers whose vote for the newest certificate came after it, as happens: one that says it again has missed the certificate. */
  readonly late: Set<number>
  /** Leaves of the last height: about as many are gathered before the next is proposed. */
  lately: number
}

export type ServerScene = Scene<LedgerServerState, LedgerServerSettings, LedgerMessage, LedgerServerEvent>

/** With the ledger that a word is about. */
export interface LedgerScene extends ServerScene {
  readonly ledger: ServedLedger
}

/** `beat`, `gather` and `leave` are about a ledger's id. */
export const serverTimers = timers('beat', 'gather', 'leave', 'roll')

/** Ledgers of one server, and those that one client may bring: each has a book and a tree in memory. */
export const LEDGERS_MAX = 256
export const LEDGERS_OF_CLIENT_MAX = 64

export function newRound(): Round {
  return {
    attempt: 1,
    promised: 1,
    opened: [],
    since: undefined,
    vote: undefined,
    report: undefined,
    proposals: new Map(),
    brought: new Map(),
    broughtBytes: new Map(),
    kept: new Set(),
    led: new Map(),
    proposed: undefined,
    votes: new Map(),
    reports: new Map(),
    stalled: new Map(),
    wanted: new Set(),
    saidAt: 0,
    gathersUntil: undefined,
    unchecked: new Map(),
  }
}

export function newLedger(
  descriptor: Descriptor,
  owner: string,
  place: number,
  lost: boolean,
  { suite, attemptMax }: LedgerServerSettings,
): ServedLedger {
  const head = firstHead(suite)
  return {
    descriptor,
    owner,
    keepers: newestEpoch(descriptor),
    place,
    places: placesOf(newestEpoch(descriptor)),
    closings: [],
    book: openBook(descriptor),
    tree: newTree(),
    leaves: [],
    indexes: new Map(),
    head,
    before: 0,
    previous: headHash(descriptor, head, suite),
    round: newRound(),
    pool: { entries: new Map(), shares: new Map(), bytes: 0, ready: 0 },
    voted: 0,
    pace: attemptMax,
    failures: new Map(),
    quiet: new Map(),
    lost: lost ? new Map() : undefined,
    catching: undefined,
    passedOver: new Map(),
    beating: false,
    hourAt: undefined,
    hours: new Map(),
    memory: new LeafMemory(suite.hash),
    early: new Map(),
    late: new Set(),
    lately: 0,
  }
}

/** The ledger with that id. Ids differ early: to look at each is cheaper than to write one as digits. */
export function ledgerOf({ ledgers }: LedgerServerState, id: Uint8Array): ServedLedger | undefined {
  for (const ledger of ledgers.values())
    if (ledger.descriptor.id[0] === id[0] && sameBytes(ledger.descriptor.id, id)) return ledger
  return undefined
}

export function placesOf({ servers }: Keepers): ReadonlyMap<NodeId, number> {
  return new Map(servers.map(({ name }, at) => [name, at]))
}

/** A server's place among keepers that name its key; -1 where they do not. */
export function placeIn({ servers }: Keepers, self: NodeId, { voter }: LedgerServerSettings): number {
  return servers.findIndex(({ name, salt, key }) => name === self && sameBytes(voter(salt).publicKey, key))
}

/** The key with which this server votes in the ledger. */
export function voterOf({ ledger, settings }: LedgerScene): Signer {
  return settings.voter(ledger.keepers.servers[ledger.place]!.salt)
}

/** How leaves of the ledger are tried and applied. */
export function executionOf({ ledger, settings }: LedgerScene): Execution {
  return { suite: settings.suite, rules: settings.rules, memory: ledger.memory }
}

export function nameOf(ledger: ServedLedger, place: number): NodeId {
  return ledger.keepers.servers[place]!.name
}

/** Whether it may vote, report and vouch: it keeps the ledger, and knows every vote that it has given. */
export function mayPromise({ state, ledger }: LedgerScene): boolean {
  return ledger.lost === undefined && ledger.place >= 0 && !state.held
}

export function send({ turn }: ServerScene, to: NodeId, body: LedgerMessage): void {
  turn.do({ kind: 'send', to, body })
}

/** To all other servers of the ledger. */
export function sendOthers(scene: LedgerScene, body: LedgerMessage): void {
  const { ledger } = scene
  for (const [name, place] of ledger.places) if (place !== ledger.place) send(scene, name, body)
}

export function save({ turn }: ServerScene, record: LedgerRecord, lazy = false): void {
  turn.do({ kind: 'save', record: encode(ledgerRecord, record), ...(lazy && { lazy }) })
}

export function checkServer(state: LedgerServerState): void {
  assert(state.ledgers.size <= LEDGERS_MAX, 'too many ledgers are kept')
  for (const what of state.blamed.values()) assert(new Set(what).size === what.length, 'a lie is told once')
  for (const [hex, ledger] of state.ledgers) checkLedger(hex, ledger)
}

function checkLedger(hex: string, { descriptor, book, tree, leaves, head, round, lost, voted }: ServedLedger): void {
  assert(descriptor.hex === hex, 'a ledger is kept under its id')
  assert(book.size === tree.size && tree.size === leaves.length, 'book, tree and leaves have one size')
  assert(head.size === leaves.length, 'what is kept is what is certified')
  assert(
    round.promised === round.attempt || round.promised === round.attempt + 1,
    'at most one attempt ahead is promised',
  )
  assert(round.vote === undefined || round.vote.statement.height === head.height + 1, 'a vote of another height')
  assert(
    lost === undefined || (round.vote === undefined && round.report === undefined),
    'it voted while it had forgotten',
  )
  assert(round.vote === undefined || voted >= round.vote.statement.height, 'the largest height of a vote')
}
