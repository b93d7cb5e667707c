// The ring (../ring) inside an epoch of `verified`: the epoch gives it members and keys and says when it may deal; it
// gives back slots, and each is held under a lease.
//
// Why two never hold one slot. Within an epoch: the next round begins when a whole lap of the release token found
// everybody free, and nobody passes that token on before its ticket is open. Between epochs: a ticket opens with the
// shares of all others, and a coordinator that took its own believes in it when the token came back from all others. Each
// of them did its part before it signed a successor, and deals nothing for lease × (1 + drift) after that; the holder
// counts lease × (1 - drift) from before it asked.

import { newRing, type RingTimer, type RingTurn, ringRules, ringTimers } from '../ring/index.ts'
import { dealsFrom } from '../verified/dealing.ts'
import { slotsDealt } from '../verified/record.ts'
import { roundFor } from '../verified/rounds.ts'
import { takeSeat } from '../verified/seats.ts'
import { type Epoch, NEVER, type Round } from '../verified/state.ts'
import { aboutEpochs, type HostedRing, type TrustingScene, type TrustingState, trustingTimers } from './state.ts'
import type { RingWord } from './wire.ts'

/** The ring of the present epoch, if we may deal in it now. */
export function ringNow(scene: TrustingScene): HostedRing | undefined {
  const { state, turn } = scene
  const { epoch } = state
  if (state.ring?.number !== epoch.record.number) state.ring = undefined
  if (!epoch.live || epoch.secret === undefined) return undefined
  // A member that signed a successor counts the old leases from then on: a ticket that it helps to open later, or before
  // that wait is over, would outlive it.
  if (epoch.closed || turn.now < epoch.quietUntil) return undefined
  if (state.ring === undefined) {
    state.ring = hostRing(scene)
    const { patience } = scene.ringOf(epoch.record).settings
    trustingTimers.set(turn, 'resend', patience, timerAbout(state.ring))
  }
  return state.ring
}

function hostRing(scene: TrustingScene): HostedRing {
  const { self, epoch } = scene.state
  const ring = epoch.record.members.map(({ name }) => name)
  const begins = dealsFrom(aboutEpochs(scene))
  const keys = epoch.keys.map(({ publicKey }) => publicKey)
  return {
    number: epoch.record.number,
    state: newRing({ self, ring, position: epoch.position, out: false, secret: epoch.secret, keys }),
    round: showRound(epoch, 0),
    promised: undefined,
    heard: ring.map(() => ({ round: 0, stage: 0, at: begins })),
    movedAt: begins,
    pulseAt: NEVER,
  }
}

/** Rounds of the ring count from 0, those that are shown from 1. The ones before are over. */
function showRound(epoch: Epoch, number: number): Round {
  epoch.rounds.clear()
  epoch.next = number + 1
  const round = roundFor(epoch, number + 1)!
  round.slots = Array.from({ length: slotsDealt(epoch.record) }, (_, slot) => slot)
  return round
}

function timerAbout({ number }: HostedRing): string {
  return `${number}`
}

/** A timer of the ring; those of an earlier epoch's mean nothing any more. */
export function onRingTimer(scene: TrustingScene, kind: RingTimer, about: string): void {
  const ring = ringNow(scene)
  if (ring === undefined || about !== timerAbout(ring)) return
  stepRing(scene, ring, { kind: 'timer', name: ringTimers.name(kind) })
}

/** On the beat: the first round of an epoch begins when everybody may deal. */
export function beginRing(scene: TrustingScene, ring: HostedRing): void {
  const { number, passed } = ring.state.round
  if (number > 0 || passed || scene.turn.now < dealsFrom(aboutEpochs(scene))) return
  stepRing(scene, ring, { kind: 'timer', name: ringTimers.name('round') })
}

type RingInput =
  | { readonly kind: 'message'; readonly from: string; readonly body: RingWord }
  | { readonly kind: 'timer'; readonly name: string }

/** One step of the ring, and what follows from it for our seat. */
export function stepRing(scene: TrustingScene, ring: HostedRing, input: RingInput): void {
  const { state, turn } = scene
  const inner = ring.state
  const held = isHeld(state, ring)
  // A seat of an earlier epoch is a seat: nobody has two.
  inner.waiting = state.seat === undefined && !held ? state.waiting.slice(0, 1) : []
  inner.seat = held ? { id: 0, ticket: 0 } : undefined
  scene.ringOf(state.epoch.record).machine.step(inner, input, ringTurn(scene, ring))
  const { round } = inner
  // Before anybody can have helped to open it.
  if (ring.round.sealedAt === NEVER && (round.ticket ?? round.opened) !== undefined) ring.round.sealedAt = turn.now
  believe(scene, ring)
  show(ring)
}

/** Whether what this round gave us is in use, or may be in a moment. */
function isHeld({ seat }: TrustingState, ring: HostedRing): boolean {
  return ring.promised !== undefined || (seat?.epoch === ring.number && seat.round === ring.round.number)
}

function believe(scene: TrustingScene, ring: HostedRing): void {
  const { position, round, ring: members } = ring.state
  const coordinates = ringRules.coordinator(round.number, members.length) === position
  if (ring.promised === undefined || !scene.trusting.mayBelieve(coordinates, round.lap)) return
  const slot = ring.promised
  ring.promised = undefined
  takeSeat(aboutEpochs(scene), ring.round, slot)
}

function show({ state: { round }, round: shown }: HostedRing): void {
  shown.phase = round.opened !== undefined ? 'open' : round.passed ? 'sharing' : 'lap'
  shown.check = round.lap
}

/** The turn as the ring sees it: its words go out under the epoch, its timers are about it, its events stay here. */
function ringTurn({ state, turn }: TrustingScene, ring: HostedRing): RingTurn {
  return {
    now: turn.now,
    below: bound => turn.below(bound),
    bytes: length => turn.bytes(length),
    do(effect) {
      if (effect.kind === 'send' && effect.body.kind !== 'key') {
        turn.do({ ...effect, body: { kind: 'ring', epoch: state.epoch.hash, word: effect.body } })
      } else if (effect.kind === 'timer') {
        const { kind } = ringTimers.due(effect.name)
        turn.do({ ...effect, name: trustingTimers.name(kind, timerAbout(ring)) })
      } else if (effect.kind === 'emit' && effect.event.kind === 'granted') {
        ring.promised = effect.event.slot
      } else if (effect.kind === 'emit' && effect.event.kind === 'round') {
        ring.promised = undefined
        ring.round = showRound(state.epoch, effect.event.round)
      }
    },
  }
}
