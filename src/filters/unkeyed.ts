// The unkeyed hash: MurmurHash3 x86_32 (Austin Appleby, public domain) run with two seeds over one pass.
//
// Fast, evenly spread, and no defence: collisions that hold for every seed are published, so whoever chooses the keys
// chooses the answers (THESIS §3.9 needs a secret). It is there for trusted streams and for the lab's attack games.
// The snapshot's checksum uses the single-seed form.

import type { SecondWord } from './halfsiphash.ts'

const C1 = 0xcc9e2d51
const C2 = 0x1b873593
const STEP = 0xe6546b64
const SEED_FIRST = 0
const SEED_SECOND = 0x9747b28c
const INTEGER_LENGTH = 7

/** Murmur's finaliser: every bit of the input reaches every bit of the output. */
export function finalise(word: number): number {
  let mixed = word ^ (word >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

function scramble(word: number): number {
  const product = Math.imul(word, C1)
  return Math.imul((product << 15) | (product >>> 17), C2)
}

function absorb(state: number, scrambled: number): number {
  const mixed = state ^ scrambled
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + STEP) | 0
}

/** The same 7 bytes as halfsiphash's hashInteger. */
export function mixInteger(low: number, high: number, second: SecondWord): number {
  const body = scramble(low)
  const tail = scramble(high & 0xffffff)
  second[0] = finalise(absorb(SEED_SECOND, body) ^ tail ^ INTEGER_LENGTH)
  return finalise(absorb(SEED_FIRST, body) ^ tail ^ INTEGER_LENGTH)
}

export function mixBytes(bytes: Uint8Array, start: number, end: number, second: SecondWord): number {
  const whole = end - ((end - start) & 3)
  let a = SEED_FIRST
  let b = SEED_SECOND
  let at = start
  for (; at < whole; at += 4) {
    const word = scramble(bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24))
    a = absorb(a, word)
    b = absorb(b, word)
  }
  let last = 0
  if (at + 2 < end) last |= bytes[at + 2]! << 16
  if (at + 1 < end) last |= bytes[at + 1]! << 8
  if (at < end) last |= bytes[at]!
  const tail = scramble(last)
  second[0] = finalise(b ^ tail ^ (end - start))
  return finalise(a ^ tail ^ (end - start))
}
