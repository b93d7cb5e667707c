// A server that lags fetches the changes it lacks from another server, and believes them when they lead to the digest
// that it knows to be committed. One source at a time; the next where one is slow, short or wrong.

import type { Millis, NodeId } from '../core/index.ts'
import { apply } from './committing.ts'

import { gather, judge } from './gathering.ts'
import type { ServerMessage } from './messages.ts'
import type { ServerObject, ServerState, ServerTurn } from './objects.ts'
import { save } from './records.ts'
import type { OrderingSettings } from './settings.ts'

/** For so long a source is waited for. */
const SOURCE_MS: Millis = 200

export function fetchMissing(state: ServerState, object: ServerObject, turn: ServerTurn): void {
  if (object.gathering !== undefined || state.servers.length < 2) return
  const others = state.servers.filter(server => server !== state.self)
  const source = others[turn.below(others.length)]!
  object.gathering = { source, query: ++state.queries, changes: [] }
  ask(object, turn)
  turn.do({ kind: 'timer', name: `lag:${object.name}`, after: SOURCE_MS })
}

function ask(object: ServerObject, turn: ServerTurn): void {
  const { source, query, changes } = object.gathering!
  const from = changes.at(-1)?.version ?? object.content.version
  turn.do({ kind: 'send', to: source, body: { kind: 'fetch', object: object.name, query, from } })
}

/** The source was too slow: another one. */
export function fetchAgain(state: ServerState, object: ServerObject, turn: ServerTurn): void {
  object.gathering = undefined
  if (object.content.version < object.committed.version) fetchMissing(state, object, turn)
}

export function fetched(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' },
  turn: ServerTurn,
): void {
  const { gathering } = object
  if (gathering === undefined || gathering.source !== from || gathering.query !== answer.query) return
  if (!answer.known) return
  const grew = gather(gathering, object.content, answer.changes, settings.hash)
  switch (judge(gathering, object.committed)) {
    case 'right':
      return take(state, settings, object, turn)
    case 'short':
      // It has no more: the timer asks another. Else the rest of what it has.
      return grew ? ask(object, turn) : undefined
    case 'wrong':
      return
  }
}

function take(state: ServerState, settings: OrderingSettings, object: ServerObject, turn: ServerTurn): void {
  const { changes } = object.gathering!
  object.gathering = undefined
  turn.do({ kind: 'cancel', name: `lag:${object.name}` })
  for (const kept of changes) {
    if (kept.version > object.committed.version) break
    // It may have gone on meanwhile by itself.
    if (kept.version !== object.content.version + 1) continue
    const { version, digest, change } = kept
    save(state, { kind: 'caught', object: object.name, head: { version, digest }, change }, turn)
    apply(state, settings, object, kept, undefined, turn)
  }
}
