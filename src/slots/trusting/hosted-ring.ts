// The printed ring (../printed) inside an epoch of `verified`: the epoch gives it members and keys and says when it may
// deal; it gives back slots, and each is held under a lease.
//
// Why two never hold one slot. Within an epoch: the next round begins when a whole lap of the release token found
// everybody free, and nobody passes that token on before its ticket is open. Between epochs: a ticket opens with the
// shares of all others, and a coordinator that took its own believes in it when the token came back from all others. Each
// of them did its part before it signed a successor, and deals nothing for lease × (1 + drift) after that; the holder
// counts lease × (1 - drift) from before it asked.

import { ringRules } from '../ring/rules.ts'
import { newRound, ringTimers } from '../ring/state.ts'
import { quietFor } from '../verified/epoch.ts'
import { roundFor } from '../verified/rounds.ts'
import { takeSeat } from '../verified/seats.ts'
import { type Epoch, NEVER, type Round, type SlotsTurn } from '../verified/state.ts'
import type { Ring, RingTurn, TrustingState, TrustingSurroundings, TrustingTurn } from './state.ts'
import type { RingWord } from './wire.ts'

const RING_TIMER = 'ring'
const RESEND_TIMER = 'resend'

/** The same turn for the machine of the epochs: what it says is wrapped. */
export function aboutTurn(turn: TrustingTurn): SlotsTurn {
  return {
    now: turn.now,
    below: bound => turn.below(bound),
    bytes: length => turn.bytes(length),
    do(effect) {
      if (effect.kind === 'send') turn.do({ ...effect, body: { kind: 'about', said: effect.body } })
      else turn.do(effect)
    },
  }
}

/** By then everybody's own wait is over. Before the first epoch there was nothing to wait for. */
function dealsFrom(around: TrustingSurroundings, epoch: Epoch): number {
  return epoch.record.number === 0 ? epoch.liveAt : epoch.liveAt + quietFor(around, epoch.record)
}

/** The ring of the present epoch, if we may deal in it now. */
export function ringNow(
  around: TrustingSurroundings,
  state: TrustingState,
  turn: Pick<TrustingTurn, 'now' | 'do'>,
): Ring | undefined {
  const { epoch } = state
  if (state.ring?.number !== epoch.record.number) state.ring = undefined
  if (!epoch.live || epoch.secret === undefined) return undefined
  // Whoever signed a successor counts the old leases from then on: a ticket that it helps to open later, or before that
  // wait is over, would outlive it.
  if (epoch.closed || turn.now < epoch.quietUntil) return undefined
  if (state.ring === undefined) {
    state.ring = newRing(around, state)
    const { patience } = around.ringOf(epoch.record).settings
    turn.do({ kind: 'timer', name: timerName(state.ring, RESEND_TIMER), after: patience })
  }
  return state.ring
}

function newRing(around: TrustingSurroundings, { self, epoch }: TrustingState): Ring {
  const members = epoch.record.members.map(({ name }) => name)
  const begins = dealsFrom(around, epoch)
  return {
    number: epoch.record.number,
    state: {
      self,
      ring: members,
      position: epoch.position,
      out: false,
      secret: epoch.secret,
      keys: epoch.keys.map(({ publicKey }) => publicKey),
      waiting: [],
      seat: undefined,
      round: newRound(0, members.length),
      early: new Map(),
    },
    round: showRound(epoch, 0),
    promised: undefined,
    heard: members.map(() => ({ round: 0, stage: 0, at: begins })),
    movedAt: begins,
    pulseAt: NEVER,
  }
}

/** Slots that the ring deals: one ticket for each member, so no more than those. */
export function slotsDealt({ record }: Pick<Epoch, 'record'>): number {
  return Math.min(record.slots.length, record.members.length)
}

/** Rounds of the ring count from 0, those that are shown from 1. The ones before are over. */
function showRound(epoch: Epoch, number: number): Round {
  epoch.rounds.clear()
  epoch.next = number + 1
  const round = roundFor(epoch, number + 1)!
  round.slots = Array.from({ length: slotsDealt(epoch) }, (_, slot) => slot)
  return round
}

function timerName({ number }: Ring, name: string): string {
  return `${RING_TIMER} ${number} ${name}`
}

/** A timer of the ring, or nothing: those of an earlier epoch's mean nothing any more. */
export function ringTimer(ring: Ring | undefined, timer: string): string | undefined {
  const [kind, number, name] = timer.split(' ')
  return kind === RING_TIMER && ring !== undefined && Number(number) === ring.number ? name : undefined
}

export function isRingTimer(timer: string): boolean {
  return timer.startsWith(`${RING_TIMER} `)
}

/** The first round of an epoch begins when everybody may deal. */
export function beginRing(around: TrustingSurroundings, state: TrustingState, ring: Ring, turn: TrustingTurn): void {
  const { number, passed } = ring.state.round
  if (number > 0 || passed || turn.now < dealsFrom(around, state.epoch)) return
  stepRing(around, state, ring, { kind: 'timer', name: ringTimers.name('round') }, turn)
}

type RingInput =
  | { readonly kind: 'message'; readonly from: string; readonly body: RingWord }
  | { readonly kind: 'timer'; readonly name: string }

export function stepRing(
  around: TrustingSurroundings,
  state: TrustingState,
  ring: Ring,
  input: RingInput,
  turn: TrustingTurn,
): void {
  const inner = ring.state
  const held = isHeld(state, ring)
  // A seat of an earlier epoch is a seat: nobody has two.
  inner.waiting = state.seat === undefined && !held ? state.waiting.slice(0, 1) : []
  inner.seat = held ? { id: 0, ticket: 0 } : undefined
  around.ringOf(state.epoch.record).machine.step(inner, input, innerTurn(state, ring, turn))
  const { round } = inner
  // Before anybody can have helped to open it.
  if (ring.round.sealedAt === NEVER && (round.ticket ?? round.opened) !== undefined) ring.round.sealedAt = turn.now
  believe(around, state, ring, turn)
  show(ring)
}

/** Whether what this round gave us is in use, or may be in a moment. */
function isHeld({ seat }: TrustingState, ring: Ring): boolean {
  return ring.promised !== undefined || (seat?.epoch === ring.number && seat.round === ring.round.number)
}

function believe(around: TrustingSurroundings, state: TrustingState, ring: Ring, turn: TrustingTurn): void {
  const { position, round, ring: members } = ring.state
  const coordinates = ringRules.coordinator(round.number, members.length) === position
  if (ring.promised === undefined || !around.trusting.mayBelieve(coordinates, round.lap)) return
  const slot = ring.promised
  ring.promised = undefined
  takeSeat(around, state, ring.round, slot, aboutTurn(turn))
}

function show({ state: { round }, round: shown }: Ring): void {
  shown.phase = round.opened !== undefined ? 'open' : round.passed ? 'sharing' : 'lap'
  shown.check = round.lap
}

function innerTurn(state: TrustingState, ring: Ring, turn: TrustingTurn): RingTurn {
  return {
    now: turn.now,
    below: bound => turn.below(bound),
    bytes: length => turn.bytes(length),
    do(effect) {
      if (effect.kind === 'send' && effect.body.kind !== 'key') {
        turn.do({ ...effect, body: { kind: 'ring', epoch: state.epoch.hash, word: effect.body } })
      } else if (effect.kind === 'timer') {
        turn.do({ ...effect, name: timerName(ring, effect.name) })
      } else if (effect.kind === 'emit' && effect.event.kind === 'granted') {
        ring.promised = effect.event.slot
      } else if (effect.kind === 'emit' && effect.event.kind === 'round') {
        ring.promised = undefined
        ring.round = showRound(state.epoch, effect.event.round)
      }
    },
  }
}
