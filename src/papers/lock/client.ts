// The lock as printed (BACKOFF §4, figure 1), for the lab. The product's lock is src/lock.
//
// Guarantees (lemma 1): when a contend returns at T, no other returns in [T, T + Δ]. In synchronous runs only: every
// message arrives within δ and clocks run at the rate of true time. Late messages make two holders.
// Faults: b servers may do anything, f of them (liars included) may be gone, clients may crash.
// Servers: n ≥ 2f + 3b + 1, so that two quorums of q = n - f share 2b + 1 honest servers. Each client is refused by
// at most b of those, so one honest server has said FREE to both: too soon. With n = 5b it need not exist.
//
// Corrected, since as printed it does not work: statuses are reset for every attempt, answers to old attempts are
// ignored, lastGranted starts at minus infinity, and after a restart a server stays locked for the longest lease.
// There is no release: a client that entered runs for Δ.
//
// What §5 adds (disregarding late answers, another backoff, a Δ of the client's own) is there when the settings or the
// command ask for it.

import { type Millis, type NodeId, type Protocol, type Scene, timers } from '../../core/index.ts'
import { backoffStrategies } from '../../lock/backoff.ts'
import type { PrintedCommand, PrintedEvent, PrintedMessage, PrintedSettings } from './wire.ts'

interface PrintedClientState {
  readonly servers: readonly NodeId[]
  phase: 'idle' | 'trying' | 'backing off' | 'inside'
  id: number
  /** Grows with every attempt of this process: answers that name another one are old. */
  attempt: number
  /** s: failed attempts of this contend. */
  retries: number
  /** Who answered this attempt, whether it said LOCKED, and when its answer came. */
  readonly statuses: Map<NodeId, { readonly locked: boolean; readonly at: Millis }>
  /** When this attempt asked. */
  askedAt: Millis
  /** Δ that this contend named, or undefined: the one of the settings. */
  hold: Millis | undefined
  /** How long it slept last. */
  slept: Millis
}

type ClientScene = Scene<PrintedClientState, PrintedSettings, PrintedMessage, PrintedEvent>
/** The client's half of the printed lock. */
export type PrintedClient = Protocol<PrintedClientState, PrintedMessage, PrintedCommand, PrintedEvent>

/** 24 days: no run of the lab lasts as long, and chance draws whole numbers below 2^32. */
const BACKOFF_MAX: Millis = 2 ** 31

/** The end of a backoff, and of the time inside; and of the time in which answers count (§5). */
const clientTimers = timers('wake', 'late')

/** Figure 1a: contend. */
export function printedClient(settings: PrintedSettings): PrintedClient {
  return {
    name: 'printed lock client',
    init: (_self, servers) => ({
      servers,
      phase: 'idle',
      id: 0,
      attempt: 0,
      retries: 0,
      statuses: new Map(),
      askedAt: 0,
      hold: undefined,
      slept: 0,
    }),
    step(state, input, turn) {
      const scene: ClientScene = { state, settings, turn }
      switch (input.kind) {
        case 'command':
          return onContend(scene, input.body)
        case 'message':
          return input.body.kind === 'status' ? onStatus(scene, input.from, input.body) : undefined
        case 'timer':
          return clientTimers.due(input.name).kind === 'late' ? onLate(scene) : onWake(scene)
        case 'start':
        case 'stop':
          return
      }
    },
  }
}

function onContend(scene: ClientScene, { id, hold }: PrintedCommand): void {
  const { state, turn } = scene
  if (state.phase !== 'idle') return turn.do({ kind: 'emit', event: { kind: 'busy', id } })
  state.id = id
  state.retries = 0
  state.slept = 0
  state.hold = hold
  tryAll(scene)
}

function tryAll({ state, settings, turn }: ClientScene): void {
  const { attempt, hold } = Object.assign(state, { phase: 'trying', attempt: state.attempt + 1, askedAt: turn.now })
  state.statuses.clear()
  const body: PrintedMessage = hold === undefined ? { kind: 'try', attempt } : { kind: 'tryFor', attempt, hold }
  for (const to of state.servers) turn.do({ kind: 'send', to, body })
  if (settings.disregardsLate === true) clientTimers.set(turn, 'late', answersWithin(settings) + 1)
}

/** §5: how long after the question an answer counts. */
const answersWithin = ({ delayMax }: PrintedSettings): Millis => 2 * delayMax

/** §5: what has not come within 2δ is disregarded, so this attempt has failed. */
function onLate(scene: ClientScene): void {
  if (scene.state.phase === 'trying') backOff(scene)
}

function onStatus(scene: ClientScene, from: NodeId, body: PrintedMessage & { kind: 'status' }): void {
  const { state, settings, turn } = scene
  if (state.phase !== 'trying' || body.attempt !== state.attempt) return
  if (settings.disregardsLate === true && turn.now - state.askedAt > answersWithin(settings)) return
  // A server's first word counts, or one liar would be a quorum.
  if (!state.servers.includes(from) || state.statuses.has(from)) return
  state.statuses.set(from, { locked: body.locked, at: turn.now })
  if (state.statuses.size < state.servers.length - settings.crashes) return
  const stale = (at: Millis) => settings.delaysReplies === 'fresh' && turn.now - at > settings.delayMax
  const locked = [...state.statuses.values()].filter(status => status.locked || stale(status.at)).length
  if (locked <= settings.liars) enter(scene)
  else backOff(scene)
}

function enter({ state, settings, turn }: ClientScene): void {
  const { id, retries, hold = settings.hold } = state
  state.phase = 'inside'
  clientTimers.set(turn, 'wake', hold)
  turn.do({ kind: 'emit', event: { kind: 'entered', id, deadline: turn.now + hold, attempts: retries + 1 } })
}

function backOff({ state, settings, turn }: ClientScene): void {
  state.phase = 'backing off'
  state.retries++
  const base = settings.hold + 4 * settings.delayMax
  const { wait } = backoffStrategies[settings.backoff ?? 'exponential']
  const { retries: tries, slept: last } = state
  state.slept = wait({ base, tries, max: BACKOFF_MAX, last }, bound => turn.below(bound))
  clientTimers.set(turn, 'wake', state.slept)
}

function onWake(scene: ClientScene): void {
  const { state, turn } = scene
  if (state.phase !== 'inside') return tryAll(scene)
  state.phase = 'idle'
  turn.do({ kind: 'emit', event: { kind: 'left', id: state.id } })
}
