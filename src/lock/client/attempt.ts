// How an acquisition begins, what each try asks of the servers, and which caller of this process comes next when it is over.

import type { Millis } from '../../core/index.ts'
import { fail } from './answers.ts'
import { type Acquisition, type Caller, type ClientScene, type ClientState, clientTimers, clockOf } from './state.ts'
import { isToken } from './valid.ts'
import { startWaiting } from './waiting.ts'

/** `callers` wait for the same name after this one. */
export function begin(scene: ClientScene, { asked, since }: Caller, callers: Caller[]): void {
  const { state, settings, turn } = scene
  state.clock = { hint: asked.hint, hintedAt: since }
  const acquisition: Acquisition = {
    id: asked.id,
    name: asked.name,
    wait: asked.wait,
    fair: asked.fair ?? false,
    strategy: asked.strategy ?? settings.strategy,
    renew: asked.renew,
    hint: asked.hint,
    hintedAt: since,
    ttl: Math.min(asked.ttl, settings.ttlMax),
    phase: 'trying',
    attempt: 0,
    sentAt: 0,
    token: 0,
    tries: 0,
    waited: 0,
    answers: new Map(),
    until: new Map(),
    deadline: Number.NEGATIVE_INFINITY,
    callers,
    ticket: 0,
    beganAt: since,
    ping: 0,
    pings: new Map(),
    yielded: new Map(),
    heardAt: new Map(),
    waitsSince: turn.now,
    cutOffs: 0,
  }
  state.acquisitions.set(asked.name, acquisition)
  if (!(asked.wait && acquisition.fair)) return tryOnce(scene, acquisition)
  // Tickets follow the wall clock: callers are served in the order they came, and tokens grow in the order of service.
  acquisition.ticket = guessToken(state, acquisition, turn.now)
  if (!isToken(acquisition.ticket)) return outOfTokens(scene, acquisition)
  startWaiting(scene, acquisition, acquisition.ticket)
}

/** Forgets what is over; the first of the callers who wait for the same name begins. */
export function next(scene: ClientScene, over: Acquisition): void {
  scene.state.acquisitions.delete(over.name)
  const [first, ...callers] = over.callers
  if (first !== undefined) begin(scene, first, callers)
}

export function tryOnce(scene: ClientScene, acquisition: Acquisition): void {
  const { state, settings, turn } = scene
  const token = guessToken(state, acquisition, turn.now)
  if (!isToken(token)) return outOfTokens(scene, acquisition)
  acquisition.phase = 'trying'
  acquisition.token = token
  state.seen = token
  beginAttempt(scene, acquisition)
  const { name, attempt, ttl } = acquisition
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'try', name, attempt, token, ttl } })
  clientTimers.set(turn, 'answers', settings.answerMax, name)
}

/** From here on, answers to what was asked before are those of another attempt. */
export function beginAttempt({ state, turn }: ClientScene, acquisition: Acquisition): void {
  acquisition.attempt = ++state.attempts
  acquisition.sentAt = turn.now
  if (acquisition.phase !== 'held') acquisition.until.clear()
  acquisition.answers.clear()
}

// No token can follow the largest one, so the callers who wait for the same name fail as well.
function outOfTokens(scene: ClientScene, { id, name, callers }: Acquisition): void {
  scene.state.acquisitions.delete(name)
  const answers = { 'this process': 'has seen the largest token that there can be' }
  for (const one of [id, ...callers.map(({ asked }) => asked.id)]) fail(scene, { id: one, name }, 'invalid', answers)
}

// The wall clock is a good guess at a token above all others: one round trip then takes the lock and its token.
function guessToken(state: ClientState, acquisition: Acquisition, now: Millis): number {
  return Math.max(clockOf(acquisition, now), state.seen + 1)
}
