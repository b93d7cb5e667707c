// The lines on which gossip by interest rests. Each says the smallest story that goes wrong without it; proof/interest/planted.ts
// breaks each, and the simulator must notice.

/** The lines on which gossip by interest rests. */
export interface InterestRules {
  /** Where a member stands on every ring, from the hash of its name; `chosen` is a number that it chose itself. */
  placeOf(hashed: number, chosen: number): number
  /** Whether something was said of a member so lately, in rounds, that it may be there. */
  isFresh(age: number, ageMax: number): boolean
  /** Whether a member that did not answer is left alone: it has said nothing since. */
  isBarred(said: number, barredAt: number | undefined): boolean
  /** The counter up to which everything counts as known, when one with this counter is forgotten. */
  floorAfter(floor: number, forgotten: number): number
  /** Whether an event's signature is looked at before its id counts as known. */
  verifiesFirst(): boolean
}

/** The rules as they must be. */
export const interestRules: InterestRules = {
  // Who chooses its place sits down on both sides of a member, and nothing reaches it but through him.
  placeOf: hashed => hashed,

  // A member dies; one that still knows it tells the next, who tells the next: it is handed round for ever.
  isFresh: (age, ageMax) => age <= ageMax,

  // Its neighbour gives it up, and in the next round is given it back by somebody who has not noticed.
  isBarred: (said, barredAt) => barredAt !== undefined && said <= barredAt,

  // An id that is forgotten is new again: who kept the event sends it once more, and it is handed over once more.
  floorAfter: (floor, forgotten) => Math.max(floor, forgotten),

  // A liar sends something else under the event's id, the id is taken for known, and the true event is dropped.
  verifiesFirst: () => true,
}
