// Limits that both halves must agree on.

/** Counters that one comparison is about: a witness reads them all. */
export const CHECKED_MAX = 256
