// One pursuit of one name: how it begins, what it asks first, and who of this process comes next when it is over.

import type { Millis } from '../core/index.ts'
import { fail } from './answers.ts'
import { isToken } from './asking.ts'
import type { LockSettings } from './settings.ts'
import type { ClientCommand, ClientState, ClientTurn, Pursuit } from './state.ts'
import { startWaiting } from './waiting.ts'

export function pursue(
  state: ClientState,
  settings: LockSettings,
  asked: ClientCommand & { kind: 'acquire' },
  since: Millis,
  line: Pursuit['line'],
  turn: ClientTurn,
): void {
  const { id, name, wait, renew } = asked
  const pursuit: Pursuit = {
    id,
    name,
    wait,
    fair: asked.fair ?? false,
    strategy: asked.strategy ?? settings.strategy,
    renew,
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
    line,
    ticket: 0,
    beganAt: since,
    ping: 0,
    pings: new Map(),
    yielded: new Map(),
    heard: new Map(),
    waitsSince: turn.now,
    rests: 0,
  }
  state.pursuits.set(name, pursuit)
  if (!(pursuit.wait && pursuit.fair)) return tryOnce(state, settings, pursuit, turn)
  // Whoever comes first by the wall clock is served first, and tokens then grow in the order of service by themselves.
  pursuit.ticket = guessToken(state, pursuit, turn.now)
  if (!isToken(pursuit.ticket)) return outOfTokens(state, pursuit, turn)
  startWaiting(state, pursuit, pursuit.ticket, turn)
}

export function next(state: ClientState, settings: LockSettings, done: Pursuit, turn: ClientTurn): void {
  state.pursuits.delete(done.name)
  const [first, ...line] = done.line
  if (first !== undefined) pursue(state, settings, first.asked, first.since, line, turn)
}

export function tryOnce(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const token = guessToken(state, pursuit, turn.now)
  if (!isToken(token)) return outOfTokens(state, pursuit, turn)
  pursuit.phase = 'trying'
  pursuit.token = token
  state.seen = token
  begin(state, pursuit, turn.now)
  const { name, attempt, ttl } = pursuit
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'try', name, attempt, token, ttl } })
  turn.do({ kind: 'timer', name: `answers:${name}`, after: settings.answerMax })
}

export function begin(state: ClientState, pursuit: Pursuit, now: Millis): void {
  pursuit.attempt = ++state.attempts
  pursuit.sentAt = now
  if (pursuit.phase !== 'held') pursuit.until.clear()
  pursuit.answers.clear()
}

// Nobody can follow the largest token that there can be, so whoever stands in line fails as well.
function outOfTokens(state: ClientState, pursuit: Pursuit, turn: ClientTurn): void {
  state.pursuits.delete(pursuit.name)
  const answers = { 'this process': 'has seen the largest token that there can be' }
  for (const { id } of [pursuit, ...pursuit.line.map(({ asked }) => asked)])
    fail(id, pursuit.name, 'invalid', answers, turn)
}

// The wall clock is a good guess at a token above all others: one round trip then takes the lock and its token.
function guessToken(state: ClientState, pursuit: Pursuit, now: Millis): number {
  const guess = pursuit.hint + Math.floor((now - pursuit.hintedAt) * 1000)
  return Math.max(guess, state.seen + 1)
}
