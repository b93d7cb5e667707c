// Clients that mean no good.
//
// The stranger asks the servers what is held, and renews every lease in its holder's name (`keep`),
// under a certificate of its own. Nobody becomes a second holder by that; but the lock of a holder that died would
// never come free again. The rule `mayKeep` stands against it.
//
// The spoiler asks for a lock under the largest token that there can be. Granted, no token could follow: of that name, and
// of all names once it is forgotten. The rule `tokenMax` stands against it.

import { type Millis, type Protocol, timers } from '../../core/index.ts'
import { type LockMessage, TOKEN_MAX, TTL_MAX } from '../wire.ts'

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

const SPOIL_EVERY: Millis = 500

export function spoilerClient(lock: string): Protocol<StrangerState, LockMessage, never, never> {
  return {
    name: 'lock client, a spoiler',
    init: (_self, servers) => ({ servers, questions: 0 }),
    step(state, input, turn) {
      if (input.kind !== 'start' && input.kind !== 'timer') return
      const asked = { name: lock, attempt: ++state.questions, token: TOKEN_MAX, ttl: 1 }
      for (const to of state.servers) {
        turn.do({ kind: 'send', to, body: { kind: 'try', ...asked } })
        turn.do({ kind: 'send', to, body: { kind: 'renew', ...asked } })
        turn.do({ kind: 'send', to, body: { kind: 'wait', ...asked, ticket: 0, ping: asked.attempt } })
      }
      strangerTimers.set(turn, 'look', SPOIL_EVERY)
    },
  }
}
