// Limits of gossip by interest.

/** Boxes of a member's interest; more are put together. */
export const BOXES_MAX = 8
/** Attributes that a box bounds; others are asked about on receipt. */
export const ATTRIBUTES_A_BOX = 16
/** Links of a member: its neighbours on the rings, and some more that want something of the same. */
export const LINKS_MAX = 40
/** Links beside the neighbours on the rings. */
export const SPARE_LINKS = 10
/** Members that are known at random. */
export const RANDOM_MAX = 20
/** Of these, how many an exchange tells; and how many that want something of the same. */
export const RANDOM_GIVEN = 8
export const GIVEN_MAX = 20
/** Points for which neighbours are looked for. */
export const PROBES_MAX = 64
export const RANDOM_PROBES = 32
/** Steps of an event towards somebody who wants it. */
export const HOPS_MAX = 30
/** Subscriptions of one member. */
export const SUBSCRIPTIONS_MAX = 1_000
/** Members that are known by membership, and members that are not to be taken up again until they speak. */
export const PEERS_MAX = 10_000
/** Events that were sent and not confirmed, and their bytes. The oldest are forgotten first. */
export const OUTGOING_MAX = 4_096
export const OUTGOING_BYTES_MAX = 32_000_000
/** Of these, those of one author: one that floods pushes out its own. */
export const OUTGOING_OF_AUTHOR_MAX = 1_024
export const OUTGOING_BYTES_OF_AUTHOR_MAX = 8_000_000
/** The oldest age that is said, in rounds. */
export const AGE_SAID_MAX = 255
