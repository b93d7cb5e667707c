// What a client asks all servers, and tells when all have answered or the time is up: what they hold (`inspect`), and to
// take a lock from its holder (`force`; server/force.ts says what that breaks), what they say of their tokens (`account`), and to
// lower them (`resetFloor`; server/reset.ts). A liar may answer anything: the answers
// are told as they are, and who shows them counts how many servers say the same.

import type { NodeId } from '../../core/index.ts'
import type { ClientMessage, ServerMessage } from '../wire.ts'
import {
  type ClientCommand,
  type ClientEvent,
  type ClientScene,
  clientTimers,
  QUESTIONS_MAX,
  type Question,
} from './state.ts'
import { isName } from './valid.ts'

export function onInspect(scene: ClientScene, { id }: ClientCommand & { kind: 'inspect' }): void {
  ask(scene, id, { kind: 'inspect', sentAt: scene.turn.now, servers: [] }, { kind: 'inspect', query: id })
}

export function onForceCommand(scene: ClientScene, { id, name }: ClientCommand & { kind: 'force' }): void {
  if (!isName(name)) return refuse(scene, id, 'invalid')
  ask(scene, id, { kind: 'force', servers: [] }, { kind: 'force', query: id, name })
}

export function onAccount(scene: ClientScene, { id }: ClientCommand & { kind: 'account' }): void {
  ask(scene, id, { kind: 'account', servers: [] }, { kind: 'account', query: id })
}

export function onResetFloor(scene: ClientScene, { id }: ClientCommand & { kind: 'resetFloor' }): void {
  ask(scene, id, { kind: 'resetFloor', servers: [] }, { kind: 'resetFloor', query: id })
}

function ask(scene: ClientScene, id: number, question: Question, body: ClientMessage): void {
  const { state, settings, turn } = scene
  if (!Number.isSafeInteger(id) || id < 0) return refuse(scene, id, 'invalid')
  if (state.questions.size >= QUESTIONS_MAX) return refuse(scene, id, 'crowded')
  state.questions.set(id, question)
  for (const to of state.servers) turn.do({ kind: 'send', to, body })
  clientTimers.set(turn, question.kind, settings.answerMax, `${id}`)
}

// No server was asked, so nothing has happened.
function refuse({ turn }: ClientScene, id: number, reason: 'crowded' | 'invalid'): void {
  turn.do({ kind: 'emit', event: { kind: 'refused', id, reason } })
}

export function onInspected(scene: ClientScene, server: NodeId, body: ServerMessage & { kind: 'inspected' }): void {
  const question = scene.state.questions.get(body.query)
  if (question?.kind !== 'inspect' || hasAnswered(question, server)) return
  const { uptime, recovering, held, leases } = body
  const roundTrip = scene.turn.now - question.sentAt
  question.servers.push({ server, roundTrip, uptime, recovering, held, leases })
  tellWhenAll(scene, body.query, question)
}

export function onAccounted(scene: ClientScene, server: NodeId, body: ServerMessage & { kind: 'accounted' }): void {
  const question = scene.state.questions.get(body.query)
  if (question?.kind !== 'account' || hasAnswered(question, server)) return
  const { highest, clock, asking, names, namesOfOne, complaints } = body
  question.servers.push({ server, highest, clock, asking, names, namesOfOne, complaints })
  tellWhenAll(scene, body.query, question)
}

export function onFloorReset(scene: ClientScene, server: NodeId, body: ServerMessage & { kind: 'floorReset' }): void {
  const question = scene.state.questions.get(body.query)
  if (question?.kind !== 'resetFloor' || hasAnswered(question, server)) return
  const { floor, was } = body
  question.servers.push({ server, allowed: true, floor, was })
  tellWhenAll(scene, body.query, question)
}

/** Freed, or: no operator, which is said of a reset as well. */
export function onForceAnswer(
  scene: ClientScene,
  server: NodeId,
  body: Extract<ServerMessage, { kind: 'forced' | 'notAllowed' }>,
): void {
  const question = scene.state.questions.get(body.query)
  if (question === undefined || hasAnswered(question, server)) return
  if (question.kind === 'resetFloor' && body.kind === 'notAllowed') {
    question.servers.push({ server, allowed: false, floor: 0, was: 0 })
    return tellWhenAll(scene, body.query, question)
  }
  if (question.kind !== 'force') return
  const { holder, token } = body.kind === 'forced' ? body : { holder: '', token: 0 }
  question.servers.push({ server, allowed: body.kind === 'forced', holder, token })
  tellWhenAll(scene, body.query, question)
}

/** The time for answers is over. */
export function onQuestionTimer(scene: ClientScene, id: number): void {
  const question = scene.state.questions.get(id)
  if (question !== undefined) tell(scene, id, question)
}

function hasAnswered({ servers }: Question, server: NodeId): boolean {
  return servers.some(answer => answer.server === server)
}

function tellWhenAll(scene: ClientScene, id: number, question: Question): void {
  if (question.servers.length === scene.state.servers.length) tell(scene, id, question)
}

function tell({ state, turn }: ClientScene, id: number, question: Question): void {
  state.questions.delete(id)
  clientTimers.cancel(turn, question.kind, `${id}`)
  turn.do({ kind: 'emit', event: answerTo(id, question) })
}

function answerTo(id: number, question: Question): ClientEvent {
  switch (question.kind) {
    case 'inspect':
      return { kind: 'inspected', id, servers: question.servers }
    case 'force':
      return { kind: 'forced', id, servers: question.servers }
    case 'account':
      return { kind: 'accounted', id, servers: question.servers }
    case 'resetFloor':
      return { kind: 'floorReset', id, servers: question.servers }
  }
}
