// A client that means no good: it asks the servers what is held, and renews every lease in its holder's name (`keep`),
// under a certificate of its own. Nobody becomes a second holder by that; but the lock of a holder that died would
// never come free again. The rule `mayKeep` stands against it.

import { type Millis, type Protocol, timers } from '../../core/index.ts'
import { type LockMessage, TTL_MAX } from '../wire.ts'

interface StrangerState {
  readonly servers: readonly string[]
  questions: number
}

/** Several times in the shortest lease of the scenario. */
const LOOK_EVERY: Millis = 30

const strangerTimers = timers('look')

export function strangerClient(): Protocol<StrangerState, LockMessage, never, never> {
  return {
    name: 'lock client, a stranger who keeps',
    init: (_self, servers) => ({ servers, questions: 0 }),
    step(state, input, turn) {
      if (input.kind === 'start') return strangerTimers.set(turn, 'look', LOOK_EVERY)
      if (input.kind === 'timer') {
        const body = { kind: 'inspect', query: ++state.questions } as const
        for (const to of state.servers) turn.do({ kind: 'send', to, body })
        return strangerTimers.set(turn, 'look', LOOK_EVERY)
      }
      if (input.kind !== 'message' || input.body.kind !== 'inspected') return
      for (const { name, token, holder } of input.body.leases) {
        const body = { kind: 'keep', name, attempt: state.questions, token, ttl: TTL_MAX, holder } as const
        turn.do({ kind: 'send', to: input.from, body })
      }
    },
  }
}
