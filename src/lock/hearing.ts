// What a client does with a server's answer: counts it, judges whether it has won or lost, or gives back what came late.

import type { NodeId } from '../core/index.ts'
import { grantsNeeded, readAnswer, type TryAnswer } from './answers.ts'
import { believe, lose, win } from './holding.ts'
import type { ServerMessage } from './messages.ts'
import type { LockSettings } from './settings.ts'
import type { ClientState, ClientTurn, Pursuit } from './state.ts'
import { retry } from './trying.ts'
import { given, raise, yieldGrant } from './waiting.ts'

export function answered(
  state: ClientState,
  settings: LockSettings,
  from: NodeId,
  body: TryAnswer,
  turn: ClientTurn,
): void {
  const pursuit = state.pursuits.get(body.name)
  if (pursuit === undefined || !settings.rules.isCurrent(body.attempt, pursuit.attempt)) {
    return stray(state, settings, from, body, turn)
  }
  if (pursuit.phase === 'held' && turn.now >= pursuit.deadline) return lose(state, settings, pursuit, turn)
  if (pursuit.phase === 'waiting') return answeredWaiting(state, settings, pursuit, from, body, turn)
  // From the list, and after enough others: it lasts for what it says, not for what a try would be granted.
  if (body.kind === 'given') {
    if (pursuit.phase !== 'held') return
    given(state, settings, pursuit, from, body, turn)
    return believe(state, settings, pursuit, turn)
  }
  const answer = readAnswer(body)
  pursuit.answers.set(from, answer)
  if (body.kind === 'granted' || body.kind === 'renewed') {
    const start = settings.rules.beliefStart(pursuit.sentAt, turn.now)
    // A server may be set to grant for less than we asked.
    const held = Math.min(body.held, pursuit.ttl)
    pursuit.until.set(from, start + settings.rules.belief(held, settings.drift))
  }
  if (pursuit.phase === 'held') return believe(state, settings, pursuit, turn)
  if (pursuit.phase === 'trying') return judge(state, settings, pursuit, turn)
}

// Won as soon as g grants are in, lost as soon as g cannot be reached any more.
function judge(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const needed = grantsNeeded(state, settings)
  const granted = pursuit.until.size
  if (granted >= needed) return win(state, settings, pursuit, turn)
  let refusals = 0
  for (const answer of pursuit.answers.values()) if (answer.kind !== 'granted') refusals++
  if (state.servers.length - refusals < needed) retry(state, settings, pursuit, turn)
}

// A grant that comes after the try was given up would lock others out for its whole ttl.
function stray(state: ClientState, { rules }: LockSettings, from: NodeId, body: TryAnswer, turn: ClientTurn): void {
  if (!('token' in body) || !isGrant(body.kind) || !rules.isStray(state.pursuits.get(body.name)?.token, body.token))
    return
  const { name, token } = body
  turn.do({
    kind: 'send',
    to: from,
    body: { kind: 'release', name, token, unused: rules.neverUsed(token, state.used) },
  })
}

function isGrant(kind: TryAnswer['kind']): boolean {
  return kind === 'granted' || kind === 'given'
}

// Who waits wins as soon as g servers hold at one time, and does not lose: those that say no say it for now.
function answeredWaiting(
  state: ClientState,
  settings: LockSettings,
  pursuit: Pursuit,
  from: NodeId,
  body: TryAnswer,
  turn: ClientTurn,
): void {
  pursuit.heard.set(from, turn.now)
  if (body.kind === 'given') {
    if (given(state, settings, pursuit, from, body, turn)) win(state, settings, pursuit, turn)
    return
  }
  // A yes from the list is not undone by a no that was said before it.
  if (body.kind !== 'queued' || !pursuit.until.has(from)) pursuit.answers.set(from, readAnswer(body))
  if (body.kind === 'tooLow') raise(state, settings, pursuit, turn)
}

// Whoever holds, or has just been told that it does not, keeps what it has until it lets go. Everybody else gives back,
// also those who gave up long ago. But a server forgets the token of a grant that is yielded, so one that was held
// under, and whose release is late, is released again instead: or a smaller token could follow it.
export function inquired(
  state: ClientState,
  settings: LockSettings,
  from: NodeId,
  body: ServerMessage & { kind: 'inquire' },
  turn: ClientTurn,
): void {
  const { name, grant, token } = body
  const pursuit = state.pursuits.get(name)
  const isOurs = pursuit?.token === token
  if (isOurs && (pursuit.phase === 'held' || pursuit.phase === 'ending')) return
  if (isOurs && pursuit.phase === 'waiting') return yieldGrant(pursuit, from, grant, turn)
  const unused = settings.rules.neverUsed(token, state.used)
  turn.do({
    kind: 'send',
    to: from,
    body: unused ? { kind: 'yield', name, grant, token } : { kind: 'release', name, token, unused },
  })
}
