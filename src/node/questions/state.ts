// What is remembered of questions under way, on both sides.

import { assert, type NodeId, type Protocol, type Scene } from '../../core/index.ts'
import type { Answer, Question, QuestionMessage } from './wire.ts'

export type QuestionsCommand =
  /** Asks these members. A query that is asked again is another question. */
  | { readonly kind: 'ask'; readonly query: number; readonly members: readonly NodeId[]; readonly question: Question }
  /** No more answers are wanted. */
  | { readonly kind: 'end'; readonly query: number }
  | { readonly kind: 'answer'; readonly query: number; readonly to: NodeId; readonly answer: Answer }

export type QuestionsEvent =
  | { readonly kind: 'asked'; readonly query: number; readonly from: NodeId; readonly question: Question }
  /** Once for each member that was asked, with an answer to what it was asked. */
  | { readonly kind: 'answered'; readonly query: number; readonly from: NodeId; readonly answer: Answer }

export interface QuestionsState {
  /** Our own questions, and whose answers are still wanted. */
  readonly asked: Map<number, { readonly question: Question; readonly waiting: Set<NodeId> }>
  /** Others' questions that we owe an answer, by asker. */
  readonly owed: Map<NodeId, Set<number>>
}

export type QuestionsScene = Scene<QuestionsState, object, QuestionMessage, QuestionsEvent>
export type Questions = Protocol<QuestionsState, QuestionMessage, QuestionsCommand, QuestionsEvent>

/** Questions of one process under way: a command asks one at a time. */
export const ASKED_MAX = 64
/** Questions of one client that wait for an answer: the next ones are dropped. */
export const OWED_EACH_MAX = 8
/** Clients that wait at one time. */
export const ASKERS_MAX = 1_000

export function checkQuestions({ asked, owed }: QuestionsState): void {
  assert(asked.size <= ASKED_MAX, 'questions under way are bounded')
  assert(owed.size <= ASKERS_MAX, 'askers are bounded')
  for (const [asker, queries] of owed) {
    assert(queries.size > 0, `${asker} is owed an answer, or not in the list`)
    assert(queries.size <= OWED_EACH_MAX, `what ${asker} is owed is bounded`)
  }
}
