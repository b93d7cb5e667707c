// What an arm hands the comparator through the shuffler: its tags and its two tokens. Sealed to the comparator's key of
// this run, so that the shuffler and any arm together open nothing; and inside proved to come from an arm, for this
// round, attempt and slot, so that the shuffler makes none and moves none (protocols/bandits 3).

import { sameBytes } from '../core/index.ts'
import { framedBriefly, type PublicKey, type Sealing } from '../crypto/index.ts'
import { TAG_BYTES } from './encoding.ts'
import { digest, drawn, drawnBytes } from './party.ts'
import type { BanditRules } from './rules.ts'
import type { BanditKeys, BanditTools } from './settings.ts'
import { KEY_BYTES, TOKEN_BYTES } from './wire.ts'

/** Which box it is. */
export interface BoxPlace {
  readonly run: Uint8Array
  readonly round: number
  readonly attempt: number
  readonly slot: number
}

/** What is in a box. */
export interface BoxContent {
  /** Says whether all arms have the same key. */
  readonly check: Uint8Array
  readonly win: Uint8Array
  readonly lose: Uint8Array
  readonly tags: Uint8Array
  /** The arm has not its reward yet: the tags mean nothing. */
  readonly late: boolean
}

const CHECK_BYTES = 8
const LATE_AT = KEY_BYTES + CHECK_BYTES + 2 * TOKEN_BYTES
const TAGS_AT = LATE_AT + 1

/** An arm's tokens of an attempt: it knows those of all attempts, and nobody else can draw them. Both from one draw. */
export function tokensOf(
  tools: BanditTools,
  secret: Uint8Array,
  { run, round, attempt }: Omit<BoxPlace, 'slot'>,
): { readonly win: Uint8Array; readonly lose: Uint8Array } {
  const known = lastTokens.get(secret)
  if (known?.run === run && known.round === round && known.attempt === attempt) return known
  const both = drawn(tools, secret, 'tokens', run, round, attempt)
  const [win, lose] = [both.subarray(0, TOKEN_BYTES), both.subarray(TOKEN_BYTES, 2 * TOKEN_BYTES)]
  const tokens = { run, round, attempt, win, lose }
  lastTokens.set(secret, tokens)
  return tokens
}

/** The tokens that were asked for last, by the secret: an arm seals them, and meets one of them again a moment later. */
const lastTokens = new WeakMap<Uint8Array, Omit<BoxPlace, 'slot'> & Pick<BoxContent, 'win' | 'lose'>>()

/** What tells two keys of arms apart, and nothing else of them. */
export function keyCheck(tools: BanditTools, armsKey: Uint8Array, run: Uint8Array): Uint8Array {
  return digest(tools, 'key of all arms', armsKey, run).subarray(0, CHECK_BYTES)
}

function proofOf(tools: BanditTools, boxesKey: Uint8Array, place: BoxPlace, content: Uint8Array): Uint8Array {
  return tools.prf(boxesKey, framedBriefly('box', place.run, place.round, place.attempt, place.slot, content))
}

/** Who seals: its own secret decides the chance. */
export interface BoxMaker {
  readonly keys: Pick<BanditKeys, 'tools' | 'sealing'>
  readonly secret: Uint8Array
  readonly boxesKey: Uint8Array
  readonly runKey: PublicKey
  readonly rules: Pick<BanditRules, 'boxChance' | 'sealedTo'>
}

/** What somebody opens with who has the key that proves boxes, and nothing else: no honest box. */
export function openedByArms(tools: BanditTools, boxesKey: Uint8Array): Sealing {
  return tools.sealing.of(boxesKey)
}

export function sealBox(
  { keys, secret, boxesKey, runKey, rules }: BoxMaker,
  place: BoxPlace,
  content: BoxContent,
): Uint8Array {
  const message = new Uint8Array(TAGS_AT + content.tags.length)
  message.set(content.check, KEY_BYTES)
  message.set(content.win, KEY_BYTES + CHECK_BYTES)
  message.set(content.lose, KEY_BYTES + CHECK_BYTES + TOKEN_BYTES)
  message[LATE_AT] = Number(content.late)
  message.set(content.tags, TAGS_AT)
  const proof = proofOf(keys.tools, boxesKey, place, message.subarray(KEY_BYTES))
  message.set(proof)
  const chance = ['box', ...rules.boxChance(proof, place.round, place.slot)]
  const to = rules.sealedTo(runKey, () => openedByArms(keys.tools, boxesKey).publicKey)
  return keys.sealing.seal(to, message, length => drawnBytes(keys.tools, secret, chance, length))
}

/** The content of a box; undefined if it is not sealed to us, not from an arm, or not for this place. */
export function openBox(
  sealing: Sealing,
  tools: BanditTools,
  boxesKey: Uint8Array,
  place: BoxPlace,
  box: { readonly sealed: Uint8Array; readonly tags: number },
): BoxContent | undefined {
  const message = sealing.open(box.sealed)
  if (message?.length !== TAGS_AT + box.tags * TAG_BYTES) return undefined
  const content = message.subarray(KEY_BYTES)
  if (!sameBytes(message.subarray(0, KEY_BYTES), proofOf(tools, boxesKey, place, content))) return undefined
  return {
    check: content.subarray(0, CHECK_BYTES),
    // Tokens are kept and sent; what is looked at and forgotten is not copied.
    win: content.slice(CHECK_BYTES, CHECK_BYTES + TOKEN_BYTES),
    lose: content.slice(CHECK_BYTES + TOKEN_BYTES, CHECK_BYTES + 2 * TOKEN_BYTES),
    tags: content.subarray(CHECK_BYTES + 2 * TOKEN_BYTES + 1),
    late: content[CHECK_BYTES + 2 * TOKEN_BYTES] === 1,
  }
}
