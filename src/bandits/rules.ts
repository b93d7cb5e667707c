// The lines on which a private run rests, apart from the machines that use them. Each says the smallest story that goes
// wrong without it; proof/planted.ts breaks each, and the simulator must notice.

/** The lines on which a private run rests. */
export interface BanditRules {
  /** What orders arms with equal indices, given the ranks drawn for this number of pulls. */
  tieRank(ranks: readonly number[], arm: number, slot: number): number
  /** What an arm that searches compares: `isIn` while it has not been rejected. */
  searchIndex(isIn: boolean, sum: number): number
  /** Whether an arm that has taken one slot in an attempt takes this one. */
  takesSlot(taken: number, slot: number): boolean
  /** How often the winner is pulled, by the arm's own settings and by the shuffler's word; nothing: the arm refuses. */
  pulls(own: number, asked: number): number | undefined
  /** Whether an arm goes on with a token that is neither of its two. */
  takesStrangeToken(): boolean
  /** The slot that a box is bound to. */
  boundSlot(slot: number): number
  /** The round for which the shuffler draws its permutation. */
  shuffledFor(round: number): number
  /** Whether the comparator, once it has answered a round, compares another attempt at it. */
  comparesAgain(): boolean
  /** Which slots win, given how many others each beats. */
  wins(ranks: readonly number[], stay: number): boolean[]
  /** Whether the user takes this answer for that arm's. */
  isAnswerOf(signedBy: number, expected: number): boolean
  /** The best arm, given which arms have the token that the comparator says has won; nothing: the user refuses. */
  winner(fits: readonly boolean[]): number | undefined
  /** Whether arms whose keys differ go on. */
  playsWithOtherKeys(): boolean
  /** What a machine of a member starts from, given what it saved. */
  startsFrom(record: Uint8Array): Uint8Array
  /** Whether a user that asks for a run that it began before a restart goes on with it. */
  resumes(isSame: boolean): boolean
  /** The attempt that an arm's tokens are drawn for. */
  tokensFor(attempt: number): number
  /** What the chance of a box is drawn for, given the proof inside of it. */
  boxChance(proof: Uint8Array, round: number, slot: number): readonly (Uint8Array | number)[]
  /** Whether an arm of a search sends boxes. */
  sendsBox(isIn: boolean): boolean
  /** The key that a box is sealed to: the comparator's for this run, or one made of the key that proves boxes. */
  sealedTo<Key>(runKey: Key, boxesKey: () => Key): Key
  /** The round that a ring's seal is bound to. */
  sealedFor(round: number): number
  /** Whether an arm of the ring leads, given whether its index is the larger one. */
  leads(isLarger: boolean): boolean
  /** Whether a number can be the sum of this many rewards. */
  isSum(sum: bigint, most: bigint): boolean
}

/** The rules as they must be. */
export const banditRules: BanditRules = {
  // By slot the comparator would see that there is a tie, and a second attempt would elect another arm.
  tieRank: (ranks, arm) => ranks[arm]!,

  // An arm that is out stays, with the least index: if it left, everybody could see who it was.
  searchIndex: (isIn, sum) => (isIn ? 1 + sum : 0),

  // Two slots in one attempt are two comparisons under one key: the comparator would see more than one bit.
  takesSlot: (taken, slot) => taken === slot,

  // A shuffler that says a larger number would have the budget spent by whoever wins.
  pulls: (own, asked) => (own === asked ? own : undefined),

  // One who changes a token on its way would decide that an arm has lost.
  takesStrangeToken: () => false,

  // A shuffler that changes two boxes, and their tokens back, would choose the winner.
  boundSlot: slot => slot,

  // One permutation for two rounds shows the comparator, without names, who is pulled again.
  shuffledFor: round => round,

  // Two answers for one round are two tokens: a shuffler that restarted could hand out either.
  comparesAgain: () => false,

  // A comparator that names another winner has the wrong arm pulled. Nobody can see it in the run; an audit can.
  wins: (ranks, stay) => ranks.map(rank => rank >= ranks.length - stay),

  // A shuffler that hands on one arm's box twice would change the sum: the masks no longer cancel.
  isAnswerOf: (signedBy, expected) => signedBy === expected,

  // Every arm could say that it is the best.
  winner: fits => (fits.filter(Boolean).length === 1 ? fits.indexOf(true) : undefined),

  // An arm that gave others different parts of a key splits them: numbers under different keys agree nowhere.
  playsWithOtherKeys: () => false,

  // An arm that starts from nothing has other keys than the others, and pulls again what it has pulled.
  startsFrom: record => record,

  // A user that begins another run has arms pulled for one that nobody waits for; and they serve one run.
  resumes: isSame => isSame,

  // With the same tokens in two attempts the comparator follows an arm from one seat to the other.
  tokensFor: attempt => attempt,

  // The proof is a hash of all that is in the box. By round and slot, two boxes of two attempts would share their key.
  boxChance: proof => [proof],

  // A rejected arm that says no more tells the shuffler that it is out.
  sendsBox: () => true,

  // Every arm has the key that proves boxes: with it alone, the shuffler and one arm would open them all.
  sealedTo: runKey => runKey,

  // Who leads in one round could be played again in the next.
  sealedFor: round => round,

  // Algorithm 10 as printed has no comparison: then the last in the ring always leads.
  leads: isLarger => isLarger,

  // A controller that sends anything else than the product of all sums would have it taken for the answer.
  isSum: (sum, most) => sum >= 0n && sum <= most,
}
