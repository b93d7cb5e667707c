// What a member at levels `curious` and `strong` remembers: what one at `verified` does about epochs, requests and its
// seat, and the ring of the present epoch. Everything in the ring is secret or worth nothing; none of it is saved.

import type { Millis, Turn } from '../../core/index.ts'
import type { RingEvent, RingMessage, RingSettings, RingState } from '../ring/index.ts'
import type { RingMember } from '../ring/machine.ts'
import type { EpochRecord } from '../verified/record.ts'
import type { MemberState, Round, SlotsEvent, Surroundings } from '../verified/state.ts'
import type { TrustingRules } from './rules.ts'
import type { TrustingMessage } from './wire.ts'

export interface TrustingState extends MemberState {
  ring: Ring | undefined
}

export interface Ring {
  /** Of the epoch that it belongs to. */
  readonly number: number
  readonly state: RingState
  /** The present round as status and seats see it; its `sealedAt` is what our lease counts from. */
  round: Round
  /** A slot in our ticket that nobody may believe in yet. Secret. */
  promised: number | undefined
  /** By position: how far each is, and when it was last heard. */
  readonly heard: Heard[]
  /** When anything last moved, as far as we know. */
  movedAt: Millis
  pulseAt: Millis
}

export interface Heard {
  round: number
  stage: number
  at: Millis
}

export type TrustingTurn = Turn<TrustingMessage, SlotsEvent>
export type RingTurn = Turn<RingMessage, RingEvent>

export interface TrustingSurroundings extends Surroundings {
  readonly trusting: TrustingRules
  /** The machine of a ring with so many members, and its numbers. */
  ringOf(record: EpochRecord): { readonly machine: RingMember; readonly settings: RingSettings }
}
