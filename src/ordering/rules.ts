// The few lines on which the one order rests, apart from the machines that use them (protocols/ordering).
// Each says the smallest story that goes wrong without it; planted.ts breaks each, and the simulator must notice.

import { kthLargest, type NodeId } from '../core/index.ts'
import type { Rank } from './wire.ts'

/** The lines on which the order's safety rests. */
export interface OrderingRules {
  /** protocols/ordering 1: whether a server takes a proposal of this version, given what it took in the same rank. */
  mayFollow(version: number, proposedInRank: number): boolean
  /** protocols/ordering 1: whether a server takes this version for committed, given what it has. */
  mayCommit(version: number, committed: number): boolean
  /** protocols/ordering 2: whether a proposal says that its parent is committed. */
  commitsParent(): boolean
  /** protocols/ordering 3: whether a reply vouches for the version that it has committed, besides the one proposed to it. */
  committedVouches(): boolean
  /** How many must vouch for a version, an operation, a response before it is believed. */
  vouchersNeeded(liars: number): number
  /** protocols/ordering 4: whether the next version may be built on this one, given how many say that it is committed. */
  mayBuildOn(sayCommitted: number, liars: number): boolean
  /** Whether a version that somebody left half done is completed before the next. */
  completesOthers(): boolean
  /** protocols/ordering 5: the counter of the next rank, above this one and those that servers reported. */
  nextCounter(counter: number, reported: readonly number[], liars: number): number
  /** protocols/ordering 5: whether a rank may serve for another get. */
  reusesRank(): boolean
  /** protocols/ordering 5: whether the holder of the turn hears of the operations that wait. */
  tellsPending(): boolean
  /** How many acknowledgements in one rank make a version decided. */
  acknowledgementsNeeded(quorum: number): number
  /** The rank that a restarted server has promised, given what its store says. */
  promisedAfterRestart(promised: Rank): Rank
  /** Whether a server answers a session's client from a version that is only proposed. */
  answersFromProposed(): boolean
  /** Whether an operation is applied now, given the number of the next one of its session. */
  appliesNow(seq: number, next: number): boolean
  /** Whether a version that enough say is committed may be read, given how many of the quorum show something newer. */
  mayRead(showNewer: number, liars: number): boolean
  /** Whether a server promises a rank, given the highest that its wall clock allows. */
  mayPromise(counter: number, highest: number): boolean
  /** Whether a server takes a version for committed that it does not know itself, given how many others do. */
  mayTake(knownTo: number, liars: number): boolean
  /** Under which name a server's word on an operation is counted, given how many words on it there are. */
  voterOf(server: NodeId, words: number): NodeId
  /** Whether word of a silent lease may end it, given the renewal that was silent and the one that it has. */
  mayEndLease(silent: number, present: number): boolean
  /** Whether a client keeps what too few vouch for, given how much of one server it has. */
  mayKeep(bytes: number, bytesMax: number): boolean
}

/** The rules as they must be. */
export const orderingRules: OrderingRules = {
  // A late copy of propose(v) comes after propose(v+1) of the same client: taken, the server would forget v+1, which
  // may be decided.
  mayFollow: (version, proposedInRank) => version > proposedInRank,

  // Old commits arrive late and are repeated by liars' friends: a server that went back would hand out the past.
  mayCommit: (version, committed) => version > committed,

  // The server that takes v+1 forgets that v was proposed to it. If it does not keep v as committed, too few are left
  // who vouch for v when v+1 comes to nothing.
  commitsParent: () => true,

  // Half of a quorum has v+1 proposed, the other half v: nobody would be vouched for, though v is decided.
  committedVouches: () => true,

  // With b, the liars alone are enough.
  vouchersNeeded: liars => liars + 1,

  // v is vouched for, but proposed only: the one who proposed it may have been overtaken by a rank we have not seen.
  // Built on at once, v+1 would say that v is committed, and it may never be.
  mayBuildOn: (sayCommitted, liars) => sayCommitted > liars,

  // Its client may have seen a quorum take it, told its user, and died before anybody heard of the commit.
  completesOthers: () => true,

  // Above the largest of all, one liar could burn the space of ranks with one answer.
  nextCounter: (counter, reported, liars) => Math.max(counter, kthLargest(reported, liars + 1)) + 1,

  // A client that has proposed in a rank and starts again makes a new choice: two versions would stand under one rank.
  reusesRank: () => false,

  // A proposer that keeps its turn asks nobody again, and would never hear of the others.
  tellsPending: () => true,

  // Fewer, and the quorum of the next client may not meet enough of those who took it.
  acknowledgementsNeeded: quorum => quorum,

  // Who promised not to listen to smaller ranks must not forget it: it has told a larger one what was proposed so far.
  promisedAfterRestart: promised => promised,

  // What is proposed may come to nothing, and then its responses never were.
  answersFromProposed: () => false,

  // "Up to the highest seen" loses operation 5 when 6 comes first.
  appliesNow: (seq, next) => seq === next,

  // b + 1 may have committed v while v+1 is decided and acknowledged: what they say is true and old.
  mayRead: (showNewer, liars) => showNewer <= liars,

  // One get with the largest counter, and nobody has a turn any more.
  mayPromise: (counter, highest) => counter <= highest,

  // One client says that version 2^40 is committed: nobody has what leads there, and nobody goes on.
  mayTake: (knownTo, liars) => knownTo > liars,

  // A liar that says the same twice would count as two, and what nobody asked for is done.
  voterOf: server => server,

  // A liar tells of a version after version that nobody else knows, of 15 MiB each: the client runs out of memory.
  mayKeep: (bytes, bytesMax) => bytes <= bytesMax,

  // Servers call a lease silent, its keeper renews it and is told so, and then the client that was told of the silence has
  // the turn: the lease would end at once, though its keeper may count on its time.
  mayEndLease: (silent, present) => silent === present,
}

export function compareRanks(a: Rank, b: Rank): number {
  if (a.counter !== b.counter) return a.counter - b.counter
  return a.client < b.client ? -1 : a.client > b.client ? 1 : 0
}

export const LOWEST_RANK: Rank = { counter: 0, client: '' as NodeId }
