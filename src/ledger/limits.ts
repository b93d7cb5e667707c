// Sizes of what is hashed and proven. Apart from the tree, so that a program that only reads words loads no hash.

export const HASH_BYTES = 32
/** Leaves of one tree: an index stays below 2^31, where shifts of whole numbers are exact. */
export const LEAVES_MAX = 2_147_483_647
/** Hashes of the longest proof: one a level, twice for consistency. */
export const PROOF_MAX = 64
export const SIGNATURE_BYTES = 64
/** The longest leaf: a link with a genesis of a thousand accounts and a hundred servers. */
export const TRANSACTION_BYTES_MAX = 81_920
/** Hours over which a link counts what comes: more than a year. */
export const WINDOW_MAX = 10_000
