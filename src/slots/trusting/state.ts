// What a member at levels `curious` and `strong` remembers: what one at `verified` does about epochs, requests and its
// seat, and the ring of the present epoch. Everything in the ring is secret or worth nothing; none of it is saved.

import { assert, type Millis, type Scene, timers } from '../../core/index.ts'
import { checkRingState, type RingMember, type RingSettings, type RingState } from '../ring/index.ts'
import type { SlotsSettings } from '../settings.ts'
import { checkMember } from '../verified/invariants.ts'
import type { EpochRecord } from '../verified/record.ts'
import type { MemberState, Round, SlotsEvent, SlotsMeans, SlotsScene } from '../verified/state.ts'
import type { TrustingRules } from './rules.ts'
import type { TrustingMessage } from './wire.ts'

/** What a member at level `curious` or `strong` remembers. */
export interface TrustingState extends MemberState {
  ring: HostedRing | undefined
}

/** A ring inside an epoch, and what we know of the others in it. */
export interface HostedRing {
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

/** What a machine is made with and never changes. */
export interface TrustingMeans extends SlotsMeans {
  readonly trusting: TrustingRules
  /** The machine of a ring with as many members as the record has, and its numbers. */
  ringOf(record: EpochRecord): { readonly machine: RingMember; readonly settings: RingSettings }
}

export interface TrustingScene
  extends TrustingMeans,
    Scene<TrustingState, SlotsSettings, TrustingMessage, SlotsEvent> {}

/** Those of the epochs, and those of the ring, which are about the number of its epoch. */
export const trustingTimers = timers('beat', 'lease', 'lap', 'pace', 'round', 'resend')
export type TrustingTimer = ReturnType<typeof trustingTimers.due>['kind']

/** The same scene as `verified` sees it: what is said there is about epochs. */
export function aboutEpochs(scene: TrustingScene): SlotsScene {
  const { turn } = scene
  return {
    ...scene,
    turn: {
      now: turn.now,
      below: bound => turn.below(bound),
      bytes: length => turn.bytes(length),
      do(effect) {
        if (effect.kind === 'send') turn.do({ ...effect, body: { kind: 'about', said: effect.body } })
        else turn.do(effect)
      },
    },
  }
}

/** What holds between messages, whatever came. */
export function checkTrustingState(state: TrustingState): void {
  checkMember(state)
  const { ring, epoch } = state
  if (ring === undefined) return
  assert(ring.number <= epoch.record.number, 'a ring of an epoch to come')
  assert(ring.heard.length === ring.state.ring.length, 'each member of the ring is watched')
  assert(ring.promised === undefined || ring.state.round.opened !== undefined, 'a slot is promised by a closed ticket')
  assert(ring.state.waiting.length <= 1, 'a ring is asked for more than one slot')
  checkRingState(ring.state)
  // A ring of an epoch that is over is given up with the next word.
  if (ring.number !== epoch.record.number) return
  assert(ring.state.position === epoch.position, 'our place in the ring is not that in the epoch')
  assert(epoch.rounds.get(ring.round.number) === ring.round, 'the round that is shown is not the one of the ring')
}
