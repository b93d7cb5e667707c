// The lines on which a ledger's safety rests, apart from the machines that use them. Each says the smallest story that
// goes wrong without it; src/ledger/proof/planted.ts breaks each, and a checker must notice.

import { kthLargest } from '../core/index.ts'
import { type Keepers, votesNeeded } from './genesis.ts'

/** What a report says of its server's newest vote. */
export interface ReportedVote {
  readonly attempt: number
  /** Names what was voted for: size and root. */
  readonly value: string
}

/** What an attempt must propose: a value that may have been certified, or what its leader likes. */
export type Choice = { readonly kind: 'free' } | { readonly kind: 'keep'; readonly value: string }

/** The key by which an epoch names a server. */
export interface KeyOfEpoch {
  /** It had the same key in the epoch before. */
  readonly kept: boolean
  /** It had forgotten votes then. */
  readonly lost: boolean
  /** The key was drawn in this life of the server's store: every vote under it is there. */
  readonly ofThisStore: boolean
}

/** What became of a burn where it may be minted. */
export type Fate = 'minted' | 'void'

/** The lines on which a ledger's safety rests. */
export interface LedgerRules {
  /** How many votes certify. */
  votesNeeded(keepers: Keepers): number
  /** How many reports open an attempt. */
  reportsNeeded(keepers: Keepers): number
  /** Whether a server may vote, given its newest vote's attempt (0: none) and what it promised. */
  mayVote(attempt: number, voted: number, promised: number): boolean
  /** What the newest votes of n - f servers leave to the leader of the next attempt. */
  choose(reported: readonly (ReportedVote | undefined)[], keepers: Keepers): Choice
  /** Whether an attempt after the first must show why it may propose what it does. */
  asksForReports(): boolean
  /** Whether a promise is on disk before it is told. */
  savesPromise(): boolean
  /** Whether a vote is on disk before it is told. */
  savesVote(): boolean
  /** Whether a server votes only for what it has executed. */
  executesFirst(): boolean
  /** How many servers of one word it takes to refuse, for ever or for now only. */
  refusalsNeeded(final: boolean, keepers: Keepers): number
  /** Whether a server may refuse for now, where it has every certificate that it voted for, or not. */
  refusesForNow(settled: boolean): boolean
  /** The height whose certificate a server must hold before it votes again after it lost its store. */
  votesAgainFrom(voted: readonly number[], liars: number): number
  /** Whether a server that is told that its store is an old copy has forgotten votes. */
  forgetsWithCopy(): boolean
  /** Whether a page counts, where its leaves were shown to lead to what is certified or not. */
  leadsTo(shown: boolean): boolean
  /** What is signed for which ledger: bytes, and the ledger that they are for. */
  signedFor(id: Uint8Array): Uint8Array
  /** Whether signatures of accounts are looked at. */
  checksSignatures(): boolean
  /** Whether a key of any kind may own something. */
  takesKey(sound: boolean): boolean
  /** Whether this is the account's next transaction. */
  isNext(sequence: number, next: number): boolean
  /** Whether the balance covers the amount. */
  covers(balance: bigint, amount: bigint): boolean
  /** Whether a burn can no longer be minted or made void. */
  isSpent(fate: Fate | undefined): boolean
  /** Under which name a burn is remembered as spent. */
  burnName(ledger: string, index: number, from: string, amount: bigint): string
  /** Whether a burn may be minted here. */
  mintsHere(addressed: string, own: string): boolean
  /** Which coins a burn becomes: those of the ledger that burned its own, or ours that come back. */
  coinsOf(asset: string, own: string): string
  /** Whether coins come back, or are refunded, within what is out there. */
  withinOutstanding(outstanding: bigint, amount: bigint): boolean
  /** Whether coins of a peer stay within the cap. */
  withinCap(held: bigint, amount: bigint, cap: bigint): boolean
  /** Whether a burn that was refunded may be refunded. */
  mayRefund(refunded: boolean): boolean
  /** Whether a void leaf of that register makes the burn refundable. */
  refundsFor(voidedAt: string, addressed: string): boolean
  /** Whether a link works. */
  isOpen(frozen: boolean): boolean
  /** Whether a link of that number is the next one. */
  isNextLink(number: number, next: number): boolean
  /** Whether a certificate of a linked ledger counts, by its epoch and the newest that is known. */
  takesEpoch(shown: number, newest: number): boolean
  /** Whether keepers of that number follow those of now; `follows`: they name them as those before. */
  isNextEpoch(number: number, now: number, follows: boolean): boolean
  /** Whether pledges of so many of the new keepers are enough. */
  isPledged(pledged: number, keepers: Keepers): boolean
  /** Whether an epoch must be the last leaf of its height. */
  endsHeight(): boolean
  /** Whether a server has forgotten votes under the key by which an epoch names it. */
  hasForgotten(key: KeyOfEpoch): boolean
  /** Coins of A burned on B go to A only: burning worthless coins would release good ones. */
  burnsTo(asset: string, own: string, peer: string): boolean
}

/** The rules as they must be. */
export const ledgerRules: LedgerRules = {
  // Two certificates of one attempt share 2c - n > b servers, an honest one among them, which votes once.
  votesNeeded,

  // f may be gone for good. Fewer, and a value with c votes could be missing from what they report.
  reportsNeeded: votesNeeded,

  // Two votes in one attempt are two certificates. A vote below a promise is one that the next attempt did not count.
  mayVote: (attempt, voted, promised) => attempt > voted && attempt >= promised,

  // If x was certified at k, at least n - 2f - b of the honest that report voted x there, and at most f + b report another
  // root at k; later votes had to follow reports that forced x. So the newest attempt decides: one root there is kept; of
  // several, only one whose reports, with those that may be missing or lie, could make c. Counting over all attempts
  // forgets a root that was spread over them; without b a liar's second report hides it; n > 3f + 2b makes it unique.
  choose(reported, keepers) {
    const votes = reported.filter(vote => vote !== undefined)
    const newest = Math.max(0, ...votes.map(vote => vote.attempt))
    const counts = new Map<string, number>()
    for (const { attempt, value } of votes) if (attempt === newest) counts.set(value, (counts.get(value) ?? 0) + 1)
    const [first] = counts.keys()
    if (first === undefined) return { kind: 'free' }
    if (counts.size === 1) return { kind: 'keep', value: first }
    const { crashes, liars } = keepers
    for (const [value, count] of counts) {
      if (count + crashes + liars >= votesNeeded(keepers)) return { kind: 'keep', value }
    }
    return { kind: 'free' }
  },

  // Votes x at attempt 1 make a certificate; a leader of attempt 2 that may propose anything makes a second.
  asksForReports: () => true,

  // A server promises not to vote below 2, crashes, forgets, and votes in attempt 1: x is certified after the reports.
  savesPromise: () => true,

  // It votes x, crashes, forgets, and votes y in the same attempt.
  savesVote: () => true,

  // A leader proposes a transfer that nobody signed. Who votes unseen has certified it.
  executesFirst: () => true,

  // What is refused for ever is so at every later size: one honest server is enough. What is refused for now hangs on what was
  // paid before. Anna was paid while a server was away; it says that she has nothing, she pays again, and both are certified.
  // At most f + b servers have no vote for what was final before: b + 1 of these have one, and do not lie about the size.
  refusalsNeeded: (final, { crashes, liars }) => (final ? liars : crashes + 2 * liars) + 1,

  // All have voted for what anna was paid, and one of them has the certificate, which it gave to her. She pays on at once: the
  // others would say that she has nothing.
  refusesForNow: settled => settled,

  // A server certified x with two others, lost its disk and reports "no vote": y is free. All its votes are at most one
  // above what the (b+1)-th largest of the others says, since a height takes honest votes for the one before.
  votesAgainFrom: (voted, liars) => kthLargest(voted, liars + 1) + 1,

  // It voted x after the copy was made, and knows nothing of it: y is free. The copy has its salt, so no genesis shows it.
  forgetsWithCopy: () => true,

  // Looked at only at the end, rubbish fills the memory of a server that is behind, as much as the certificate counts leaves.
  leadsTo: shown => shown,

  // Alice has an account on two ledgers. What she signs for one is appended to the other.
  signedFor: id => id,
  checksSignatures: () => true,

  // For a key of small order a signature can be made without any secret: two of three messages, for key 0.
  takesKey: sound => sound,

  // With gaps, a transfer that was overtaken is appended later, beside the one that was to replace it.
  isNext: (sequence, next) => sequence === next,
  covers: (balance, amount) => amount <= balance,

  // Footnote 1 of the thesis: "anyone can withdraw m from 0_B as many times as they want".
  isSpent: fate => fate !== undefined,

  // By sender and amount, the second of two equal burns could never be minted, and a third mint of one could.
  burnName: (ledger, index) => `${ledger} ${index}`,

  // A burn for C, shown to B, would be minted at both.
  mintsHere: (addressed, own) => addressed === own,

  // A's coins minted as B's own: B's money is made by whoever runs A.
  coinsOf: asset => asset,

  // Whatever a peer certifies, no more comes back than went there: the supply never exceeds the genesis.
  withinOutstanding: (outstanding, amount) => amount <= outstanding,
  withinCap: (held, amount, cap) => held + amount <= cap,
  mayRefund: refunded => !refunded,

  // Minted at B, made void at C by a friend of the burner, refunded here: twice the money.
  refundsFor: (voidedAt, addressed) => voidedAt === addressed,
  isOpen: frozen => !frozen,

  // After a freeze anybody could append the old link again.
  isNextLink: (number, next) => number === next,

  // The keys of a replaced epoch are of no use to anybody honest: sold, they would show burns that never were.
  takesEpoch: (shown, newest) => shown === newest,

  // S is replaced by S', and S' by S: the old word "by S'" would bring S' back, whoever has it now.
  isNextEpoch: (number, now, follows) => number === now + 1 && follows,

  // Keepers that are not there, or do not know the ledger, would end it: nobody could certify anything, not even others.
  isPledged: (pledged, keepers) => pledged >= votesNeeded(keepers),

  // A leaf behind it would be certified by those who keep the ledger no more, and its checkpoint would be of neither.
  endsHeight: () => true,

  // A server lost its store, got a fresh key by an epoch, and lost its store again: its votes under the fresh key are
  // forgotten, though the key is not the one that it had when the ledger was made.
  hasForgotten: ({ kept, lost, ofThisStore }) => (kept ? lost : !ofThisStore),
  burnsTo: (asset, own, peer) => asset === own || asset === peer,
}
