// The trusted third party (OMA §5.5, appendix A): members ask it, it assigns a free slot at random or keeps them
// waiting, and tells nobody else. Against n - 2 colluders it is as good as anything can be; that is what the levels
// of slots are measured against. Against n - 1 it is not, if messages are bounded in time: they ask for everything at
// once, and what does not come within two messages and its own time is held by the one that is left (lemma 8). For
// the lab only.

import { type Codec, type NodeId, type Protocol, uint, variants } from '../../core/index.ts'
import type { BaselineCommand, BaselineEvent } from './words.ts'

export type PartyMessage =
  | { kind: 'request'; id: number }
  | { kind: 'release'; id: number }
  | { kind: 'grant'; id: number; slot: number }

/** The messages to and from the third party. */
export const partyVocabulary: Codec<PartyMessage> = variants<PartyMessage>({
  request: { id: uint() },
  release: { id: uint() },
  grant: { id: uint(), slot: uint() },
})

interface PartyState {
  free: number[]
  readonly waiting: { readonly member: NodeId; readonly id: number }[]
  readonly held: Map<string, number>
}

export type ThirdParty = Protocol<PartyState, PartyMessage, never, BaselineEvent>

/** `atOnce` (w): how many slots are out at any time, at most. */
export function thirdParty(slots: number, atOnce = slots): ThirdParty {
  const key = (member: NodeId, id: number) => `${member} ${id}`
  return {
    name: 'trusted third party',
    init: () => ({ free: Array.from({ length: slots }, (_, slot) => slot), waiting: [], held: new Map() }),
    step(state, input, turn) {
      if (input.kind !== 'message') return
      const { from, body } = input
      if (body.kind === 'request') state.waiting.push({ member: from, id: body.id })
      if (body.kind === 'release') {
        const slot = state.held.get(key(from, body.id))
        if (slot !== undefined && state.held.delete(key(from, body.id))) state.free.push(slot)
      }
      while (state.waiting.length > 0 && state.free.length > 0 && state.held.size < atOnce) {
        const { member, id } = state.waiting.shift()!
        const [slot] = state.free.splice(turn.below(state.free.length), 1)
        state.held.set(key(member, id), slot!)
        turn.do({ kind: 'send', to: member, body: { kind: 'grant', id, slot: slot! } })
      }
    },
  }
}

export type PartyMember = Protocol<{ party: NodeId }, PartyMessage, BaselineCommand, BaselineEvent>

/** `peers` is the third party. */
export function partyMember(): PartyMember {
  return {
    name: 'member with a third party',
    init: (_self, peers) => ({ party: peers[0]! }),
    step(state, input, turn) {
      if (input.kind === 'command') turn.do({ kind: 'send', to: state.party, body: input.body })
      if (input.kind !== 'message' || input.body.kind !== 'grant' || input.from !== state.party) return
      const { id, slot } = input.body
      turn.do({ kind: 'emit', event: { kind: 'granted', id, slot } })
    },
  }
}
