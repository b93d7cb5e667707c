// The repair of restarts that comes to mind (readings OMA 11): a process saves its key, and when it is back it runs Init
// as if it were the first time. Tokens have no numbers in the paper, so the others believe one that begins again. It
// brings back the member, but not what it knew: a slot that is held is dealt once more.

import { NOTHING_SAVED } from '../../core/index.ts'
import {
  allKeys,
  enterRound,
  isJustBefore,
  type RingMember,
  type RingMessage,
  type RingOptions,
  type RingState,
  ringMeans,
  ringMember,
} from '../../slots/ring/index.ts'

/** A member that comes back with its key and begins anew, and believes others that do. */
export function restartingMember(options: RingOptions): RingMember {
  const machine = ringMember(options)
  const means = ringMeans(options)
  return {
    ...machine,
    init(self, ring, saved) {
      const state = machine.init(self, ring, NOTHING_SAVED)
      state.secret = saved.get('')?.[0]
      return state
    },
    step(state, input, turn) {
      if (input.kind === 'message' && isEarlierToken(state, input.from, input.body)) {
        enterRound({ ...means, state, turn }, input.body.round)
      }
      machine.step(state, input, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do: effect => turn.do(effect.kind === 'save' ? { ...effect, record: state.secret! } : effect),
      })
    },
  }
}

function isEarlierToken(state: RingState, from: string, body: RingMessage): body is RingMessage & { kind: 'request' } {
  if (body.kind !== 'request' || allKeys(state) === undefined) return false
  return isJustBefore(state, state.ring.indexOf(from)) && body.round < state.round.number
}
