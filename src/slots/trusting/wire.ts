// What members at levels `curious` and `strong` say: the words about epochs, which are those of `verified` and signed;
// the words of the ring (OMA figures 1 to 3), which need no signature, since the channel tells who speaks and nobody
// passes them on; and a pulse. The last two are bound to the hash of the epoch record.

import { bytes, type Codec, list, struct, uint, variants } from '../../core/index.ts'
import type { Ciphertext, Group } from '../../crypto/index.ts'
import type { RingMessage } from '../ring/index.ts'
import { MEMBERS_MAX } from '../settings.ts'
import { HASH_BYTES } from '../verified/record.ts'
import { type SlotsMessage, slotsVocabulary } from '../verified/wire.ts'

/** The ring's words but its keys: those are posted with the epoch, with proofs of possession. */
export type RingWord = Exclude<RingMessage, { kind: 'key' }>

/** What members at levels `curious` and `strong` say to each other. */
export type TrustingMessage =
  | { kind: 'about'; said: SlotsMessage }
  | { kind: 'ring'; epoch: Uint8Array; word: RingWord }
  /** I am here, and so far: it tells a ring that stands still from one that rests. */
  | { kind: 'pulse'; epoch: Uint8Array; round: number; stage: number }

/** An element of the largest group: 3072 bits. */
const ELEMENT_BYTES_MAX = 384

const hash = bytes(HASH_BYTES)
const element = bytes(ELEMENT_BYTES_MAX)
const ticket = struct<Ciphertext>({ c1: element, c2: element })
const tickets = list(ticket, MEMBERS_MAX)

// Elements travel as plain bytes, so that one vocabulary serves every group; `isWhole` looks at them.
const ringWords: Codec<RingWord> = variants<RingWord>({
  request: { round: uint(), tickets },
  ask: { round: uint(), ticket },
  share: { round: uint(), share: element },
  release: { round: uint(), lap: uint(), entries: tickets },
  newRound: { round: uint() },
})

/** The encoding of what members at levels `curious` and `strong` say, with its limits. */
export const trustingVocabulary: Codec<TrustingMessage> = variants<TrustingMessage>({
  about: { said: slotsVocabulary },
  ring: { epoch: hash, word: ringWords },
  pulse: { epoch: hash, round: uint(), stage: uint() },
})

/** Whether everything in it is in the group: arithmetic trusts its arguments. */
export function isWhole(group: Group, word: RingWord): boolean {
  return elementsOf(word).every(one => group.decode(one) !== undefined)
}

function elementsOf(word: RingWord): readonly Uint8Array[] {
  const both = ({ c1, c2 }: Ciphertext) => [c1, c2]
  switch (word.kind) {
    case 'request':
      return word.tickets.flatMap(both)
    case 'ask':
      return both(word.ticket)
    case 'share':
      return [word.share]
    case 'release':
      return word.entries.flatMap(both)
    case 'newRound':
      return []
  }
}
