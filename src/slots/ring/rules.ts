// The lines on which the ring rests (OMA §5, corrected). Each says the smallest story that goes wrong without it.
// Most of the stories are the paper's own: src/papers/slots has every line as it is printed, and weaker ones beside it,
// and an instrument that must notice each: a checker, an adversary or a property test.

import { type Millis, sameBytes } from '../../core/index.ts'
import {
  type Element,
  type Group,
  type RandomBytes,
  randomPermutation,
  rerandomise,
  type Scalar,
} from '../../crypto/index.ts'
import { beginRelease, type PassRules, passRelease, type ReleaseToken, releaseEntries } from './tokens.ts'

/** The lines that the papers and the lab may break, one by one. */
export interface RingRules extends PassRules {
  /** Who coordinates a round, as a position. */
  coordinator(round: number, members: number): number
  /** Whether the release token may leave a member whose ticket is not opened, and late shares still count. */
  passesUnopened(): boolean
  /** Whether requests outlive the round. */
  keepsRequests(): boolean
  /** Whether the news of a round is passed on. */
  forwardsNews(isNewer: boolean): boolean
  /** Whether a rotating coordinator that wants nothing goes on without a dummy to take. */
  goesWithoutDummy(): boolean
  /** The shares that open a ticket. */
  sharesToOpen(others: readonly Element[], own: Element): readonly Element[]
  /** Whether a member asks itself for its own share, over the network. */
  asksItself(): boolean
  /** Whether a share is given for a point, to a member that asked for `before` and with `own` being our ticket's. */
  mayShare(asked: Element, before: Element | undefined, own: Element | undefined): boolean
  /** Which of the shuffled tickets a member takes. */
  takes(tickets: number, below: (bound: number) => number): number
  /** How long the work on the release token takes, given our opened ticket. */
  workOnRelease(opened: number | undefined): Millis
  /** What a holder adds to the secure OR. */
  veil(group: Group, random: RandomBytes): Scalar
  /** The release token at level `curious`. */
  readonly release: ReleaseToken
}

/** The rules that ship. */
export const ringRules: RingRules = {
  // Counted from 1 to n with i = round mod n, round n has no coordinator, and nothing goes on (readings OMA 5).
  coordinator: (round, members) => round % members,

  // It says "free", the round ends, and then it finds a slot in its ticket (readings OMA 3).
  passesUnopened: () => false,

  // A member that was not served in this round is never served (readings OMA 4).
  keepsRequests: () => true,

  // What is passed on again goes round for ever (readings OMA 6).
  forwardsNews: isNewer => isNewer,

  // With as many slots as members there is no dummy, and the page does not go on (readings OMA 7).
  goesWithoutDummy: () => true,

  // The own share twice makes a ticket that nobody can read (readings OMA 8).
  sharesToOpen: (others, own) => [...others, own],

  // The own share needs no message, and on the wire it opens the ticket to everybody (readings OMA 8).
  asksItself: () => false,

  // A share for a point of the asker's choice decrypts for it: ask for somebody's ticket, and read it (readings OMA 9).
  mayShare(asked, before, own) {
    if (before !== undefined && !sameBytes(before, asked)) return false
    return own === undefined || !sameBytes(own, asked)
  },

  // Drawn again although the list is shuffled, so that neither alone has to be good.
  takes: (tickets, below) => below(tickets),

  // Work that depends on the ticket tells it to a neighbour with a clock.
  workOnRelease: () => 0,

  // In the order in which they came, the tickets tell who took which.
  order: (tickets, random) => randomPermutation(tickets, random),

  // One number for all: the difference of two ciphertexts is that of their contents.
  randomness: (group, tickets, random) => Array.from({ length: tickets }, () => group.randomScalar(random)),

  // Equal ciphertexts before and after tell the order.
  renew: rerandomise,

  // If all holders add the same number, the sum counts them.
  veil: (group, random) => group.randomScalar(random),

  // As printed it is encrypted with keys whose layers are gone, and never opens (readings OMA 2).
  release: { begin: beginRelease, pass: passRelease, entries: releaseEntries },
}
