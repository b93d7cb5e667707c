// Questions that clients of a group put to its members: who is here, who leads, how slots stand; and, from operators, who
// may vote. It carries them and keeps them in order; what is answered is decided above.
//
// A member may lie in its answer, and a client shows it as that member's. It cannot answer for another, twice, or
// something that was not asked: one liar must not make a client that waits for all believe that all have answered.

import { type NodeId, unreachable } from '../../core/index.ts'
import {
  ASKED_MAX,
  ASKERS_MAX,
  checkQuestions,
  OWED_EACH_MAX,
  type Questions,
  type QuestionsCommand,
  type QuestionsScene,
} from './state.ts'
import type { Answer, Question, QuestionMessage } from './wire.ts'

export const questions: Questions = {
  name: 'questions',
  init: () => ({ asked: new Map(), owed: new Map() }),
  step(state, input, turn) {
    const scene: QuestionsScene = { state, settings: {}, turn }
    switch (input.kind) {
      case 'message':
        return onMessage(scene, input.from, input.body)
      case 'command':
        return onCommand(scene, input.body)
      case 'start':
      case 'timer':
      case 'stop':
        return
    }
  },
  check: checkQuestions,
}

function onMessage(scene: QuestionsScene, from: NodeId, body: QuestionMessage): void {
  switch (body.kind) {
    case 'ask':
      return onAsk(scene, from, body)
    case 'answer':
      return onAnswer(scene, from, body)
    default:
      return unreachable(body, 'message')
  }
}

function onCommand(scene: QuestionsScene, body: QuestionsCommand): void {
  switch (body.kind) {
    case 'ask':
      return onAskCommand(scene, body)
    case 'end':
      return onEnd(scene, body.query)
    case 'answer':
      return onAnswerCommand(scene, body)
    default:
      return unreachable(body, 'command')
  }
}

function onAsk({ state, turn }: QuestionsScene, from: NodeId, body: QuestionMessage & { kind: 'ask' }): void {
  const { query, question } = body
  const owed = state.owed.get(from) ?? new Set<number>()
  if (owed.has(query) || owed.size >= OWED_EACH_MAX) return
  if (owed.size === 0 && state.owed.size >= ASKERS_MAX) return
  state.owed.set(from, owed.add(query))
  turn.do({ kind: 'emit', event: { kind: 'asked', query, from, question } })
}

function onAnswer({ state, turn }: QuestionsScene, from: NodeId, body: QuestionMessage & { kind: 'answer' }): void {
  const { query, answer } = body
  const asked = state.asked.get(query)
  if (asked === undefined || !answers(asked.question, answer) || !asked.waiting.delete(from)) return
  turn.do({ kind: 'emit', event: { kind: 'answered', query, from, answer } })
}

function answers(question: Question, { kind }: Answer): boolean {
  if (kind === 'refused') return true
  if (question.kind === 'admit' || question.kind === 'expel') return kind === 'begun'
  return kind === question.kind
}

function onAskCommand({ state, turn }: QuestionsScene, body: QuestionsCommand & { kind: 'ask' }): void {
  const { query, members, question } = body
  // The oldest question of a process that forgets to end them.
  const [oldest] = state.asked.keys()
  if (oldest !== undefined && state.asked.size >= ASKED_MAX) state.asked.delete(oldest)
  state.asked.set(query, { question, waiting: new Set(members) })
  for (const to of members) turn.do({ kind: 'send', to, body: { kind: 'ask', query, question } })
}

function onEnd({ state }: QuestionsScene, query: number): void {
  state.asked.delete(query)
}

function onAnswerCommand({ state, turn }: QuestionsScene, body: QuestionsCommand & { kind: 'answer' }): void {
  const { query, to, answer } = body
  const owed = state.owed.get(to)
  if (owed === undefined || !owed.delete(query)) return
  if (owed.size === 0) state.owed.delete(to)
  turn.do({ kind: 'send', to, body: { kind: 'answer', query, answer } })
}
