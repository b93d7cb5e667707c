// The words of members that gossip by interest, with their limits. Append only: the place in the list is the number on the wire.

import { bool, bytes, type Codec, finite, list, struct, text, uint, variants } from '../../core/index.ts'
import { framed } from '../../crypto/index.ts'
import { ATTRIBUTE_BYTES_MAX } from '../values.ts'
import { BOOT_BYTES_MAX, CHANNEL_BYTES_MAX, type Item, itemCodec, NODE_BYTES_MAX, type Source } from '../wire.ts'
import type { Box, Interval } from './boxes.ts'
import { AGE_SAID_MAX, ATTRIBUTES_A_BOX, BOXES_MAX, GIVEN_MAX, HOPS_MAX, RANDOM_GIVEN } from './limits.ts'

/** What a member says of itself: nobody can say it for another. A higher number is newer. */
export interface Claim {
  readonly member: string
  readonly number: number
  readonly boxes: readonly Box[]
  readonly signature: Uint8Array
}

/** A claim that is passed on, and for how many rounds its owner has said nothing newer, as far as the sender knows. */
export interface Given {
  readonly claim: Claim
  readonly age: number
}

/** What members that gossip by interest say to each other. */
export type InterestMessage =
  /** Who the sender is, and whom it knows; with `asks`, it wants the same in return. */
  | { readonly kind: 'exchange'; readonly own: Claim; readonly given: readonly Given[]; readonly asks: boolean }
  /** An event, after so many steps towards somebody who wants it. */
  | { readonly kind: 'event'; readonly source: Source; readonly item: Item; readonly hops: number }
  /** It came. */
  | { readonly kind: 'got'; readonly author: string; readonly boot: string; readonly counter: number }

const SIGNATURE_BYTES_MAX = 64
const node = text(NODE_BYTES_MAX)
const boot = text(BOOT_BYTES_MAX)
const source = struct<Source>({ channel: text(CHANNEL_BYTES_MAX), author: node, boot })
const interval = struct<Interval>({ attribute: text(1 + ATTRIBUTE_BYTES_MAX), from: finite, to: finite })
const claim = struct<Claim>({
  member: node,
  number: uint(),
  boxes: list(list(interval, ATTRIBUTES_A_BOX), BOXES_MAX),
  signature: bytes(SIGNATURE_BYTES_MAX),
})
const given = struct<Given>({ claim, age: uint(AGE_SAID_MAX) })

/** The words, as bytes. */
export const interestVocabulary: Codec<InterestMessage> = variants<InterestMessage>({
  exchange: { own: claim, given: list(given, GIVEN_MAX + RANDOM_GIVEN), asks: bool },
  event: { source, item: itemCodec, hops: uint(HOPS_MAX) },
  got: { author: node, boot, counter: uint() },
})

/** What the owner of a claim signs. */
export function claimWords(group: string, { member, number, boxes }: Omit<Claim, 'signature'>): Uint8Array {
  const said = boxes.flatMap(box => [
    box.length,
    ...box.flatMap(({ attribute, from, to }) => [attribute, `${from}`, `${to}`]),
  ])
  return framed('coterie/events/interest', group, member, number, ...said)
}
