// Public-key encryption with keyword search (Boneh, Di Crescenzo, Ostrovsky, Persiano 2004), on BLS12-381, with one random
// number for all keywords of an event (Baek, Safavi-Naini, Susilo 2006). Anyone who knows the public key can mark an event with
// keywords; a broker that was given a trapdoor finds the events that have its keyword, and learns nothing of the others.
//
// What it does not hide: a trapdoor can be guessed. e(T, g2) = e(H1(w), P) for the right w, so that a broker with a list of
// words finds which one a trapdoor is for (`coterie lab run keyword-guessing`). Use it for keywords that cannot be listed.
//
// Key α, P = g2^α. Marks of an event: A = g2^r, and for each keyword B = H2(e(H1(w), P)^r). Trapdoor T = H1(w)^α.
// Test: H2(e(T, A)) = B. One pairing a trapdoor, then a look-up among the event's marks.

import { sha256 } from '@noble/hashes/sha2.js'
import { assert } from '../../core/index.ts'
import { framed } from '../framing.ts'
import type { RandomBytes } from '../group.ts'
import {
  type FirstPoint,
  isPairingScalar,
  type Paired,
  type PairingEngine,
  randomPairingScalar,
  type SecondPoint,
} from './engine.ts'

/** Our own: under the tag of BLS signatures a trapdoor would be a signature of its keyword. */
const DOMAIN = 'COTERIE-PEKS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_'
const MARK = 'coterie/peks'
/** Keywords whose pairing a writer keeps: 4 ms each to make again. */
const KEPT_MAX = 10_000

/** The reader's keys: who knows the public one writes, who knows the secret makes trapdoors. */
export interface PeksKeys {
  /** 32 bytes. */
  readonly secret: Uint8Array
  /** 96 bytes. */
  readonly publicKey: Uint8Array
}

/** What an event carries: A, and one mark a keyword. */
export interface PeksMarks {
  /** 96 bytes. */
  readonly point: Uint8Array
  /** 32 bytes each, in the order of the keywords. */
  readonly marks: readonly Uint8Array[]
}

/** New keys of a reader. */
export function peksKeys(engine: PairingEngine, random: RandomBytes): PeksKeys {
  const secret = randomPairingScalar(random)
  return { secret, publicKey: peksPublicKey(engine, secret) }
}

/** What others mark with, for the owner of that secret. */
export function peksPublicKey(engine: PairingEngine, secret: Uint8Array): Uint8Array {
  assert(isPairingScalar(secret), 'the secret of a peks key is a scalar')
  return engine.encodeSecond(engine.multiplySecond(engine.secondGenerator, secret))
}

/** What finds the events of one keyword: to be given to the broker. 48 bytes. */
export function peksTrapdoor(engine: PairingEngine, secret: Uint8Array, keyword: Uint8Array): Uint8Array {
  assert(isPairingScalar(secret), 'the secret of a peks key is a scalar')
  return engine.encodeFirst(engine.multiplyFirst(engine.hashToFirst(keyword, DOMAIN), secret))
}

/** Marks events for one reader on one channel. */
export interface PeksWriter {
  /** Equal keywords are marked once: two equal marks would show that they are. */
  mark(keywords: readonly Uint8Array[], random: RandomBytes): PeksMarks
}

/** The writer for a public key, or nothing where it is none. */
export function peksWriter(engine: PairingEngine, publicKey: Uint8Array, channel: string): PeksWriter | undefined {
  const key = engine.decodeSecond(publicKey)
  if (key === undefined) return undefined
  const kept = new Map<string, Paired>()
  const pairOf = (keyword: Uint8Array): Paired => {
    const name = keyword.join()
    const known = kept.get(name)
    if (known !== undefined) return known
    const made = engine.pair(engine.hashToFirst(keyword, DOMAIN), key)
    if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!)
    kept.set(name, made)
    return made
  }
  return {
    mark(keywords, random) {
      const once = new Map(keywords.map(keyword => [keyword.join(), keyword]))
      const secret = randomPairingScalar(random)
      const point = engine.encodeSecond(engine.multiplySecond(engine.secondGenerator, secret))
      const marks = [...once.values()].map(keyword => markOf(engine, channel, engine.power(pairOf(keyword), secret)))
      return { point, marks }
    },
  }
}

/** A trapdoor that was checked. */
export type CheckedTrapdoor = FirstPoint
/** The point of an event that was checked. */
export type CheckedPoint = SecondPoint

/** The mark that an event has where it has the trapdoor's keyword: look for it among the event's. */
export function peksMark(
  engine: PairingEngine,
  channel: string,
  trapdoor: CheckedTrapdoor,
  point: CheckedPoint,
): Uint8Array {
  return markOf(engine, channel, engine.pair(trapdoor, point))
}

function markOf(engine: PairingEngine, channel: string, element: Paired): Uint8Array {
  return sha256(framed(MARK, channel, engine.coefficients(element)))
}

/** The equation by which a trapdoor is guessed, for the lab: whether it is for this keyword, by public values alone. */
export function peksGuess(
  engine: PairingEngine,
  publicKey: CheckedPoint,
  trapdoor: CheckedTrapdoor,
  keyword: Uint8Array,
): boolean {
  const guessed = engine.coefficients(engine.pair(engine.hashToFirst(keyword, DOMAIN), publicKey))
  const shown = engine.coefficients(engine.pair(trapdoor, engine.secondGenerator))
  return guessed.every((byte, place) => byte === shown[place])
}
