// From the moment a lock is won until it is let go: believing, renewing, telling the loss in time (PROTOCOLS E 5, 7).

import type { Millis } from '../core/index.ts'
import { grantsNeeded, inWords } from './answers.ts'
import { isTtl } from './asking.ts'
import { begin, next } from './pursuits.ts'
import { kthLargest } from './rules.ts'
import type { LockSettings } from './settings.ts'
import type { ClientCommand, ClientState, ClientTurn, Pursuit } from './state.ts'
import { retry, takeBack } from './trying.ts'
import { isShort } from './waiting.ts'

/** `lost` comes this part of the belief before its end, so that a timer a little late still is in time. */
const WARNING_PART = 1 / 20
/** A renewal is sent when this part of the belief is over: two may fail before anything is lost. */
const RENEWAL_PART = 1 / 3

export function win(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const { id, name, token } = pursuit
  pursuit.phase = 'held'
  pursuit.tries = 0
  turn.do({ kind: 'cancel', name: `answers:${name}` })
  turn.do({ kind: 'cancel', name: `ping:${name}` })
  pursuit.deadline = kthLargest(pursuit.until.values(), grantsNeeded(state, settings))
  if (!settings.rules.mayWin(turn.now, pursuit.deadline)) return retry(state, settings, pursuit, turn)
  state.used = Math.max(state.used, token)
  turn.do({ kind: 'emit', event: { kind: 'acquired', id, name, token, deadline: pursuit.deadline } })
  schedule(settings, pursuit, pursuit.sentAt, turn)
  if (pursuit.fair && isShort(settings, pursuit, turn.now)) renewNow(state, settings, pursuit, turn)
}

export function believe(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const deadline = kthLargest(pursuit.until.values(), grantsNeeded(state, settings))
  prolong(settings, pursuit, deadline, pursuit.sentAt, turn)
}

// The keeper renews a little earlier than we would: while it does, our own renewal is put off, again and again.
export function sustain(
  state: ClientState,
  settings: LockSettings,
  kept: ClientCommand & { kind: 'sustain' },
  turn: ClientTurn,
): void {
  const pursuit = state.pursuits.get(kept.name)
  if (pursuit?.id !== kept.id || pursuit.phase !== 'held' || turn.now >= kept.deadline) return
  prolong(settings, pursuit, kept.deadline, kept.deadline - settings.rules.belief(pursuit.ttl, settings.drift), turn)
}

function prolong(settings: LockSettings, pursuit: Pursuit, deadline: Millis, sentAt: Millis, turn: ClientTurn): void {
  if (deadline <= pursuit.deadline) return
  pursuit.deadline = deadline
  turn.do({ kind: 'emit', event: { kind: 'extended', id: pursuit.id, name: pursuit.name, deadline } })
  schedule(settings, pursuit, sentAt, turn)
}

function schedule(settings: LockSettings, pursuit: Pursuit, sentAt: Millis, turn: ClientTurn): void {
  const belief = settings.rules.belief(pursuit.ttl, settings.drift)
  const warnAt = pursuit.deadline - belief * WARNING_PART
  if (settings.rules.warns()) {
    turn.do({ kind: 'timer', name: `end:${pursuit.name}`, after: Math.max(0, Math.floor(warnAt - turn.now)) })
  }
  if (!pursuit.renew) return
  const renewAt = sentAt + belief * RENEWAL_PART
  turn.do({ kind: 'timer', name: `renew:${pursuit.name}`, after: Math.max(1, Math.floor(renewAt - turn.now)) })
}

export function renewNow(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  if (turn.now >= pursuit.deadline) return lose(state, settings, pursuit, turn)
  begin(state, pursuit, turn.now)
  const { name, attempt, token, ttl } = pursuit
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'renew', name, attempt, token, ttl } })
  if (pursuit.renew) {
    const again = settings.rules.belief(ttl, settings.drift) * RENEWAL_PART
    turn.do({ kind: 'timer', name: `renew:${name}`, after: Math.max(1, Math.floor(again)) })
  }
}

export function extend(
  state: ClientState,
  settings: LockSettings,
  asked: ClientCommand & { kind: 'extend' },
  turn: ClientTurn,
): void {
  const pursuit = state.pursuits.get(asked.name)
  if (pursuit?.id !== asked.id || pursuit.phase !== 'held' || !isTtl(asked.ttl)) return
  pursuit.ttl = Math.min(asked.ttl, settings.ttlMax)
  renewNow(state, settings, pursuit, turn)
}

// Whoever held it is told now, and has until the deadline to stop. Nothing is given back before: a release would let
// somebody else in while the last holder is still stopping, and so would a new try by this same process.
export function lose(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const { id, name } = pursuit
  pursuit.phase = 'ending'
  turn.do({ kind: 'emit', event: { kind: 'lost', id, name, answers: inWords(state, pursuit) } })
  turn.do({ kind: 'cancel', name: `renew:${name}` })
  if (turn.now >= pursuit.deadline) return finish(state, settings, pursuit, turn)
  turn.do({ kind: 'timer', name: `over:${name}`, after: Math.ceil(pursuit.deadline - turn.now) })
}

export function finish(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  letGo(state, pursuit, turn)
  next(state, settings, pursuit, turn)
}

// The belief ends here, before the first release leaves.
export function letGo(state: ClientState, pursuit: Pursuit, turn: ClientTurn): void {
  const { name, token, phase } = pursuit
  state.pursuits.delete(name)
  for (const purpose of ['answers', 'backoff', 'ping', 'renew', 'end', 'over'])
    turn.do({ kind: 'cancel', name: `${purpose}:${name}` })
  if (phase === 'held' || phase === 'ending') {
    for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'release', name, token, unused: false } })
  } else if (phase === 'trying' || phase === 'waiting') takeBack(state, pursuit, turn)
}
