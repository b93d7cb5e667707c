// What OMA prints and what does not work, one switch each: off is the correction, on is the page. Every switch has a
// story that goes wrong (planted.ts), and an instrument that must find it: a checker, an adversary or a property test.
// Below them are weaknesses that the paper does not have, for the assignment game: an adversary that cannot win when
// one of them is planted could not win against a mistake of ours either.

import type { Millis } from '../../core/index.ts'

export interface PrintedRules {
  /** 1. The larger square root gives p - (m - 1): off by two, and two tickets read the same. */
  readonly rootOffByTwo: boolean
  /** 2. The release token is re-randomised with the whole key after layers are gone, and loses a layer twice. */
  readonly fullKeyRelease: boolean
  /** 3. The release token passes a member whose ticket is not opened yet; late shares count in any round. */
  readonly passesUnopened: boolean
  /** 4. A new round resets the requests that wait. */
  readonly forgetsRequests: boolean
  /** 5. The coordinator is i = round mod n with i from 1 to n: round n has none. */
  readonly countsFromOne: boolean
  /** 6. NEW_ROUND is forwarded by everybody, always. */
  readonly forwardsForEver: boolean
  /** 7. A coordinator that wants nothing takes a dummy, also if m = n and there is none. */
  readonly needsDummy: boolean
  /** 8. n shares are waited for, the own one among them, and then the own one is used again. */
  readonly ownShareTwice: boolean
  /** 8. The own share is asked for and given on the wire, like everybody else's. */
  readonly asksItself: boolean
  /** 9. A share is given for any point, to anybody, any number of times. */
  readonly sharesAnything: boolean
  /** 11. A process that restarts, with its key saved, runs Init as if it were the first time, and the others follow. */
  readonly restartsAnew: boolean
  /** 13. Appendix B: the release token is a vector by ticket, and tells which one came free. */
  readonly vectorRelease: boolean

  /** Weakness: tickets are passed on as they came. */
  readonly keepsCiphertexts: boolean
  /** Weakness: tickets are passed on in the order in which they came. */
  readonly keepsOrder: boolean
  /** Weakness: of the tickets it always takes the first. */
  readonly takesFirst: boolean
  /** Weakness: one random number for all tickets of a pass. */
  readonly reusesRandomness: boolean
  /** Weakness: holders put the same number into the secure OR, so that the sum counts them. */
  readonly countsHolders: boolean
  /** Weakness: work on the release token that takes so long for each number of one's ticket. */
  readonly workPerTicket: Millis
}

export const printedRules: PrintedRules = {
  rootOffByTwo: false,
  fullKeyRelease: false,
  passesUnopened: false,
  forgetsRequests: false,
  countsFromOne: false,
  forwardsForEver: false,
  needsDummy: false,
  ownShareTwice: false,
  asksItself: false,
  sharesAnything: false,
  restartsAnew: false,
  vectorRelease: false,
  keepsCiphertexts: false,
  keepsOrder: false,
  takesFirst: false,
  reusesRandomness: false,
  countsHolders: false,
  workPerTicket: 0,
}
