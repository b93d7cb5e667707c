// What peks mode needs of a pairing engine, as plain bytes in and out: machines keep no points, and simulations put an ideal
// engine behind it. Points from outside are read once, checked, and kept here while they are of use.

import { sha256 } from '@noble/hashes/sha2.js'
import { framed, type RandomBytes } from '../../crypto/index.ts'
import {
  type PairingEngine,
  type PeksMarks,
  type PeksWriter,
  peksMark,
  peksPublicKey,
  peksTrapdoor,
  peksWriter,
  randomPairingScalar,
} from '../../crypto/peks/index.ts'
import { lettersOf, mapKeyOf } from './keys.ts'
import { APART_READERS_MAX, PAIRINGS_MAX, TRAPDOORS_MAX } from './limits.ts'

/** Marking events for readers, and making trapdoors of our own key. */
export interface SearchTools {
  /** Our own key, for others to mark with. */
  readonly publicKey: Uint8Array
  /** A, and a B for each keyword, for the reader with that key; nothing where it is no key. */
  mark(
    publicKey: Uint8Array,
    channel: Uint8Array,
    keywords: readonly Uint8Array[],
    random: RandomBytes,
  ): PeksMarks | undefined
  trapdoor(keyword: Uint8Array): Uint8Array
}

/** The secret of a search key, from a seed that is its owner's alone. */
export function searchSecret(seed: Uint8Array): Uint8Array {
  let draws = 0
  const wide = (length: number) => {
    const parts = Uint8Array.from([...chained(seed, draws++), ...chained(seed, draws++)])
    return parts.slice(0, length)
  }
  return randomPairingScalar(wide)
}

const chained = (seed: Uint8Array, count: number) => sha256(framed('coterie/events search key', count, seed))

/** On an engine, with the secret of our own key. */
export function searchTools(engine: PairingEngine, secret: Uint8Array): SearchTools {
  const writers = new Map<string, PeksWriter | undefined>()
  const writerOf = (publicKey: Uint8Array, channel: Uint8Array) => {
    const name = mapKeyOf(publicKey) + mapKeyOf(channel)
    if (writers.has(name)) return writers.get(name)
    const writer = peksWriter(engine, publicKey, lettersOf(channel))
    if (writers.size >= 2 * APART_READERS_MAX) writers.delete(writers.keys().next().value!)
    writers.set(name, writer)
    return writer
  }
  return {
    publicKey: peksPublicKey(engine, secret),
    mark: (publicKey, channel, keywords, random) => writerOf(publicKey, channel)?.mark(keywords, random),
    trapdoor: keyword => peksTrapdoor(engine, secret, keyword),
  }
}

/** Looking for events by trapdoors. */
export interface MatchTools {
  /** Whether it is a trapdoor at all: a point of the curve, in its subgroup, and not the identity. */
  isTrapdoor(trapdoor: Uint8Array): boolean
  /** Whether an event may have such an A, likewise. */
  isPoint(point: Uint8Array): boolean
  /** The mark that the event has where it has the trapdoor's keyword. Both were looked at before. */
  mark(channel: Uint8Array, trapdoor: Uint8Array, point: Uint8Array): Uint8Array
}

/** On an engine. */
export function matchTools(engine: PairingEngine): MatchTools {
  const trapdoorAt = kept(bytes => engine.decodeFirst(bytes), TRAPDOORS_MAX)
  const pointAt = kept(bytes => engine.decodeSecond(bytes), PAIRINGS_MAX)
  return {
    isTrapdoor: trapdoor => trapdoorAt(trapdoor) !== undefined,
    isPoint: point => pointAt(point) !== undefined,
    mark: (channel, trapdoor, point) => peksMark(engine, lettersOf(channel), trapdoorAt(trapdoor)!, pointAt(point)!),
  }
}

/** Reads each once; the one that came first makes room. What cannot be read is not kept. */
function kept<Point extends object>(
  read: (bytes: Uint8Array) => Point | undefined,
  most: number,
): (bytes: Uint8Array) => Point | undefined {
  const known = new Map<string, Point>()
  return bytes => {
    const name = mapKeyOf(bytes)
    const found = known.get(name) ?? read(bytes)
    if (found === undefined || known.has(name)) return found
    if (known.size >= most) known.delete(known.keys().next().value!)
    known.set(name, found)
    return found
  }
}
