// Answers to this process's own operations: from its replica where it has the version, else when b + 1 servers say the
// same from their committed versions (BACKOFF figure 2, lines 2-7).

import type { NodeId } from '../core/index.ts'
import type { ClientState, Use } from './client-state.ts'
import { openedAt, sessionName, type Touched } from './content.ts'
import { digestKey, sameBytes } from './digest.ts'
import { accuse } from './evidence.ts'
import { beginKeeping, endKeeping } from './keeping.ts'
import type { Response, ServerMessage } from './messages.ts'
import type { OrderingSettings } from './settings.ts'
import { heardAnswer, heardSpeaker } from './speakers.ts'
import type { OrderingTurn } from './state.ts'
import { fail, launch } from './submitting.ts'
import { heardOfOthers, pump } from './turns.ts'

/** The replica went on by a version that touched a session. */
export function reflected(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  { session: id, before, after }: Touched,
  turn: OrderingTurn,
): void {
  const { session } = use
  const client = after?.client ?? before?.client
  if (client !== state.self) return
  if (session.phase === 'opening' && after !== undefined && sameBytes(after.nonce, session.nonce)) {
    opened(state, settings, use, id, turn)
  }
  if (session.id !== id || session.phase !== 'open') return
  if (after === undefined) return sessionOver(use, turn)
  for (const response of after.responses) settle(use, response, turn)
}

/** The replica came as a whole. */
export function reflectedAll(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): void {
  const { session, replica } = use
  if (session.phase === 'opening') {
    const id = replica.opened.get(sessionName(state.self, session.nonce))
    if (id !== undefined) opened(state, settings, use, id, turn)
  }
  if (session.phase !== 'open') return
  const after = replica.sessions.get(session.id)
  if (after !== undefined) for (const response of after.responses) settle(use, response, turn)
  else if (replica.version >= openedAt(session.id)) sessionOver(use, turn)
}

export function answered(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'answered' },
  turn: OrderingTurn,
): void {
  const { session } = use
  heardSpeaker(use, from, turn.now)
  if (session.phase === 'opening' && sameBytes(answer.nonce, session.nonce)) {
    const servers = session.named.get(answer.session) ?? new Set()
    session.named.set(answer.session, servers.add(from))
    if (servers.size >= settings.rules.vouchersNeeded(settings.liars))
      opened(state, settings, use, answer.session, turn)
  }
  if (session.phase === 'open' && session.id === answer.session) {
    const before = use.outstanding.size
    for (const response of answer.responses) hear(state, settings, use, from, response, turn)
    if (use.outstanding.size < before) {
      heardAnswer(use, turn.now)
      heardOfOthers(settings, use, turn)
    }
  }
  launch(use)
  pump(state, settings, use, turn)
}

function hear(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  from: NodeId,
  response: Response,
  turn: OrderingTurn,
): void {
  const { seq } = response
  if (!use.outstanding.has(seq)) return
  const needed = settings.rules.vouchersNeeded(settings.liars)
  if (needed > 1) {
    const said = use.responses.get(seq) ?? new Map<string, Set<NodeId>>()
    use.responses.set(seq, said)
    const key = `${response.version} ${response.ok} ${digestKey(settings.hash(response.body))}`
    const servers = said.get(key) ?? new Set()
    said.set(key, servers.add(from))
    if (servers.size < needed) return
    // Committed versions have one answer.
    for (const [other, liars] of said) {
      if (other === key) continue
      for (const server of liars) accuse(state, use, server, response.version, 'an answer that was never given', turn)
    }
  }
  settle(use, response, turn)
}

function settle(use: Use, { seq, version, ok, body }: Response, turn: OrderingTurn): void {
  const own = use.outstanding.get(seq)
  if (own === undefined) return
  use.outstanding.delete(seq)
  use.outstandingBytes -= own.body.length
  use.responses.delete(seq)
  if (own.id === undefined) return
  turn.do({ kind: 'emit', event: { kind: 'answered', id: own.id, object: use.object, version, ok, body } })
}

function opened(state: ClientState, settings: OrderingSettings, use: Use, id: string, turn: OrderingTurn): void {
  const { session, object } = use
  session.phase = 'open'
  session.id = id
  turn.do({ kind: 'emit', event: { kind: 'opened', id: session.opener, object, session: id } })
  beginKeeping(state, settings, use, turn)
  launch(use)
}

export function gone(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'gone' },
  turn: OrderingTurn,
): void {
  const { session } = use
  if (session.phase !== 'open' && session.phase !== 'lost') return
  if (session.id !== answer.session) return
  session.gone.add(from)
  if (session.gone.size < settings.rules.vouchersNeeded(settings.liars)) return
  sessionOver(use, turn)
  pump(state, settings, use, turn)
}

/** There is no session any more: by our wish, or it ran out. What was on its way may have been applied before. */
export function sessionOver(use: Use, turn: OrderingTurn): void {
  const { session, object } = use
  const wasOpen = session.phase === 'open'
  const ending = [...use.outstanding.values()].find(({ kind }) => kind === 'end')
  session.phase = 'none'
  endKeeping(use, turn)
  for (const { id, kind } of use.outstanding.values()) {
    if (id === undefined) continue
    if (kind === 'end') turn.do({ kind: 'emit', event: { kind: 'ended', id, object } })
    else fail(id, object, 'no session', 'may have happened', turn)
  }
  for (const { id } of use.queue.splice(0)) fail(id, object, 'no session', 'did not happen', turn)
  use.outstanding.clear()
  use.outstandingBytes = 0
  use.responses.clear()
  if (wasOpen && ending === undefined) turn.do({ kind: 'emit', event: { kind: 'lost', object, session: session.id } })
}
