// The printed lock's server (BACKOFF §4, figure 1b): says FREE to one client in any Δ + 2δ, LOCKED to the others.
// It remembers a time, not a client, and forgets it in a crash: after a restart it acts as if it had just said FREE.
//
// §5 adds two things that the settings ask for. With a delayed reply list, who asks while the server is locked is
// answered when it is free again: FREE to the client with the lowest id, LOCKED to the others. And a client may name its
// own Δ: the server is locked for that.

import { type Millis, type NodeId, type Protocol, type Saved, type Scene, timers } from '../../core/index.ts'
import type { PrintedMessage, PrintedSettings } from './wire.ts'

interface PrintedServerState {
  readonly restarted: boolean
  lastGranted: Millis
  /** Δ of the client that was last told FREE. */
  granted: Millis
  /** The delayed reply list: who waits, and with which attempt. */
  readonly delayed: Map<NodeId, Waiting>
}

interface Waiting {
  readonly attempt: number
  readonly hold: Millis
}

type ServerScene = Scene<PrintedServerState, PrintedSettings, PrintedMessage, never>

/** A bound on the delayed list: more clients than any run of the lab has. */
const DELAYED_MAX = 1_024
const serverTimers = timers('free')

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
      granted: settings.hold,
      delayed: new Map(),
    }),
    step(state, input, turn) {
      const scene: ServerScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          if (state.restarted) return grantedAt(scene, turn.now, settings.hold)
          return turn.do({ kind: 'save', record: HAS_RUN })
        case 'message':
          if (input.body.kind === 'status') return
          return onTry(scene, input.from, input.body)
        case 'timer':
          return onFree(scene)
        case 'command':
        case 'stop':
          return
      }
    },
  }
}

/** Until when the server is locked: the client runs for Δ, and its answer took up to 2δ. */
const lockedUntil = ({ state, settings }: ServerScene) => state.lastGranted + state.granted + 2 * settings.delayMax

function grantedAt({ state }: ServerScene, now: Millis, hold: Millis): void {
  state.lastGranted = now
  state.granted = hold
}

function onTry(scene: ServerScene, from: NodeId, body: Exclude<PrintedMessage, { kind: 'status' }>): void {
  const { state, settings, turn } = scene
  const hold = body.kind === 'tryFor' ? body.hold : settings.hold
  const locked = turn.now <= lockedUntil(scene)
  if (locked && settings.delaysReplies !== undefined && state.delayed.size < DELAYED_MAX) {
    if (state.delayed.size === 0) serverTimers.set(turn, 'free', lockedUntil(scene) - turn.now + 1)
    state.delayed.set(from, { attempt: body.attempt, hold })
    return
  }
  if (!locked) grantedAt(scene, turn.now, hold)
  turn.do({ kind: 'send', to: from, body: { kind: 'status', attempt: body.attempt, locked } })
}

/** "It sends FREE to the client with the lowest ID and LOCKED to everyone else." */
function onFree(scene: ServerScene): void {
  const { state, turn } = scene
  if (turn.now <= lockedUntil(scene)) return serverTimers.set(turn, 'free', lockedUntil(scene) - turn.now + 1)
  const [lowest] = [...state.delayed.keys()].sort(byNumber)
  for (const [to, { attempt, hold }] of state.delayed) {
    if (to === lowest) grantedAt(scene, turn.now, hold)
    turn.do({ kind: 'send', to, body: { kind: 'status', attempt, locked: to !== lowest } })
  }
  state.delayed.clear()
}

/** client-2 before client-10. */
function byNumber(one: NodeId, other: NodeId): number {
  return one.length - other.length || (one < other ? -1 : 1)
}
