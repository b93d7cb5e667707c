// LECTURE, "Mutual exclusion: Token ring algorithm": who has the token may enter.
//
// Guarantees exclusion, and entry within one lap: nobody waits for more than N-1 others. One message an entry when
// everybody wants in; without bound when nobody does, for the token goes round all the same.
// Faults: a crash of the member that has the token loses it, and a crash of anybody else loses it when it gets there.
// Nothing tells a lost token from one that is long inside, so nothing here makes a new one.
//
// Each hop has a number: a second copy of a token that was passed on would be a second token.

import { type Codec, type Millis, type NodeId, uint, variants } from '../../core/index.ts'
import {
  COUNT_MAX,
  enter,
  type MutexAlgorithm,
  type MutexState,
  type MutexTurn,
  mutexAlgorithm,
  send,
} from './mutex.ts'

export type TokenRingMessage = { kind: 'token'; hop: number }

const vocabulary: Codec<TokenRingMessage> = variants<TokenRingMessage>({ token: { hop: uint(COUNT_MAX) } })

export interface TokenRingState extends MutexState {
  /** The token is here. Exactly one member has it, or it is under way, or it is lost. */
  hasToken: boolean
  /** The number of the last hop that was seen here; those that come grow. */
  hop: number
}

/** How fast the token goes round. */
export interface TokenRingSettings {
  /** How long a member that wants nothing keeps the token. An idle ring is then quieter, and an entry slower. */
  readonly restMs: Millis
}

type TokenRingTurn = MutexTurn<TokenRingMessage>

/** One token goes round; the member that has it may enter. */
export function tokenRing(
  settings: TokenRingSettings = { restMs: 0 },
): MutexAlgorithm<TokenRingState, TokenRingMessage> {
  return mutexAlgorithm<TokenRingState, TokenRingMessage>(
    {
      name: 'token-ring',
      init: base => ({ ...base, hasToken: false, hop: -1 }),
      begin(state, turn) {
        if (state.members[0] === state.self) onToken(state, 0, settings, turn)
      },
      ask(state, turn) {
        if (!state.hasToken) return
        turn.do({ kind: 'cancel', name: 'rest' })
        enter(state, turn)
      },
      giveBack: pass,
      message(state, from, body, turn) {
        if (from === neighbour(state, -1) && body.hop > state.hop) onToken(state, body.hop, settings, turn)
      },
      timer(state, name, turn) {
        if (name === 'rest' && state.hasToken && state.phase === 'outside') pass(state, turn)
      },
    },
    vocabulary,
  )
}

function onToken(state: TokenRingState, hop: number, settings: TokenRingSettings, turn: TokenRingTurn): void {
  state.hasToken = true
  state.hop = hop
  if (state.phase === 'waiting') return enter(state, turn)
  // Alone, there is nobody to pass it to; a timer would only turn in place.
  if (state.members.length < 2) return
  if (settings.restMs > 0) turn.do({ kind: 'timer', name: 'rest', after: settings.restMs })
  else pass(state, turn)
}

function pass(state: TokenRingState, turn: TokenRingTurn): void {
  const next = neighbour(state, 1)
  if (next === undefined || next === state.self) return
  state.hasToken = false
  send(next, { kind: 'token', hop: state.hop + 1 }, turn)
}

function neighbour(state: TokenRingState, step: 1 | -1): NodeId | undefined {
  const { members, self } = state
  const place = members.indexOf(self)
  return place < 0 ? undefined : members.at((place + step) % members.length)
}
