// LECTURE, "Election by bullying" (Garcia-Molina): ask everybody above; one that hears nothing has won.
//
// Guarantees that the highest member that is up leads, once messages arrive within half the time-out. From n in the
// best case (the next below the crashed one notices) to n(n-1) messages in the worst (the lowest notices, or all do).
// Faults: crashes at any time. Not late messages: one that answers after the time-out is taken for dead, and then two
// may lead until the higher one hears of the lower and bullies it.
//
// The lecture's three steps leave open what a member does that was answered and then hears nothing: its better has
// crashed in between, so it starts again.

import { type Codec, type Millis, variants } from '../../core/index.ts'
import {
  broadcast,
  type ElectionAlgorithm,
  type ElectionState,
  type ElectionTurn,
  electionAlgorithm,
  send,
  settle,
  TIMEOUT_MS,
} from './election.ts'

export type BullyMessage = { kind: 'election' } | { kind: 'ok' } | { kind: 'coordinator' }

const vocabulary: Codec<BullyMessage> = variants<BullyMessage>({ election: {}, ok: {}, coordinator: {} })

export interface BullyState extends ElectionState {
  /** Asking: those above were asked. Waiting: one of them answered, and takes over. */
  phase: 'idle' | 'asking' | 'waiting'
}

export interface BullySettings {
  readonly timeoutMs: Millis
}

/** The better one asks in turn (one time-out), and its word must arrive: three are enough. */
const PATIENCE = 3

type BullyTurn = ElectionTurn<BullyMessage>

/** Garcia-Molina's bully: the largest place that is up leads. */
export function bully(
  settings: BullySettings = { timeoutMs: TIMEOUT_MS },
): ElectionAlgorithm<BullyState, BullyMessage> {
  return electionAlgorithm<BullyState, BullyMessage>(
    {
      name: 'bully',
      init: base => ({ ...base, phase: 'idle' }),
      elect(state, turn) {
        if (state.phase === 'idle') hold(state, settings, turn)
      },
      message: (state, from, body, turn) => message(state, from, body, settings, turn),
      timer(state, _name, turn) {
        if (state.phase === 'asking') win(state, turn)
        else if (state.phase === 'waiting') hold(state, settings, turn)
      },
    },
    vocabulary,
  )
}

function hold(state: BullyState, settings: BullySettings, turn: BullyTurn): void {
  state.leader = undefined
  state.phase = 'asking'
  if (state.place === state.members.length - 1) return win(state, turn)
  for (let place = state.place + 1; place < state.members.length; place++) {
    send(state, place, { kind: 'election' }, turn)
  }
  turn.do({ kind: 'timer', name: 'silence', after: settings.timeoutMs })
}

function win(state: BullyState, turn: BullyTurn): void {
  finish(state, state.place, turn)
  broadcast(state, { kind: 'coordinator' }, turn)
}

function finish(state: BullyState, leader: number, turn: BullyTurn): void {
  state.phase = 'idle'
  turn.do({ kind: 'cancel', name: 'silence' })
  settle(state, leader, state.round + 1, turn)
}

function message(state: BullyState, from: number, body: BullyMessage, settings: BullySettings, turn: BullyTurn): void {
  const above = from > state.place
  switch (body.kind) {
    case 'election':
      if (above) return
      send(state, from, { kind: 'ok' }, turn)
      return state.phase === 'idle' ? hold(state, settings, turn) : undefined
    case 'ok':
      if (!above || state.phase !== 'asking') return
      state.phase = 'waiting'
      return turn.do({ kind: 'timer', name: 'silence', after: PATIENCE * settings.timeoutMs })
    case 'coordinator':
      if (above) return finish(state, from, turn)
      // Somebody below believes that we are down. One that is asking already will tell it soon enough.
      return state.phase === 'idle' ? hold(state, settings, turn) : undefined
  }
}
