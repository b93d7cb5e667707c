// Limits that both halves must agree on.

/** Counters that one comparison is about: a witness reads them all. */
export const CHECKED_MAX = 256

/**
 * Events that are held against a filter for one answer, a few milliseconds; against a long filter fewer. Of an author there may be
 * half a million: with a usual filter that fits none of them a quarter of a second, with one of 34 KiB 0.3 ms for each.
 */
export const LOOKED_MAX = 4_096

/** Topics of a channel of which the newest event is kept; so a client reads at most as many pages of them. */
export const RETAINED_MAX = 100_000

/** How many events of a usual filter one event costs: a filter of a kibibyte has about a hundred tests. */
export function looksFor(filter: Uint8Array): number {
  return Math.max(1, filter.length / 1_024)
}

/** Bytes of a filter: a server keeps a million of them, and most take less than a hundred. */
export const FILTER_BYTES_MAX = 65_536

/** A mebibyte of payload. Larger things belong into a store, and their place into the event. */
export const PAYLOAD_BYTES_MAX = 1 << 20
/** Payload and attributes: 32 lists of 16 texts of a kibibyte are half a mebibyte. */
export const CONTENT_BYTES_MAX = PAYLOAD_BYTES_MAX + (1 << 20)
/** Events of one batch under one signature: a path of six hashes. */
export const BATCH_MAX = 64
export const PATH_MAX = 6
export const HASH_BYTES = 32
export const SIGNATURE_BYTES = 64
