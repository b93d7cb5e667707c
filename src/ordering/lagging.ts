// A server that lags fetches the changes it lacks from another server, and believes them when they lead to the digest
// that it knows to be committed. One source at a time; the next where one is slow, short or wrong. Where the others do
// not remember so far back, it takes a copy of everything.

import type { Millis, NodeId } from '../core/index.ts'
import { keysOf, page } from './checkpoint.ts'
import { apply, forgetAhead } from './committing.ts'
import type { Content } from './content.ts'
import { agreed, hearCopy, newCopying, nextQuestion } from './copying.ts'
import { sameBytes } from './digest.ts'
import { gather, judge } from './gathering.ts'
import type { ServerMessage } from './messages.ts'
import type { AheadChange, KeptChange, ServerObject, ServerState, ServerTurn } from './objects.ts'
import { forgetReflected } from './pending.ts'
import { saveLazily } from './records.ts'
import type { OrderingSettings } from './settings.ts'

/** For so long a source is waited for; a copy may take longer, while it goes on. */
const SOURCE_MS: Millis = 200
const COPY_MS: Millis = 2_000

export function fetchMissing(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  turn: ServerTurn,
): void {
  if (object.gathering !== undefined || object.copying !== undefined || state.servers.length < 2) return
  askAnother(state, settings, object, [], turn)
}

// What was gathered is kept: it may be that each of the others has a part of it.
function askAnother(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  changes: readonly KeptChange[],
  turn: ServerTurn,
): void {
  const others = state.servers.filter(server => server !== state.self)
  const source = others[turn.below(others.length)]!
  const { version } = object.content
  const after = changes.filter(kept => kept.version > version)
  // Whether what is doubtful is committed, only the end of the chain tells: tried with it and without.
  const doubts = hasDoubtful(object) && turn.below(2) === 0
  object.gathering = { source, query: ++state.queries, changes: after, doubts }
  addOwn(settings, object)
  ask(object, turn)
  turn.do({ kind: 'timer', name: `lag:${object.name}`, after: SOURCE_MS })
}

function addOwn(settings: OrderingSettings, object: ServerObject): void {
  const { gathering, content, ahead } = object
  for (;;) {
    const { version, digest } = gathering!.changes.at(-1) ?? content
    const sure = ahead.get(version + 1)
    const doubt = gathering!.doubts === true ? doubtfulAt(object, version + 1) : undefined
    const own = sure ?? (doubt !== undefined && sameBytes(doubt.parent, digest) ? doubt : undefined)
    if (own === undefined || !gather(gathering!, content, [own], settings.hash)) return
  }
}

function hasDoubtful({ doubtful, proposed, content }: ServerObject): boolean {
  return doubtful.size > 0 || (proposed !== undefined && proposed.version > content.version)
}

function doubtfulAt({ doubtful, proposed }: ServerObject, version: number): AheadChange | undefined {
  return doubtful.get(version) ?? (proposed?.version === version ? proposed : undefined)
}

function ask(object: ServerObject, turn: ServerTurn): void {
  const { source, query, changes } = object.gathering!
  const from = changes.at(-1)?.version ?? object.content.version
  turn.do({ kind: 'send', to: source, body: { kind: 'fetch', object: object.name, query, from } })
}

/** The source was too slow, or has no more: another one. */
export function fetchAgain(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  turn: ServerTurn,
): void {
  const { gathering } = object
  object.gathering = undefined
  object.copying = undefined
  if (object.content.version >= object.committed.version) return
  askAnother(state, settings, object, gathering?.changes ?? [], turn)
}

export function fetched(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' | 'entries' },
  turn: ServerTurn,
): void {
  if (object.copying !== undefined) return copied(state, settings, object, from, answer, turn)
  const { gathering } = object
  if (gathering === undefined || gathering.source !== from || gathering.query !== answer.query) return
  if (answer.kind === 'entries') return
  if (!answer.known) return startCopy(state, settings, object, turn)
  const grew = gather(gathering, object.content, answer.changes, settings.hash)
  addOwn(settings, object)
  switch (judge(gathering, object.committed)) {
    case 'right':
      return take(state, settings, object, turn)
    case 'short':
      return grew ? ask(object, turn) : undefined
    case 'wrong':
      object.gathering = { ...gathering, changes: [] }
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
    const parent = object.content.digest
    saveLazily(state, { kind: 'caught', object: object.name, head: { version, digest }, parent, change }, turn)
    apply(state, settings, object, kept, undefined, turn)
  }
}

function startCopy(state: ServerState, settings: OrderingSettings, object: ServerObject, turn: ServerTurn): void {
  object.gathering = undefined
  const others = state.servers.filter(server => server !== state.self)
  const first = turn.below(others.length)
  const sources = Array.from({ length: settings.liars + 1 }, (_, place) => others[(first + place) % others.length]!)
  object.copying = newCopying(++state.queries, sources)
  for (const to of sources) turn.do({ kind: 'send', to, body: nextQuestion(object.copying, object.name, to) })
  turn.do({ kind: 'timer', name: `lag:${object.name}`, after: COPY_MS })
}

function copied(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' | 'entries' },
  turn: ServerTurn,
): void {
  const copying = object.copying!
  const goesOn = hearCopy(copying, from, answer, settings.hash)
  const content = agreed(copying, object.committed, settings.liars + 1)
  if (content !== undefined) return adopt(state, object, content, turn)
  if (!goesOn) return
  turn.do({ kind: 'send', to: from, body: nextQuestion(copying, object.name, from) })
  turn.do({ kind: 'timer', name: `lag:${object.name}`, after: COPY_MS })
}

// The version is written last: after a crash on the way, what is there is known to be of no version.
function adopt(state: ServerState, object: ServerObject, content: Content, turn: ServerTurn): void {
  const { name, promised, proof, committed } = object
  object.copying = undefined
  object.content = content
  object.suffix.length = 0
  object.suffixBytes = 0
  forgetAhead(object)
  forgetReflected(object)
  turn.do({ kind: 'cancel', name: `lag:${name}` })
  saveLazily(state, { kind: 'blank', object: name }, turn)
  const keys = keysOf(content)
  for (let at = 0; at < keys.length; ) {
    const { entries, next } = page(content, keys, at)
    saveLazily(state, { kind: 'entries', object: name, entries }, turn)
    at = next
  }
  const applied = { version: content.version, digest: content.digest }
  saveLazily(state, { kind: 'head', object: name, promised, proof, applied, committed }, turn)
}
