// A run that was played as far as it goes, as the page looks at it: a Play of this thread, or what a worker tells of its own.

import type { Play, PlayItem, PlayNode, PlayStatus, PlayViolation, Question, RunSpec } from '../src/simulator/index.ts'
import type { LostMessage } from '../src/simulator/play.ts'
import type { TraceEntry } from '../src/simulator/trace.ts'

/** A traitor's question, with what each word would bring. */
export type PlayedQuestion = Omit<Question, 'answers'> & {
  readonly answers: readonly {
    readonly word: { readonly letter: string; readonly name: string; readonly title: string }
    readonly says: readonly unknown[]
  }[]
}

/** What can be told of a run between threads. */
export interface PlayedData {
  readonly spec: RunSpec
  readonly items: readonly PlayItem[]
  readonly lost: readonly LostMessage[]
  readonly lies: ReadonlySet<number>
  readonly status: PlayStatus
  readonly stopped: Play['stopped']
  readonly question: PlayedQuestion | undefined
  readonly trace: readonly TraceEntry[]
  readonly hash: string
  readonly violations: readonly PlayViolation[]
  readonly nodes: readonly PlayNode[]
  readonly commands: readonly string[]
  readonly outside: readonly string[]
}

export interface Played extends PlayedData {
  stateAt(index: number, node: string): string | undefined
  vocabularyOf(node: string): ReturnType<Play['vocabularyOf']>
  /** Where states are elsewhere: whether those of this place are here; if not, they are asked for, and `then` is called. */
  has?(index: number, then: () => void): boolean
}

export function dataOf(play: Play): PlayedData {
  const { spec, items, lost, lies, status, stopped, trace, hash, violations, nodes, commands, outside } = play
  const question = play.question && {
    ...play.question,
    answers: play.question.answers.map(({ word: { letter, name, title }, says }) => ({
      word: { letter, name, title },
      says,
    })),
  }
  return { spec, items, lost, lies, status, stopped, question, trace, hash, violations, nodes, commands, outside }
}
