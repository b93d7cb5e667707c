// The printed lock's server (BACKOFF §4, figure 1b): says FREE to one client in any Δ + 2δ, LOCKED to the others.
// It remembers a time, not a client, and forgets it in a crash: after a restart it acts as if it had just said FREE.

import type { Millis, Protocol, Saved } from '../../core/index.ts'
import type { PrintedMessage, PrintedSettings } from './wire.ts'

interface PrintedServerState {
  readonly restarted: boolean
  lastGranted: Millis
}

/** The server's half of the printed lock. */
export type PrintedServer = Protocol<PrintedServerState, PrintedMessage, never, never>

/** Left on disk by the first start: a server that finds it may have said FREE in a life it has forgotten. */
const HAS_RUN = new Uint8Array([1])

/** Figure 1b: try. */
export function printedServer(settings: PrintedSettings): PrintedServer {
  return {
    name: 'printed lock server',
    init: (_self, _peers, saved: Saved) => ({
      restarted: (saved.get('') ?? []).length > 0,
      lastGranted: Number.NEGATIVE_INFINITY,
    }),
    step(state, input, turn) {
      if (input.kind === 'start') {
        if (state.restarted) state.lastGranted = turn.now
        else turn.do({ kind: 'save', record: HAS_RUN })
      }
      if (input.kind !== 'message' || input.body.kind !== 'try') return
      const locked = turn.now - state.lastGranted <= settings.hold + 2 * settings.delayMax
      if (!locked) state.lastGranted = turn.now
      turn.do({ kind: 'send', to: input.from, body: { kind: 'status', attempt: input.body.attempt, locked } })
    },
  }
}
