// The lines on which delivery among members rests. Each says the smallest story that goes wrong without it;
// proof/routing/planted.ts breaks each, and the simulator or the explorer must notice.

import type { Clause } from '../canonical.ts'
import { covers } from './covering.ts'

/** The lines on which delivery among members rests. */
export interface RoutingRules {
  /** Whether what a removal uncovers is told in the same message. */
  uncoversAtOnce(): boolean
  /** Whether a new clause is still to be told, now that two others have become their hull. */
  tellsBeside(hull: Clause, fresh: Clause): boolean
  /** Whether an event is passed on to this neighbour, given who it came from. */
  passesOn(to: string, from: string | undefined): boolean
  /** Whether a member may say that its side of a link has told what it wants, given how many others of the tree have not. */
  isReady(missing: number): boolean
  /** Whether a neighbour that has been silent this long is passed over. */
  passesOver(since: number, patience: number): boolean
  /** Whether trees that have got ready take the place of all older ones, given whether a newer list is known already. */
  replacesOlder(isOvertaken: boolean): boolean
  /** The counter up to which everything counts as known, when one with this counter is forgotten. */
  floorAfter(floor: number, forgotten: number): number
  /** Whether an event's signature is looked at before its id counts as known. */
  verifiesFirst(): boolean
  /** Whether an announcement with this number follows on the last one that was heard. */
  continues(heard: number, number: number): boolean
  /** In how many trees an event goes out. */
  treesUsed(trees: number): number
  /** Whether a member gives a receipt for an event that it has seen. */
  givesReceipt(handed: boolean): boolean
}

/** The rules as they must be. */
export const routingRules: RoutingRules = {
  // "I no longer want everything below 10" goes out, an event of 3 passes, then "I want everything below 5" comes: missed.
  uncoversAtOnce: () => true,

  // Two old clauses became one, and the link has room again: the new one is not among what they want.
  tellsBeside: (hull, fresh) => !covers(hull, fresh),

  // Sent back, it would go up the tree again, and come down to everybody twice.
  passesOn: (to, from) => to !== from,

  // The author hears "ready" and leaves the old trees, while behind its neighbour somebody has not yet said what it wants.
  isReady: missing => missing === 0,

  // One leaf that never speaks would keep everybody in the old trees for ever.
  passesOver: (since, patience) => since >= patience,

  // List 3 overtakes list 2 on the way to half of the members, which never make the trees of 2. The others pass them over there, leave
  // the trees of list 1, and until those of 3 are ready publish where half of the members hear nothing.
  replacesOlder: isOvertaken => !isOvertaken,

  // An id that is forgotten is new again: who kept the event sends it once more, and it is handed over once more.
  floorAfter: (floor, forgotten) => Math.max(floor, forgotten),

  // A liar sends something else under the event's id, the id is taken for known, and the true event is dropped.
  verifiesFirst: () => true,

  // Announcement 2 is lost, 3 is taken: what 2 wanted is never sent.
  continues: (heard, number) => number === heard + 1,

  // Nobody passes on in two trees, so b liars touch b of them. In one tree alone a single liar cuts off everybody below it.
  treesUsed: trees => trees,

  // A member that only passed the event on gives a receipt, and the author believes that somebody there has it.
  givesReceipt: handed => handed,
}
