// The election's arithmetic: the few lines on which it rests, apart from the machine that uses them.
// Each rule says the smallest story that goes wrong without it; planted.ts breaks each, and the simulator or the
// explorer must notice.

import { believed, type Millis, type NodeId } from '../core/index.ts'

/** The lines on which an election's safety rests. */
export interface ElectionRules {
  /** How many grants make a coordinator, and how many signatures a successor of the electorate. */
  quorum(members: number, liars: number, seenAlive: number): number
  /** The weight of a preference: place 0 is the first. */
  weight(place: number): number
  /** Which of two rows of one attribute comes first. */
  before(value: number, id: NodeId, otherValue: number, otherId: NodeId): boolean
  /** Whether a second ballot of the same voter is kept out of the count. */
  countsOnce(): boolean
  /** Whether a claim may be granted, given the highest term that was granted. */
  isNewTerm(term: number, granted: number): boolean
  /** How many members must say that they were in a term before it is followed at once. */
  wordsNeeded(liars: number): number
  /** Whether one member's word is followed far, given how many attempts have failed in a row. */
  followsOneWord(failures: number, patience: number): boolean
  /** Whether a member's call may interrupt an attempt, given how long ago a call of that member was followed. */
  mayCallAgain(since: Millis, patience: Millis): boolean
  /** How many grants prove a coordinator to those who did not grant it, given the quorum. */
  grantsThatProve(quorum: number): number
  /** Whether the signatures of grants are checked that prove a coordinator. */
  checksGrants(): boolean
  /** Whether to hear from others who leads a term, given the highest term whose coordinator was proved before. */
  isNewlyLed(term: number, proved: number): boolean
  /** Whether this member's word ends the promise that was given to that coordinator. */
  mayResign(from: NodeId, coordinator: NodeId): boolean
  /** Whether a term is above those of the lists before. */
  isAboveFloor(term: number, floor: number): boolean
  /** Whether the signatures under a successor of the list are checked. */
  checksSigners(): boolean
  /** Whether a grant is saved before it is given. */
  savesGrant(): boolean
  /** Whether a promise still binds. */
  isBound(now: Millis, promisedUntil: Millis): boolean
  /** Whether a promise to somebody who is not proved to lead, or whom most others do not know, ends. */
  endsPromise(): boolean
  /** For how long a member that restarted without a clean stop is bound by what it had granted. */
  restartWait(promise: Millis): Millis
  /** For how long, by its own clock, a coordinator may believe in a promise. */
  belief(promise: Millis, drift: number): Millis
  /** From when the belief counts, given when the claim or renewal was sent and when the answer came. */
  beliefStart(sentAt: Millis, answeredAt: Millis): Millis
  /** Whether a coordinator is told before its belief ends. */
  warns(): boolean
  /** Whether a member signs this successor, given that it has signed one of that number (equal or another). */
  maySignAgain(equal: boolean): boolean
  /** Whether a ballot binds to the term in which it was cast. */
  bindsTerm(term: number): number
  /** Whether a claim without enough ballots is refused. */
  checksTurnout(ballots: number, quorum: number): boolean
  /** Whether a candidate must prove that it knows the secret of its counting key. */
  checksPossession(): boolean
  /** Whether a secret ballot must prove that it holds each weight once. */
  checksBallotProof(): boolean
  /** Whether a share of the totals must prove that it was made with the candidate's key. */
  checksOpening(): boolean
}

/** The rules as they must be. */
export const electionRules: ElectionRules = {
  // A majority of those seen alive is a majority on both sides of a partition. Two sets of q of the numbered list share
  // b + 1 members, one of them honest; so do q of a list and q of its successor, which differs by one member.
  quorum: (members, liars) => Math.floor((members + liars) / 2) + 1,

  // Equation 2 as printed multiplies by the place, so that the first preference weighs 1 and the least wanted wins.
  weight: place => 3 - place,

  // Failure counts start equal. In the order of arrival, members disagree on who the candidates are.
  before: (value, id, otherValue, otherId) => value < otherValue || (value === otherValue && id < otherId),

  countsOnce: () => true,

  // A claim that was under way for long must not be granted after a later one: its term would have two coordinators.
  isNewTerm: (term, granted) => term > granted,

  // One liar that says 2^53 - 1, or adds a little two thousand times a second, would drive members far apart, or to the
  // end of all terms. Of b + 1, one is honest and was there.
  wordsNeeded: liars => liars + 1,

  // A member that a liar once drove far away cannot go back: it granted those terms. Where it is needed for a quorum and
  // nobody believes it, nobody is ever elected again.
  followsOneWord: (failures, patience) => failures >= patience,

  // A liar that calls for a higher term before anybody has counted would let no attempt come to its end.
  mayCallAgain: (since, patience) => since >= patience,

  // A liar that grants twice, and whoever it deceived, are one less than a quorum; the others elect somebody else.
  grantsThatProve: quorum => quorum,

  // Otherwise a liar names whom it likes, to each member another.
  checksGrants: () => true,

  // Grants prove that somebody was elected, and not that it is still there. A liar that shows them again and again would
  // keep members from electing another for ever; the coordinator's own word is needed from then on.
  isNewlyLed: (term, proved) => term > proved,

  // A member that says that the coordinator has resigned frees its granters, and a second one leads beside it.
  mayResign: (from, coordinator) => from === coordinator,

  // The last term of the list before has a coordinator; a member that did not grant it would grant it to another.
  isAboveFloor: (term, floor) => term > floor,

  // Otherwise a liar makes an electorate of its own.
  checksSigners: () => true,

  // A member that forgets its grant in a crash gives the term away twice.
  savesGrant: () => true,

  // The former coordinator believes until its promises run out.
  isBound: (now, promisedUntil) => now < promisedUntil,

  // A liar would bind members in turn with one old claim, and no quorum would ever be free.
  endsPromise: () => true,

  // The promise is remembered, its end is not: clocks of two lives cannot be compared.
  restartWait: promise => promise,

  // As for a lease (protocols/lock 2): the granter's clock may be fast by `drift` and the coordinator's slow.
  belief: (promise, drift) => Math.floor(believed(promise, drift)),

  // The granter counts from when it was asked, which is after the claim was sent; a slow answer must not prolong it.
  beliefStart: sentAt => sentAt,

  // A coordinator that learns of its end from a renewal that failed has led beside the next one.
  warns: () => true,

  // Two successors of one list have electorates, and coordinators, that know nothing of each other.
  maySignAgain: equal => equal,

  // A ballot of an earlier term, said again, would make a voter vote for what it no longer wants.
  bindsTerm: term => term,

  // Without it, a candidate that heard nobody else wins by its own ballot.
  checksTurnout: (ballots, quorum) => ballots >= quorum,

  // The last to enter could choose its key so that the sum of all keys is its own, and read every ballot.
  checksPossession: () => true,

  // A hidden ballot could hold any number of votes.
  checksBallotProof: () => true,

  // The last candidate to give its share could choose the totals.
  checksOpening: () => true,
}
