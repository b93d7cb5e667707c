// The words of the gossip services on the wire, with their limits. Append only.

import { type Codec, list, type NodeId, struct, text, uint, variants } from '../../core/index.ts'
import { MEMBER_BYTES_MAX } from '../claims.ts'
import type { Reference } from './cyclon.ts'
import type { Placed } from './torus.ts'

/** c: references in a view. */
export const VIEW_MAX = 128
const AGE_MAX = 2 ** 16
export const GRID_MAX = 2 ** 16

/** What members say to each other for peer sampling. */
export type SamplingMessage =
  /** References, for references: an exchange of Cyclon. */
  | { kind: 'shuffle'; exchange: number; references: readonly Reference[] }
  | { kind: 'shuffled'; exchange: number; references: readonly Reference[] }
  /** Brahms: here I am; whom do you know; these. */
  | { kind: 'push' }
  | { kind: 'pull'; exchange: number }
  | { kind: 'pulled'; exchange: number; members: readonly NodeId[] }
  /** T-Man: those I know that are nearest to you. */
  | { kind: 'near'; exchange: number; own: Placed; known: readonly Placed[] }
  | { kind: 'nearer'; exchange: number; known: readonly Placed[] }

const member = text(MEMBER_BYTES_MAX)
const exchange = uint(2 ** 32)
const references = list(struct<Reference>({ id: member, age: uint(AGE_MAX) }), VIEW_MAX)
const placed = struct<Placed>({ id: member, x: uint(GRID_MAX), y: uint(GRID_MAX) })
const known = list(placed, VIEW_MAX)

/** The messages of peer sampling on the wire. */
export const samplingVocabulary: Codec<SamplingMessage> = variants<SamplingMessage>({
  shuffle: { exchange, references },
  shuffled: { exchange, references },
  push: {},
  pull: { exchange },
  pulled: { exchange, members: list(member, VIEW_MAX) },
  near: { exchange, own: placed, known },
  nearer: { exchange, known },
})

/** Ages are only compared: beyond the wire's limit all are old. */
export function sendable(view: readonly Reference[]): Reference[] {
  return view.map(({ id, age }) => ({ id, age: Math.min(age, AGE_MAX) }))
}
