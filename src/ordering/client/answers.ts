// Answers to this process's own operations: from its replica where it has the version, else when b + 1 servers say the
// same from their committed versions (BACKOFF figure 2, lines 2-7).

import { type NodeId, sameBytes } from '../../core/index.ts'
import { openedAt, sessionName, type Touched } from '../versions/content.ts'
import { digestKey } from '../versions/digest.ts'
import type { Response, ServerMessage } from '../wire.ts'
import { heardAnswer, heardContact } from './contacts.ts'
import { accuse, compareClaims } from './evidence.ts'
import { launch } from './own-operations.ts'
import { opened, sessionOver } from './session.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { wake } from './state.ts'
import { heardOfOthers } from './turns.ts'

/** The replica went on by a version that touched a session. */
export function reflected(scene: ClientScene, object: ClientObject, { session: id, before, after }: Touched): void {
  const { state } = scene
  const { session } = object
  const client = after?.client ?? before?.client
  if (client !== state.self) return
  if (session.phase === 'opening' && after !== undefined && sameBytes(after.nonce, session.nonce)) {
    opened(scene, object, id)
  }
  if (session.id !== id || session.phase !== 'open') return
  if (after === undefined) return sessionOver(scene, object)
  for (const response of after.responses) settle(scene, object, response)
}

/** The replica came as a whole. */
export function reflectedAll(scene: ClientScene, object: ClientObject): void {
  const { state } = scene
  const { session, replica } = object
  if (session.phase === 'opening') {
    const id = replica.opened.get(sessionName(state.self, session.nonce))
    if (id !== undefined) opened(scene, object, id)
  }
  if (session.phase !== 'open') return
  const after = replica.sessions.get(session.id)
  if (after !== undefined) for (const response of after.responses) settle(scene, object, response)
  else if (replica.version >= openedAt(session.id)) sessionOver(scene, object)
}

export function onAnswered(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'answered' },
): void {
  const { settings, turn } = scene
  const { session } = object
  heardContact(object, from, turn.now)
  if (session.phase === 'opening' && sameBytes(answer.nonce, session.nonce)) {
    session.named.set(from, answer.session)
    const count = [...session.named.values()].filter(name => name === answer.session).length
    if (count >= settings.rules.vouchersNeeded(settings.liars)) opened(scene, object, answer.session)
  }
  if (session.phase === 'open' && session.id === answer.session) {
    const before = object.outstanding.size
    for (const response of answer.responses) hear(scene, object, from, response)
    if (object.outstanding.size < before) {
      heardAnswer(object, turn.now)
      heardOfOthers(scene, object)
    }
  }
  launch(object)
  wake(scene, object)
}

function hear(scene: ClientScene, object: ClientObject, from: NodeId, response: Response): void {
  const { settings } = scene
  const { seq } = response
  if (!object.outstanding.has(seq)) return
  const needed = settings.rules.vouchersNeeded(settings.liars)
  if (needed > 1) {
    const said = object.responses.get(seq) ?? new Map<NodeId, string>()
    object.responses.set(seq, said)
    const key = `${response.version} ${response.ok} ${digestKey(settings.hash(response.body))}`
    said.set(from, key)
    const others = [...said].filter(([, other]) => other !== key)
    if (said.size - others.length < needed) return
    // Committed versions have one answer.
    for (const [server] of others) accuse(scene, object, server, response.version, 'an answer that was never given')
  }
  settle(scene, object, response)
}

function settle(scene: ClientScene, object: ClientObject, { seq, version, ok, body }: Response): void {
  const { turn } = scene
  const own = object.outstanding.get(seq)
  if (own === undefined) return
  object.outstanding.delete(seq)
  object.outstandingBytes -= own.body.length
  object.responses.delete(seq)
  if (own.id === undefined) return
  turn.do({ kind: 'emit', event: { kind: 'answered', id: own.id, object: object.name, version, ok, body } })
}

export function onGone(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'gone' },
): void {
  const { settings } = scene
  const { session } = object
  if (session.phase !== 'open' && session.phase !== 'lost') return
  if (session.id !== answer.session) return
  session.gone.set(from, answer.version)
  compareClaims(scene, object)
  if (session.gone.size < settings.rules.vouchersNeeded(settings.liars)) return
  sessionOver(scene, object)
  wake(scene, object)
}
