// The trivial circulating token (OMA §5.1, trivial-A): one token for each slot goes round the ring; a member that
// wants a slot keeps the next token that comes by, and passes it on when it is done. It notifies nobody, and yet everybody
// around it can tell: a token that took longer than two messages may take was kept (lemma 2), and it names its slot
// (lemma 3). For the lab only, where that is shown.

import { type Codec, type NodeId, type Protocol, uint, variants } from '../../core/index.ts'
import type { BaselineCommand, BaselineEvent } from './words.ts'

/** The token of one slot. */
export type TokenMessage = { kind: 'token'; slot: number }

/** The one message of the trivial token on the wire. */
export const tokenVocabulary: Codec<TokenMessage> = variants<TokenMessage>({ token: { slot: uint() } })

interface TokenState {
  readonly ring: readonly NodeId[]
  readonly position: number
  waiting: number[]
  /** At most one: a second token goes on at once. */
  seat: { readonly id: number; readonly slot: number } | undefined
}

export type TrivialToken = Protocol<TokenState, TokenMessage, BaselineCommand, BaselineEvent>

/**
 * `peers` is the whole ring. The first member begins with all tokens. Channels are reliable, nobody crashes (OMA
 * §3).
 */
export function trivialToken(slots: number): TrivialToken {
  return {
    name: 'trivial token',
    init: (self, ring) => ({ ring, position: ring.indexOf(self), waiting: [], seat: undefined }),
    step(state, input, turn) {
      const pass = (slot: number) => {
        const to = state.ring[(state.position + 1) % state.ring.length]!
        turn.do({ kind: 'send', to, body: { kind: 'token', slot } })
      }
      if (input.kind === 'start' && state.position === 0) {
        for (let slot = 0; slot < slots; slot++) pass(slot)
      } else if (input.kind === 'message') {
        const { slot } = input.body
        const id = state.seat === undefined ? state.waiting.shift() : undefined
        if (id === undefined) return pass(slot)
        state.seat = { id, slot }
        turn.do({ kind: 'emit', event: { kind: 'granted', id, slot } })
      } else if (input.kind === 'command') {
        const { kind, id } = input.body
        if (kind === 'request') state.waiting.push(id)
        if (kind !== 'release') return
        state.waiting = state.waiting.filter(one => one !== id)
        if (state.seat?.id !== id) return
        pass(state.seat.slot)
        state.seat = undefined
      }
    },
  }
}

/** Lemma 2: what the neighbours of a member see of one passage, in milliseconds of their own agreed clock. */
export interface Passage {
  readonly slot: number
  readonly sentAt: number
  readonly cameAt: number
}

/** Longer than two messages may take: it was kept. */
export function wasKept({ sentAt, cameAt }: Passage, delayMax: number): boolean {
  return cameAt - sentAt > 2 * delayMax
}
