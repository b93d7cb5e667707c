// What the parties of the thesis's protocols have in common: sums under encryption whose chance comes from one secret, so that a
// restart says the same bytes again, and seals under a key that two or more of them share.

import { assert, type Codec, decode, type NodeId, type Saved } from '../../core/index.ts'
import type { PaillierDecryption, PaillierEncryption, Part, RandomBytes } from '../../crypto/index.ts'
import { drawn, drawnBytes, type PartyScene, type PartyState } from '../party.ts'
import { rejectPhases } from '../phases.ts'
import type { BanditRun, BanditTools } from '../settings.ts'

/** What somebody asks its owner for who has to decrypt sums: two primes, made outside of the machine. */
export interface PrimesEvent {
  readonly kind: 'primes'
}

/** The answer, the highest byte first. */
export interface PrimesCommand {
  readonly kind: 'primes'
  readonly p: Uint8Array
  readonly q: Uint8Array
}

export function integerOf(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = value * 256n + BigInt(byte)
  return value
}

/** As many bytes as it needs, the highest first. */
export function bytesOf(value: bigint): Uint8Array {
  const digits = value.toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return Uint8Array.from({ length: even.length / 2 }, (_, at) => Number.parseInt(even.slice(2 * at, 2 * at + 2), 16))
}

/** Chance for encryptions. Of one operation on one value, so that two values never share it: their difference would be seen. */
class Chance {
  private readonly tools: BanditTools
  private readonly secret: Uint8Array
  private about: readonly Part[] = ['self-test']
  private draws = 0

  constructor(tools: BanditTools, secret: Uint8Array) {
    this.tools = tools
    this.secret = secret
  }

  of(...about: readonly Part[]): void {
    this.about = about
    this.draws = 0
  }

  readonly bytes: RandomBytes = length =>
    drawnBytes(this.tools, this.secret, ['sum', ...this.about, this.draws++], length)
}

/** Sums under encryption, in bytes. */
export class Sums {
  private readonly chance: Chance
  private readonly scheme: PaillierEncryption

  constructor(tools: BanditTools, secret: Uint8Array, modulus: Uint8Array) {
    this.chance = new Chance(tools, secret)
    this.scheme = tools.sums.encryption(integerOf(modulus), this.chance.bytes)
  }

  encrypt(value: bigint, ...about: readonly Part[]): Uint8Array {
    this.chance.of('encrypt', ...about, String(value))
    return this.scheme.toBytes(this.scheme.encrypt(value))
  }

  /** Undefined where one of them is no ciphertext. */
  add(one: Uint8Array, other: Uint8Array): Uint8Array | undefined {
    const [a, b] = [this.scheme.fromBytes(one), this.scheme.fromBytes(other)]
    return a === undefined || b === undefined ? undefined : this.scheme.toBytes(this.scheme.add(a, b))
  }

  times(ciphertext: Uint8Array, factor: number): Uint8Array | undefined {
    const found = this.scheme.fromBytes(ciphertext)
    return found === undefined ? undefined : this.scheme.toBytes(this.scheme.times(found, BigInt(factor)))
  }

  rerandomise(ciphertext: Uint8Array, ...about: readonly Part[]): Uint8Array | undefined {
    const found = this.scheme.fromBytes(ciphertext)
    this.chance.of('again', ...about, ciphertext)
    return found === undefined ? undefined : this.scheme.toBytes(this.scheme.rerandomise(found))
  }
}

/** Who has the primes opens sums. */
export class OpenedSums {
  private readonly scheme: PaillierDecryption
  readonly modulus: Uint8Array

  constructor(tools: BanditTools, secret: Uint8Array, primes: Pick<PrimesCommand, 'p' | 'q'>) {
    const chance = new Chance(tools, secret)
    this.scheme = tools.sums.decryption({ p: integerOf(primes.p), q: integerOf(primes.q) }, chance.bytes)
    this.modulus = bytesOf(this.scheme.key.modulus)
  }

  /** Undefined where it is no ciphertext, or what is in it is larger than any sum. */
  decrypt(ciphertext: Uint8Array): bigint | undefined {
    const found = this.scheme.fromBytes(ciphertext)
    if (found === undefined) return undefined
    try {
      return this.scheme.decrypt(found)
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
}

const NONCE_BYTES = 12

/** Under a key that the receiver has, bound to what it is about. The nonce is of this message: no two share it. */
export function sealWith(
  tools: BanditTools,
  secret: Uint8Array,
  key: Uint8Array,
  about: string,
  message: Uint8Array,
): Uint8Array {
  const nonce = drawn(tools, secret, 'nonce', key, about, message).subarray(0, NONCE_BYTES)
  return tools.symmetric.seal(key, nonce, about, message)
}

/** What a ring's seal of a round is about: what was sealed for one opens in no other. */
export const ringAbout = (round: number) => `round ${round}`

/** Nobody comes after the last in the ring. */
export const NOBODY = 255

/** How many arms a search is among: one more than there are drawers. */
export const armsOf = ({ arms }: BanditRun) => arms.length + 1

export const phasesOf = (run: BanditRun) => rejectPhases(armsOf(run), run.budget)

/** What was saved last; undefined before. */
export function lastSaved<Record>(codec: Codec<Record>, saved: Saved): Record | undefined {
  const record = saved.get('')?.at(-1)
  const decoded = record && decode(codec, record)
  assert(decoded === undefined || decoded.ok, 'what a party saved can be read')
  return decoded?.ok ? decoded.value : undefined
}

/** The secret of a party, drawn once and saved. */
export function ensureSecret<State extends PartyState & { secret: Uint8Array }, Event>(
  scene: PartyScene<State, Event>,
): void {
  const { state, turn } = scene
  if (state.secret.length > 0) return
  state.secret = turn.bytes(SECRET_BYTES)
  scene.save()
}

const SECRET_BYTES = 32

/** A modulus that may stand: the first that comes from who decrypts. */
export function takeModulus<State extends PartyState & { modulus: Uint8Array }, Event>(
  scene: PartyScene<State, Event>,
  from: NodeId,
  holder: NodeId,
  modulus: Uint8Array,
): void {
  const { state, keys } = scene
  if (from !== holder || state.modulus.length > 0 || !keys.tools.sums.isModulus(integerOf(modulus))) return
  state.modulus = modulus
  scene.save()
}
