// The unkeyed hash: MurmurHash3 x86_32 (Austin Appleby, public domain) run with two seeds over one pass.
//
// Fast, evenly spread, and no defence: collisions that hold for every seed are published, so an attacker who chooses the keys
// chooses the answers (THESIS §3.9 needs a secret). It is there for trusted streams and for the lab's attack games.
// The snapshot's checksum uses the single-seed form.

import type { SecondWord } from './halfsiphash.ts'
import { ASCII_MAX, type Utf8Scratch } from './utf8.ts'

const C1 = 0xcc9e2d51
const C2 = 0x1b873593
const STEP = 0xe6546b64
const FINAL_1 = 0x85ebca6b
const FINAL_2 = 0xc2b2ae35
const SEED_FIRST = 0
const SEED_SECOND = 0x9747b28c
const INTEGER_LENGTH = 7

/** Murmur's finaliser: every bit of the input reaches every bit of the output. */
export function finalise(word: number): number {
  let mixed = word ^ (word >>> 16)
  mixed = Math.imul(mixed, FINAL_1)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, FINAL_2)
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
  const tail = scramble(high & 0xffffff) ^ INTEGER_LENGTH
  second[0] = finalise(absorb(SEED_SECOND, body) ^ tail)
  return finalise(absorb(SEED_FIRST, body) ^ tail)
}

/** The upper 24 bits of a negative 32-bit integer, scrambled. */
const TAIL_NEGATIVE = scramble(0xffffff)

/**
 * mixInteger of a 32-bit integer, the common case: its upper bits are all 0 or all 1. Written out, because calls of the
 * helpers would use up what V8 is willing to inline into one loop.
 */
export function mixSmall(key: number, second: SecondWord): number {
  let body = Math.imul(key, C1)
  body = Math.imul((body << 15) | (body >>> 17), C2)
  const tail = ((key >> 31) & TAIL_NEGATIVE) ^ INTEGER_LENGTH
  let a = body ^ SEED_FIRST
  let b = body ^ SEED_SECOND
  a = (Math.imul((a << 13) | (a >>> 19), 5) + STEP) ^ tail
  b = (Math.imul((b << 13) | (b >>> 19), 5) + STEP) ^ tail
  a = Math.imul(a ^ (a >>> 16), FINAL_1)
  b = Math.imul(b ^ (b >>> 16), FINAL_1)
  a = Math.imul(a ^ (a >>> 13), FINAL_2)
  b = Math.imul(b ^ (b >>> 13), FINAL_2)
  second[0] = b ^ (b >>> 16)
  return a ^ (a >>> 16)
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

/** mixBytes of a string's UTF-8, straight from its units while they are ASCII: see hashText. */
export function mixText(text: string, scratch: Utf8Scratch, second: SecondWord): number {
  const end = text.length
  const whole = end & ~3
  let a = SEED_FIRST
  let b = SEED_SECOND
  let units = 0
  let at = 0
  for (; at < whole; at += 4) {
    const unit0 = text.charCodeAt(at)
    const unit1 = text.charCodeAt(at + 1)
    const unit2 = text.charCodeAt(at + 2)
    const unit3 = text.charCodeAt(at + 3)
    units |= unit0 | unit1 | unit2 | unit3
    if (units > ASCII_MAX) return mixWritten(text, scratch, second)
    const word = scramble(unit0 | (unit1 << 8) | (unit2 << 16) | (unit3 << 24))
    a = absorb(a, word)
    b = absorb(b, word)
  }
  let last = 0
  for (let shift = 0; at < end; at++, shift += 8) {
    const unit = text.charCodeAt(at)
    units |= unit
    last |= unit << shift
  }
  if (units > ASCII_MAX) return mixWritten(text, scratch, second)
  const tail = scramble(last)
  second[0] = finalise(b ^ tail ^ end)
  return finalise(a ^ tail ^ end)
}

function mixWritten(text: string, scratch: Utf8Scratch, second: SecondWord): number {
  const length = scratch.write(text)
  return mixBytes(scratch.bytes, 0, length, second)
}
