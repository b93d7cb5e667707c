// From the moment a lock is won until it is let go: believing, renewing, telling the loss in time (protocols/lock 5, 7).

import { kthLargest, type Millis } from '../../core/index.ts'
import { grantsNeeded, inWords } from './answers.ts'
import { beginAttempt, next } from './attempt.ts'
import { retry, takeBack } from './retry.ts'
import { type Acquisition, type ClientCommand, type ClientScene, clientTimers, inPhase, isHolder } from './state.ts'
import { isTtl } from './valid.ts'

/** `lost` comes this part of the belief before its end, so that a timer a little late still is in time. */
const WARNING_PART = 1 / 20
/** A renewal is sent when this part of the belief is over: two may fail before anything is lost. */
const RENEWAL_PART = 1 / 3

export function win(scene: ClientScene, acquisition: Acquisition): void {
  const { state, settings, turn } = scene
  const { id, name, token } = acquisition
  acquisition.phase = 'held'
  acquisition.tries = 0
  clientTimers.cancel(turn, 'answers', name)
  clientTimers.cancel(turn, 'ping', name)
  acquisition.deadline = kthLargest(acquisition.until.values(), grantsNeeded(scene))
  if (!settings.rules.mayWin(turn.now, acquisition.deadline)) return retry(scene, acquisition)
  state.used = Math.max(state.used, token)
  turn.do({ kind: 'emit', event: { kind: 'acquired', id, name, token, deadline: acquisition.deadline } })
  schedule(scene, acquisition, acquisition.sentAt)
  if (acquisition.fair && isShort(scene, acquisition)) renewNow(scene, acquisition)
}

// What was won from the list is short: long enough to renew, not to work.
function isShort(scene: ClientScene, acquisition: Acquisition): boolean {
  return acquisition.deadline - scene.turn.now < beliefOf(scene, acquisition) / 2
}

function beliefOf({ settings }: ClientScene, { ttl }: Acquisition): Millis {
  return settings.rules.belief(ttl, settings.drift)
}

/** Until when g servers hold for us, as their answers say now. */
export function believe(scene: ClientScene, acquisition: Acquisition): void {
  const deadline = kthLargest(acquisition.until.values(), grantsNeeded(scene))
  prolong(scene, acquisition, deadline, acquisition.sentAt)
}

// The keeper renews a little earlier than we would: while it does, our own renewal is put off, again and again.
export function onSustain(scene: ClientScene, kept: ClientCommand & { kind: 'sustain' }): void {
  const acquisition = inPhase(scene.state, kept.name, 'held')
  if (acquisition?.id !== kept.id || scene.turn.now >= kept.deadline) return
  prolong(scene, acquisition, kept.deadline, kept.deadline - beliefOf(scene, acquisition))
}

function prolong(scene: ClientScene, acquisition: Acquisition, deadline: Millis, sentAt: Millis): void {
  if (deadline <= acquisition.deadline) return
  const { id, name } = acquisition
  acquisition.deadline = deadline
  scene.turn.do({ kind: 'emit', event: { kind: 'extended', id, name, deadline } })
  schedule(scene, acquisition, sentAt)
}

function schedule(scene: ClientScene, acquisition: Acquisition, sentAt: Millis): void {
  const { settings, turn } = scene
  const { name, deadline } = acquisition
  const belief = beliefOf(scene, acquisition)
  const warnAt = deadline - belief * WARNING_PART
  if (settings.rules.warns()) clientTimers.set(turn, 'end', Math.max(0, Math.floor(warnAt - turn.now)), name)
  if (!acquisition.renew) return
  const renewAt = sentAt + belief * RENEWAL_PART
  clientTimers.set(turn, 'renew', Math.max(1, Math.floor(renewAt - turn.now)), name)
}

export function onRenewTimer(scene: ClientScene, name: string): void {
  const acquisition = inPhase(scene.state, name, 'held')
  if (acquisition !== undefined) renewNow(scene, acquisition)
}

export function onExtend(scene: ClientScene, asked: ClientCommand & { kind: 'extend' }): void {
  const acquisition = inPhase(scene.state, asked.name, 'held')
  if (acquisition?.id !== asked.id || !isTtl(asked.ttl)) return
  acquisition.ttl = Math.min(asked.ttl, scene.settings.ttlMax)
  renewNow(scene, acquisition)
}

function renewNow(scene: ClientScene, acquisition: Acquisition): void {
  const { state, turn } = scene
  if (turn.now >= acquisition.deadline) return lose(scene, acquisition)
  beginAttempt(scene, acquisition)
  const { name, attempt, token, ttl } = acquisition
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'renew', name, attempt, token, ttl } })
  if (!acquisition.renew) return
  clientTimers.set(turn, 'renew', Math.max(1, Math.floor(beliefOf(scene, acquisition) * RENEWAL_PART)), name)
}

/** The belief is about to end. */
export function onEndTimer(scene: ClientScene, name: string): void {
  const acquisition = inPhase(scene.state, name, 'held')
  if (acquisition !== undefined) lose(scene, acquisition)
}

// The holder is told now, and has until the deadline to stop. Nothing is given back before: a release would let
// somebody else in while the last holder is still stopping, and so would a new try by this same process.
export function lose(scene: ClientScene, acquisition: Acquisition): void {
  const { turn } = scene
  const { id, name, deadline } = acquisition
  acquisition.phase = 'ending'
  turn.do({ kind: 'emit', event: { kind: 'lost', id, name, answers: inWords(scene, acquisition) } })
  clientTimers.cancel(turn, 'renew', name)
  if (turn.now >= deadline) return finish(scene, acquisition)
  clientTimers.set(turn, 'over', Math.ceil(deadline - turn.now), name)
}

/** The belief has ended, and its holder was told before. */
export function onOverTimer(scene: ClientScene, name: string): void {
  const acquisition = inPhase(scene.state, name, 'ending')
  if (acquisition !== undefined) finish(scene, acquisition)
}

export function finish(scene: ClientScene, acquisition: Acquisition): void {
  letGo(scene, acquisition)
  next(scene, acquisition)
}

// The belief ends here, before the first release leaves.
export function letGo(scene: ClientScene, acquisition: Acquisition): void {
  const { state, turn } = scene
  const { name, token, phase } = acquisition
  state.acquisitions.delete(name)
  for (const kind of ['answers', 'backoff', 'ping', 'renew', 'end', 'over'] as const)
    clientTimers.cancel(turn, kind, name)
  if (isHolder(acquisition)) {
    for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'release', name, token, unused: false } })
  } else if (phase === 'trying' || phase === 'waiting') takeBack(scene, acquisition)
}
