// Sizes of what is hashed and proven. Apart from the tree, so that a program that only reads words loads no hash.

export const HASH_BYTES = 32
/** Leaves of one tree: an index stays below 2^31, where shifts of whole numbers are exact. */
export const LEAVES_MAX = 2_147_483_647
/** Hashes of the longest proof: one a level, twice for consistency. */
export const PROOF_MAX = 64
