// Answers to this process's own operations: from its replica where it has the version, else when b + 1 servers say the
// same from their committed versions (BACKOFF figure 2, lines 2-7).

import type { NodeId } from '../core/index.ts'
import type { ClientScene, Use } from './client-state.ts'
import { openedAt, sessionName, type Touched } from './content.ts'
import { digestKey, sameBytes } from './digest.ts'
import { accuse } from './evidence.ts'
import { beginKeeping, endKeeping } from './keeping.ts'
import type { Response, ServerMessage } from './messages.ts'
import { heardAnswer, heardSpeaker } from './speakers.ts'
import { fail, launch } from './submitting.ts'
import { heardOfOthers, pump } from './turns.ts'

/** The replica went on by a version that touched a session. */
export function reflected(scene: ClientScene, use: Use, { session: id, before, after }: Touched): void {
  const { state } = scene
  const { session } = use
  const client = after?.client ?? before?.client
  if (client !== state.self) return
  if (session.phase === 'opening' && after !== undefined && sameBytes(after.nonce, session.nonce)) {
    opened(scene, use, id)
  }
  if (session.id !== id || session.phase !== 'open') return
  if (after === undefined) return sessionOver(scene, use)
  for (const response of after.responses) settle(scene, use, response)
}

/** The replica came as a whole. */
export function reflectedAll(scene: ClientScene, use: Use): void {
  const { state } = scene
  const { session, replica } = use
  if (session.phase === 'opening') {
    const id = replica.opened.get(sessionName(state.self, session.nonce))
    if (id !== undefined) opened(scene, use, id)
  }
  if (session.phase !== 'open') return
  const after = replica.sessions.get(session.id)
  if (after !== undefined) for (const response of after.responses) settle(scene, use, response)
  else if (replica.version >= openedAt(session.id)) sessionOver(scene, use)
}

export function answered(
  scene: ClientScene,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'answered' },
): void {
  const { settings, turn } = scene
  const { session } = use
  heardSpeaker(use, from, turn.now)
  if (session.phase === 'opening' && sameBytes(answer.nonce, session.nonce)) {
    const servers = session.named.get(answer.session) ?? new Set()
    session.named.set(answer.session, servers.add(from))
    if (servers.size >= settings.rules.vouchersNeeded(settings.liars)) opened(scene, use, answer.session)
  }
  if (session.phase === 'open' && session.id === answer.session) {
    const before = use.outstanding.size
    for (const response of answer.responses) hear(scene, use, from, response)
    if (use.outstanding.size < before) {
      heardAnswer(use, turn.now)
      heardOfOthers(scene, use)
    }
  }
  launch(use)
  pump(scene, use)
}

function hear(scene: ClientScene, use: Use, from: NodeId, response: Response): void {
  const { settings } = scene
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
      for (const server of liars) accuse(scene, use, server, response.version, 'an answer that was never given')
    }
  }
  settle(scene, use, response)
}

function settle(scene: ClientScene, use: Use, { seq, version, ok, body }: Response): void {
  const { turn } = scene
  const own = use.outstanding.get(seq)
  if (own === undefined) return
  use.outstanding.delete(seq)
  use.outstandingBytes -= own.body.length
  use.responses.delete(seq)
  if (own.id === undefined) return
  turn.do({ kind: 'emit', event: { kind: 'answered', id: own.id, object: use.object, version, ok, body } })
}

function opened(scene: ClientScene, use: Use, id: string): void {
  const { turn } = scene
  const { session, object } = use
  session.phase = 'open'
  session.id = id
  turn.do({ kind: 'emit', event: { kind: 'opened', id: session.opener, object, session: id } })
  beginKeeping(scene, use)
  launch(use)
}

export function gone(scene: ClientScene, use: Use, from: NodeId, answer: ServerMessage & { kind: 'gone' }): void {
  const { settings } = scene
  const { session } = use
  if (session.phase !== 'open' && session.phase !== 'lost') return
  if (session.id !== answer.session) return
  session.gone.add(from)
  if (session.gone.size < settings.rules.vouchersNeeded(settings.liars)) return
  sessionOver(scene, use)
  pump(scene, use)
}

/** There is no session any more: by our wish, or it ran out. What was on its way may have been applied before. */
export function sessionOver(scene: ClientScene, use: Use): void {
  const { turn } = scene
  const { session, object } = use
  const wasOpen = session.phase === 'open'
  const ending = [...use.outstanding.values()].find(({ kind }) => kind === 'end')
  session.phase = 'none'
  endKeeping(scene, use)
  for (const { id, kind } of use.outstanding.values()) {
    if (id === undefined) continue
    if (kind === 'end') turn.do({ kind: 'emit', event: { kind: 'ended', id, object } })
    else fail(scene, id, object, 'no session', 'may have happened')
  }
  for (const { id } of use.queue.splice(0)) fail(scene, id, object, 'no session', 'did not happen')
  use.outstanding.clear()
  use.outstandingBytes = 0
  use.responses.clear()
  if (wasOpen && ending === undefined) turn.do({ kind: 'emit', event: { kind: 'lost', object, session: session.id } })
}
