// Limits of routing among members.

/** Trees: one more than the members that may lie or be gone. What an event has passed is kept in 32 bits. */
export const TREES_MAX = 7
/** Overlays at once: the one in use, and those that come while it changes. */
export const OVERLAYS_MAX = 4
/** Members of an overlay. Beyond, announcements are too many for trees. */
export const MEMBERS_MAX = 1_000
/** Clauses that a link is told of; more become hulls. */
export const CLAUSES_A_LINK = 32
/** Clauses that are kept of a neighbour: while they change it adds as many before it removes. */
export const HEARD_MAX = 64
/** Bytes of a clause on the wire. A longer one is widened until it fits, so that a link's take 256 KiB at most. */
export const CLAUSE_BYTES_MAX = 4_096
/** Subscriptions of one member, and their clauses: an event is held against each. */
export const SUBSCRIPTIONS_MAX = 1_000
export const OWN_CLAUSES_MAX = 4_096
/** Events of this member that wait for trees that are ready, and their bytes. */
export const WAITING_MAX = 1_000
export const WAITING_BYTES_MAX = 16_000_000
/** Ids that are kept of one author, and of how many of its lives: about 20 MB. The oldest go first; what is older is refused. */
export const WINDOW_MAX = 131_072
export const LIVES_MAX = 8
/** Members whose keys are known. */
export const KEYS_MAX = 10_000
/** Events of this member whose receipts are waited for, and their bytes: they are kept, to be sent again. */
export const RECEIPTS_MAX = 1_000
export const RECEIPT_BYTES_MAX = 16_000_000
/** Events that one question for receipts is about. */
export const ASKED_MAX = 64
/** How often an event is sent to a member that says it lacks it: a liar says so for ever. */
export const DIRECT_MAX = 3
