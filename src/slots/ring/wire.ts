// The words of the ring (OMA figures 1 to 3), with their limits. Rounds and laps are numbered, which the
// paper leaves to reliable channels: what comes late, twice or out of order is told by its number.

import { bool, type Codec, list, uint, variants } from '../../core/index.ts'
import { type Ciphertext, ciphertextCodec, type Element, elementCodec, type Group } from '../../crypto/index.ts'
import { RING_MAX } from './settings.ts'

export type RingMessage =
  /** A member's public key; `again`: I lack some, send me yours. */
  | { kind: 'key'; publicKey: Element; again: boolean }
  /** REQUEST: the tickets that are left. */
  | { kind: 'request'; round: number; tickets: readonly Ciphertext[] }
  /**
   * GET_EPHEMERAL_KEY: my ticket, as figure 2 has it; figures 4 and 7 send its first half, which is all that is
   * needed.
   */
  | { kind: 'ask'; round: number; ticket: Ciphertext }
  /** EPHEMERAL_KEY */
  | { kind: 'share'; round: number; share: Element }
  /** TOKEN_RELEASE */
  | { kind: 'release'; round: number; lap: number; entries: readonly Ciphertext[] }
  /** NEW_ROUND */
  | { kind: 'newRound'; round: number }

export function ringVocabulary(group: Group): Codec<RingMessage> {
  const ticket = ciphertextCodec(group)
  const tickets = list(ticket, RING_MAX)
  const element = elementCodec(group)
  return variants<RingMessage>({
    key: { publicKey: element, again: bool },
    request: { round: uint(), tickets },
    ask: { round: uint(), ticket },
    share: { round: uint(), share: element },
    release: { round: uint(), lap: uint(), entries: tickets },
    newRound: { round: uint() },
  })
}
