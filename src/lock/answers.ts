// What the servers' answers mean to a client, and how they are told to its user.

import type { NotAcquiredReason } from '../core/index.ts'
import type { ServerMessage } from './messages.ts'
import type { LockSettings } from './settings.ts'
import { type Answer, type Answers, type ClientState, type ClientTurn, describeAnswer, type Pursuit } from './state.ts'

export type TryAnswer = Exclude<ServerMessage, { kind: 'inspected' | 'inquire' | 'forced' | 'notAllowed' }>

export function readAnswer(body: TryAnswer): Answer {
  switch (body.kind) {
    case 'granted':
    case 'given':
    case 'renewed':
      return { kind: 'granted' }
    case 'queued':
      return { kind: 'locked', remaining: 0 }
    case 'locked':
      return { kind: body.recovering ? 'recovering' : 'locked', remaining: body.remaining }
    case 'tooLow':
      return { kind: 'tooLow', maximum: body.maximum }
    case 'notRenewed':
      return { kind: 'locked', remaining: 0 }
    case 'full':
      return { kind: 'full' }
  }
}

export function grantsNeeded(state: ClientState, settings: LockSettings): number {
  return settings.rules.grantsNeeded(state.servers.length, settings.liars)
}

export function fail(id: number, name: string, reason: NotAcquiredReason, answers: Answers, turn: ClientTurn): void {
  turn.do({ kind: 'emit', event: { kind: 'failed', id, name, reason, answers } })
}

export function reasonOf(state: ClientState, settings: LockSettings, pursuit: Pursuit): NotAcquiredReason {
  const silent = state.servers.length - pursuit.answers.size
  let recovering = 0
  let others = 0
  for (const { kind } of pursuit.answers.values()) {
    if (kind === 'recovering') recovering++
    else if (kind !== 'granted') others++
  }
  // A try ends as soon as enough have refused: those who had no time to answer are not to blame.
  const spare = state.servers.length - grantsNeeded(state, settings)
  if (others > spare) return 'contended'
  if (others + recovering > spare) return 'recovering'
  if (silent > spare) return 'unreachable'
  return silent + recovering > spare ? 'recovering' : 'contended'
}

export function inWords(state: ClientState, pursuit: Pursuit): Answers {
  return Object.fromEntries(state.servers.map(server => [server, describeAnswer(pursuit.answers.get(server))]))
}
