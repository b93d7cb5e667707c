// What the servers' answers mean to a client, and how they are told to its user.

import type { NotAcquiredReason } from '../../core/index.ts'
import type { ServerMessage } from '../wire.ts'
import { type Acquisition, type Answer, type Answers, type ClientScene, describeAnswer } from './state.ts'

export type TryAnswer = Extract<
  ServerMessage,
  {
    kind: 'granted' | 'renewed' | 'locked' | 'tooLow' | 'tooHigh' | 'notRenewed' | 'full' | 'given' | 'queued'
  }
>

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
    case 'tooHigh':
      return { kind: 'tooHigh' }
  }
}

/** How many servers must hold for a client at one time. */
export function grantsNeeded({ state, settings }: ClientScene): number {
  return settings.rules.grantsNeeded(state.servers.length, settings.liars)
}

/** A command, or the acquisition that it began. */
interface Asked {
  readonly id: number
  readonly name: string
}

export function fail({ turn }: ClientScene, { id, name }: Asked, reason: NotAcquiredReason, answers: Answers): void {
  turn.do({ kind: 'emit', event: { kind: 'failed', id, name, reason, answers } })
}

export function reasonOf(scene: ClientScene, { answers }: Acquisition): NotAcquiredReason {
  const { servers } = scene.state
  const silent = servers.length - answers.size
  let recovering = 0
  let others = 0
  for (const { kind } of answers.values()) {
    if (kind === 'recovering') recovering++
    else if (kind !== 'granted') others++
  }
  // A try ends as soon as enough have refused: those who had no time to answer are not to blame.
  const spare = servers.length - grantsNeeded(scene)
  if (others > spare) return 'contended'
  if (others + recovering > spare) return 'recovering'
  if (silent > spare) return 'unreachable'
  return silent + recovering > spare ? 'recovering' : 'contended'
}

export function inWords({ state }: ClientScene, { answers }: Acquisition): Answers {
  return Object.fromEntries(state.servers.map(server => [server, describeAnswer(answers.get(server))]))
}
