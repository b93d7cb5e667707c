// Limits that both halves must agree on.

/** Counters that one comparison is about: a witness reads them all. */
export const CHECKED_MAX = 256

/** Bytes of a filter: a server keeps a million of them, and most take less than a hundred. */
export const FILTER_BYTES_MAX = 65_536
