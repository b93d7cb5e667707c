// What all parties of one private run agree on, and the arithmetic that is given to them.

import { type Millis, type NodeId, SettingsError, sameBytes } from '../core/index.ts'
import type {
  PaillierDecryption,
  PaillierEncryption,
  PaillierSecret,
  PublicKey,
  RandomBytes,
  Sealing,
  SealingScheme,
  Signatures,
  Signer,
} from '../crypto/index.ts'
import type { BlockFunction } from './encoding.ts'
import type { RewardRange } from './rewards.ts'
import type { BanditRules } from './rules.ts'

/** How the next arm is chosen: the first two earn, the others search for the best arm. */
export type Algorithm = 'ucb1' | 'thompson' | 'successive-rejects' | 'sequential-halving'

/** All algorithms that can be played privately. */
export const ALGORITHMS: readonly Algorithm[] = ['ucb1', 'thompson', 'successive-rejects', 'sequential-halving']

/** More arms cost their square in every round. */
export const ARMS_MAX = 32

/**
 * What is hidden from whom: `blind` every pull and reward from all but its arm; the others are the thesis's own protocols, whose
 * controller sees who is pulled (UCB-D in the clear, UCB-DS, UCB-DS2) or in which order arms are rejected (SR-secured).
 */
export type Level = 'blind' | 'ucb-d' | 'ucb-ds' | 'ucb-ds2' | 'sr-secured'

/** All levels. */
export const LEVELS: readonly Level[] = ['blind', 'ucb-d', 'ucb-ds', 'ucb-ds2', 'sr-secured']

/** One who takes part, with the keys that its certificate says. */
export interface BanditParty {
  readonly id: NodeId
  readonly signing: PublicKey
  readonly sealing: PublicKey
}

/** A run: who plays which part, and what is played. The same at every party, and all keys are bound to it. */
export interface BanditRun {
  readonly name: string
  readonly algorithm: Algorithm
  /** Default `blind`. */
  readonly level?: Level
  /** Who has the arms; in SR-secured who draws the rewards of each phase. */
  readonly arms: readonly BanditParty[]
  /** Knows who sits where, and sees nothing else. */
  readonly shuffler: BanditParty
  /** Compares without names and without numbers. */
  readonly comparator: BanditParty
  /** Gets the answer. */
  readonly user: BanditParty
  readonly budget: number
  /** The chosen arm is pulled ⌊batch · t⌋ times at once, at least once. */
  readonly batch: number
  readonly rewards: RewardRange
  /** Drawn by the user: two runs of one name have nothing in common. */
  readonly nonce: Uint8Array
  /** A box leaves so long after its slot came, for each pull of the round, whether its arm was pulled or not. Default 0: at once. */
  readonly pace?: Millis
  /** How long an arm may be silent before it counts as lost. Default 0: for ever. */
  readonly armTimeout?: Millis
  /** Whether the others go on without an arm that is lost. Default: the run ends. */
  readonly drops?: boolean
}

/** A run, and the patience of those in it. */
export interface BanditSettings {
  readonly run: BanditRun
  /** After how long without news something is said again. */
  readonly repeat: Millis
  /** How long the user waits for the answer. */
  readonly timeout: Millis
  readonly rules: BanditRules
}

/** Arithmetic that a driver gives: by OpenSSL in Node, and something cheaper in a simulation. */
export interface BanditTools {
  /** 32 bytes that look random to anyone without the key: HMAC with SHA-256. */
  prf(key: Uint8Array, message: Uint8Array): Uint8Array
  /** AES-256 on blocks, under a key of 32 bytes. */
  blocks(key: Uint8Array): BlockFunction
  readonly sealing: SealingScheme
  readonly signatures: Signatures
  readonly symmetric: SymmetricSeals
  readonly sums: SumScheme
}

/** Seals under a key that both sides have, bound to what they are about: AES-256-GCM. */
export interface SymmetricSeals {
  /** With a nonce of 12 bytes that is used once. */
  seal(key: Uint8Array, nonce: Uint8Array, about: string, message: Uint8Array): Uint8Array
  /** Undefined where it was not sealed with this key, about this. */
  open(key: Uint8Array, about: string, sealed: Uint8Array): Uint8Array | undefined
}

/** Sums under encryption: Paillier. */
export interface SumScheme {
  /** Whether a key of this modulus is long enough. */
  isModulus(modulus: bigint): boolean
  encryption(modulus: bigint, random: RandomBytes): PaillierEncryption
  decryption(secret: PaillierSecret, random: RandomBytes): PaillierDecryption
}

/** What one party has besides: its own keys. */
export interface BanditKeys {
  readonly signer: Signer
  readonly sealing: Sealing
  readonly tools: BanditTools
}

/** Refuses a run that cannot be private or cannot be played. */
export function checkRun(run: BanditRun): void {
  const { arms, shuffler, comparator, user, batch, level = 'blind' } = run
  const ids = arms.map(({ id }) => id)
  const isSearch = level === 'sr-secured'
  const count = isSearch ? ids.length + 1 : ids.length
  if (count < 2) throw new SettingsError(`a run needs at least 2 arms, not ${count}.`)
  if (count > ARMS_MAX) {
    throw new SettingsError(
      `a private run has at most ${ARMS_MAX} arms, not ${count}: each round costs their square. Use privacy: 'open'.`,
    )
  }
  const twice = ids.find((id, place) => ids.indexOf(id) !== place)
  if (twice !== undefined) throw new SettingsError(`two arms are called '${twice}'.`)
  const isRing = level !== 'blind' && !isSearch
  // In a ring the one who shuffles is the controller, and nobody else compares.
  if (shuffler.id === comparator.id && !isRing) {
    throw new SettingsError(`'${shuffler.id}' cannot shuffle and compare: together they see who is better than whom.`)
  }
  const has = isSearch ? 'draws' : 'has an arm'
  for (const [what, { id }] of [['shuffle', shuffler] as const, ['compare', comparator] as const]) {
    if (ids.includes(id)) throw new SettingsError(`'${id}' ${has} and cannot ${what} as well.`)
    if (id === user.id) throw new SettingsError(`'${id}' asks for the answer and cannot ${what} as well.`)
  }
  if (isSearch && ids.includes(user.id))
    throw new SettingsError(`'${user.id}' knows the values and cannot draw as well.`)
  checkSealing([...arms, comparator])
  if (!(batch >= 0 && batch <= 1)) throw new SettingsError(`batch is a number from 0 to 1, not ${batch}.`)
}

/** Parts of the keys are sealed to all of these with one fresh key: under one key of two of them, one pad for two messages. */
function checkSealing(receivers: readonly BanditParty[]): void {
  for (const [place, { id, sealing }] of receivers.entries()) {
    const other = receivers.slice(0, place).find(party => sameBytes(party.sealing, sealing))
    if (other !== undefined) throw new SettingsError(`'${other.id}' and '${id}' have the same key to seal to.`)
  }
}
