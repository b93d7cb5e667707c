// One interface for every duplicate filter (THESIS definition 2.1.2).
//
// A filter watches an endless stream through a fixed number of bits and says of each element whether it came before.
// It guesses: `duplicate` may be wrong (false positive), `unseen` may be wrong (false negative). Which of the two a
// structure can commit, and how often, is in its own header and in README.md. Only structures whose header says
// "no false negative" may take part in a security decision.
//
// What hashes equal:
// - A string is its UTF-8 bytes, so 'a' and Uint8Array.of(0x61) are one key. A lone surrogate keeps its own three
//   bytes (WTF-8) instead of turning into U+FFFD: different strings stay different keys.
// - A safe integer is its two's complement in 7 little-endian bytes; 17 and 17n are one key, 17 and '17' are two.
// - A bigint beyond 56 bits takes 15, 23, 31 … bytes, the first that holds it.
// - Any bytes at all are a key, the empty ones too. NaN, fractions and unsafe integers are not, and are refused.

/** An element of a stream. */
export type Key = string | Uint8Array | bigint | number

/** What a filter says of an element; it may be wrong. */
export type Verdict = 'unseen' | 'duplicate'

/** What a constructor was given, as snapshots spell it. */
export type SnapshotOptions = { readonly [name: string]: number | string | boolean | SnapshotOptions }

/** Says of each element of a stream whether it was there before, in a fixed memory. */
export interface Filter {
  /** The structure's name, as snapshots and reports spell it. */
  readonly name: string
  /** Bits of cells in use; never more than the `bits` asked for. */
  readonly bitsUsed: number
  /** What the constructor was given, without the key. */
  readonly options: SnapshotOptions
  /** Detect, then insert: what a stream does with each element. */
  stream(key: Key): Verdict
  /** True for `duplicate`. Changes nothing. */
  detect(key: Key): boolean
  insert(key: Key): void
  /** `stream` of the bytes from start up to end, without a view being made. */
  streamRange(bytes: Uint8Array, start: number, end: number): Verdict
  /** Everything but the key: see snapshot.ts. */
  snapshot(): Uint8Array
  /** Forgets every element. */
  clear(): void
}

/** Where the bits of a hash come from. */
export interface HashOptions {
  /** Eight secret bytes. Left out, a fresh secret is drawn. */
  readonly key?: Uint8Array | undefined
  /** `unkeyed` is faster, and anyone can compute collisions: never where somebody gains from a wrong answer. */
  readonly hashing?: 'keyed' | 'unkeyed' | undefined
}

/** `as published` repeats a flaw of the thesis's own baseline, for the lab's comparison only (readings FILTERS 7). */
export type Form = 'right' | 'as published'
