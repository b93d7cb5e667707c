// HalfSipHash-2-4 with 64-bit output (Aumasson and Bernstein; reference and test vectors: github.com/veorq/SipHash).
//
// The default hash of every filter. It is keyed: who does not know the eight secret bytes cannot find two keys that
// share a row. Multiplying a secret seed into murmur or xxHash does not give that (collisions for every seed are
// published), and tabulation is linear; so neither may be the default (THESIS §3.9 assumes a pseudo-random function).
//
// The state is four 32-bit words, which JavaScript handles as fast as any language. Results are two words: one picks
// the row, the other the fingerprint. Both from one word would tie them together: 55 % duplicates instead of 14 %.
//
// Every round is written out, against the house rule on length: with the rounds in a loop, V8 takes 55 ns for an
// integer where this takes 19. `hashInteger` is `hashBytes` of the integer's 7 bytes; the test holds them together.

const INIT_2 = 0x6c796765
const INIT_3 = 0x74656462
/** Marks the 64-bit output, at the start and before the first half is taken. */
const WIDE = 0xee
/** Marks the second half. */
const SECOND = 0xdd
const INTEGER_LENGTH = 7 << 24

/** The second word of the last hash; the first is returned. A typed array, so that nothing is allocated. */
export type SecondWord = Int32Array

/** Hash of the 7 little-endian bytes whose first 32 bits are `low` and whose last 24 are the low bits of `high`. */
export function hashInteger(k0: number, k1: number, low: number, high: number, second: SecondWord): number {
  let v0 = k0
  let v1 = k1 ^ WIDE
  let v2 = k0 ^ INIT_2
  let v3 = k1 ^ INIT_3
  v3 ^= low
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 ^= low
  const last = INTEGER_LENGTH | (high & 0xffffff)
  v3 ^= last
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 ^= last
  v2 ^= WIDE
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  const first = v1 ^ v3
  v1 ^= SECOND
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  second[0] = v1 ^ v3
  return first
}

/** Hash of bytes[start … end). */
export function hashBytes(
  k0: number,
  k1: number,
  bytes: Uint8Array,
  start: number,
  end: number,
  second: SecondWord,
): number {
  let v0 = k0
  let v1 = k1 ^ WIDE
  let v2 = k0 ^ INIT_2
  let v3 = k1 ^ INIT_3
  const whole = end - ((end - start) & 3)
  let at = start
  for (; at < whole; at += 4) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    v3 ^= word
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 ^= word
  }
  let last = (end - start) << 24
  if (at + 2 < end) last |= bytes[at + 2]! << 16
  if (at + 1 < end) last |= bytes[at + 1]! << 8
  if (at < end) last |= bytes[at]!
  v3 ^= last
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 ^= last
  v2 ^= WIDE
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  const first = v1 ^ v3
  v1 ^= SECOND
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  v0 = (v0 + v1) | 0
  v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
  v0 = (v0 << 16) | (v0 >>> 16)
  v2 = (v2 + v3) | 0
  v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
  v0 = (v0 + v3) | 0
  v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
  v2 = (v2 + v1) | 0
  v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
  v2 = (v2 << 16) | (v2 >>> 16)
  second[0] = v1 ^ v3
  return first
}
