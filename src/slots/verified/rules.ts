// The lines on which the promises of `verified` rest, apart from the machine that uses them. Each says the smallest
// story that goes wrong without it; planted.ts breaks each, and a checker must notice.

import type { Millis } from '../../core/index.ts'

/** The lines that tests may break, one by one. */
export interface SlotsRules {
  /** Whether a key counts only with a proof of possession. */
  needsPossession(): boolean
  /** Whether shares may be given, with this many seals equal to ours out of n. */
  mayShare(equalSeals: number, members: number): boolean
  /** For which point a share is given: the ticket dealt to the asker, whatever it asks for. */
  pointToShare(dealt: Uint8Array, asked: Uint8Array): Uint8Array
  /** Whether a member sends its share for this owner, seen from itself. */
  sharesWith(self: number, owner: number): boolean
  /** Whether a slot may be dealt again. */
  mayReuse(closed: boolean, sharedAt: Millis, now: Millis, lease: Millis, drift: number): boolean
  /** Whether a round is sealed while an earlier one may still deal the same slot. */
  mayOvertake(): boolean
  /** Until when the holder may believe. */
  deadline(sealedAt: Millis, openedAt: Millis, lease: Millis, drift: number): Millis
  /** How long a new epoch deals nothing. */
  quiet(lease: Millis, drift: number): Millis
  /** Whether shares are given after a successor was signed. */
  sharesWhenClosed(): boolean
  /** Whether a member may favour another record than the one that it is locked on, given the ballots of both. */
  mayLetGo(locked: number, favoured: number | undefined): boolean
  /** How many signatures make a successor. */
  successionQuorum(members: number, liars: number): number
  /** Whether the secure OR counts only ballots with a proof of knowledge. */
  needsKnowledge(): boolean
  /** Whether a member votes before its own ticket is opened. */
  votesBeforeOpening(): boolean
  /** Whether requests outlive the round. */
  keepsRequests(): boolean
  /** Whether a restarted member stays out of the epoch whose key it lost. */
  staysOut(): boolean
  /** Whether the tickets of a pass are encrypted again. */
  reencrypts(): boolean
  /** Whether a complaint is answered with the share that was given, and not with a new one. */
  sharesOnce(): boolean
  /** How late a member is with a word, if earlier ones of the same round were late already. */
  lateness(before: Millis, word: Millis): Millis
  /** The same for a share that its owner complained of, some time ago, counted from when we gave ours. */
  complaintLateness(before: Millis, complained: Millis, shared: Millis): Millis
  /** Whether what a member holds up in one round after the other adds up. */
  addsUp(): boolean
  /** Whether an owner complains at once of one of whom it complained before. */
  complainsAgainAtOnce(): boolean
  /** Whether who hears that a round is wanted tells its leader. */
  passesOnWants(): boolean
  /** Whether a round has begun whose header we have not, by how many others say words of it. */
  hasBegun(others: number, liars: number): boolean
  /** Whether a proof of shuffle that fails is a reason not to seal. */
  refusesBadLap(): boolean
  /** Whether a member goes along with a new epoch only if it sees a reason for one. */
  needsReason(): boolean
  /** Whether a restart, like a wish to join, is a reason only in an epoch that has lived for a while. */
  restartWaits(): boolean
  /** Whether a member that comes and goes waits longer each time. */
  waitsLonger(): boolean
  /** Whether a proposed record must do something about the reason that the member sees. */
  mustAnswer(): boolean
  /** Whether a member that may be alone with its reason favours its own proposals at once, in ballot after ballot. */
  bindsAlone(): boolean
  /** Whether a leader is heard that proposed two records in one ballot, or leads again before the others could. */
  hearsHasty(): boolean
  /** How long a member is called silent after it spoke at last. */
  silenceLasts(patience: Millis): Millis
  /** For how long after that we go along with others who would leave it out. */
  silenceCounts(patience: Millis): Millis
  /** Whether a late member is called silent, given whether another one of the ring was caught. */
  callsSilent(caught: boolean): boolean
  /** The lane in which users hear of their seats. */
  userLane(): { readonly lane?: string }
}

/** The rules that ship. */
export const slotsRules: SlotsRules = {
  // The last to post a key posts its own minus the sum of the others', and reads every ticket alone.
  needsPossession: () => true,

  // The last in the ring shows two lists. Those who saw the first give shares by its positions, the others by the
  // second's: two members open the same ticket.
  mayShare: (equalSeals, members) => equalSeals === members,

  // A share for any point is a decryption service: ask for somebody else's ticket, and read it.
  pointToShare: dealt => dealt,

  // The owner's own share is all that hides its ticket from the others together.
  sharesWith: (self, owner) => self !== owner,

  // The holder may be silent, dead or behind a broken link, and still believe. Its clock may be slow, ours fast.
  mayReuse: (closed, sharedAt, now, lease, drift) => closed || now >= sharedAt + lease * (1 + drift),

  // A liar leads the next round, and opens it with the slots of the one that is being dealt. Nobody has given a share there yet,
  // so all of them look free; both rounds are sealed, and each slot has two holders.
  mayOvertake: () => false,

  // Counted from when the ticket was opened, a slow share makes the holder believe after the others deal again.
  deadline: (sealedAt, _openedAt, lease, drift) => sealedAt + lease * (1 - drift),

  // Holders of the old epoch keep theirs, and nobody in the new one can ask them.
  quiet: (lease, drift) => lease * (1 + drift),

  // A ticket of the old epoch that is opened after the new one began to wait outlives the wait.
  sharesWhenClosed: () => false,

  // A quorum may have signed what we are locked on. Only favours of a later ballot show that it cannot have.
  mayLetGo: (locked, favoured) => favoured !== undefined && favoured >= locked,

  // One fewer, and two halves of a partition each have a successor.
  successionQuorum: (members, liars) => Math.floor((members + liars) / 2) + 1,

  // A member posts the negative of what the others posted: their votes cancel, and a round is closed under a holder.
  needsKnowledge: () => true,

  // It says "free", the round is closed, and then it finds a slot in its ticket (readings OMA 3).
  votesBeforeOpening: () => false,

  // A request that was not served in this round is never served (readings OMA 4).
  keepsRequests: () => true,

  // It would post a second key for the same epoch: two versions of one step, evidence against an honest member.
  staysOut: () => true,

  // Equal ciphertexts before and after tell the permutation.
  reencrypts: () => true,

  // A second proof for the same share is a second version of one step: evidence against an honest member.
  sharesOnce: () => true,

  // The holder's lease runs from its own seal. A member that seals at the last moment, and then shares at the last moment of
  // a new wait, lets every ticket open after its lease; nobody is ever served, and nobody is silent.
  lateness: (before, word) => before + word,

  // Counted from the complaint, a member that withholds a share from one other has a second wait until the rest miss it.
  // It posts the share just before, and too late for that member's lease; and nobody else ever calls it silent.
  complaintLateness: (before, _complained, shared) => before + shared,

  // A member is a little less late with each word than the patience allows: every round takes many times as long as it would
  // without it, and it is never silent.
  addsUp: () => true,

  // A member withholds one share in each round until it is asked to post it, and each round waits for a third of the patience.
  complainsAgainAtOnce: () => true,

  // On demand, a liar says to all but the leader that it wants a round. The leader hears of nothing, all others wait for its header,
  // it is left out, and so is the next one.
  passesOnWants: () => true,

  // Nobody wants a seat, or all are held. A liar says a word of the next round, which a member leads that has nothing to open: all
  // wait for its header, it is left out, and so is the next one.
  hasBegun: (others, liars) => others > liars,

  // A pass that doubles a ticket gives one slot to two members.
  refusesBadLap: () => true,

  // A liar proposes the same members in every epoch. There is nothing wrong with any of them, and nothing is dealt for a
  // lease after each: nobody is ever served.
  needsReason: () => true,

  // In a ring of three nobody can be left out. A liar among them says in every epoch that it restarted, while it takes part;
  // the ring begins again with the same three, the fourth never gets in, and nothing is ever dealt (seed 410016).
  restartWaits: () => true,

  // A liar comes in, is slow, goes, and comes in again as soon as it may: nobody can prove anything, and most of the time is
  // spent on waiting for old leases.
  waitsLonger: () => true,

  // A liar says nothing, is missed by all, and is the first to propose: the same members. All see a reason, nobody who is
  // left out is missed, and the next epoch begins as the last one did.
  mustAnswer: () => true,

  // A liar forges to one member only, which leads ballot after ballot, far ahead of all others. Then it falls silent: the others need
  // that member's favour, which it has given in later ballots; beyond a thousand of them, nobody can follow it any more.
  bindsAlone: () => false,

  // A liar leads ballot after ballot, with another order of the ring for each of the others: each favours its own, none gets
  // a quorum, and no honest leader's turn ever comes.
  hearsHasty: () => false,

  // One that speaks just after it was called silent, and too late for everybody's lease, is forgiven before the others have
  // agreed to leave it out, round after round: nobody is served (seed 60008).
  silenceLasts: patience => patience,

  // One that is late by chance, now for some and now for others, is hardly ever late for all at once, and stays.
  silenceCounts: patience => 4 * patience,

  // A liar shows its pass in two versions. Each half of the ring goes on from its own, and misses the next pass from another
  // honest member. All know who lied; but each half wants to leave out one more, and they never agree (seed 300367).
  callsSilent: caught => !caught,

  // A disk that is busy with a new epoch holds back the word that a lease is over, and the holder goes on.
  userLane: () => ({ lane: 'user' }),
}
