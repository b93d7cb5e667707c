// A server that lags fetches the changes it lacks from another server, and believes them when they lead to the digest
// that it knows to be committed. One source at a time; the next where one is slow, short or wrong. Where the others do
// not remember so far back, it takes a copy of everything.

import { type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import type { Content, KeptChange, LinkedChange } from '../versions/content.ts'
import {
  agreed,
  type Copying,
  hearCopy,
  isPutOff,
  newCopying,
  nextQuestion,
  nextSources,
  patience,
  putOff,
} from '../versions/copying.ts'
import { addChanges, addOwnChange, isFull, judge } from '../versions/fetched-changes.ts'
import { mayCopy, roomOf, withRoom, withRoomFirst } from '../versions/gathering.ts'
import { keysOf, page } from '../versions/pages.ts'
import type { ServerMessage } from '../wire.ts'
import { apply } from './applying.ts'
import { forgetReflected } from './pending.ts'
import { saveLazily } from './records.ts'
import type { ServerObject, ServerScene } from './state.ts'
import { serverTimers } from './state.ts'
import { forgetApplied } from './unapplied.ts'

/** How long to wait for one source. */
const SOURCE_MS: Millis = 200

export function fetchMissing(scene: ServerScene, object: ServerObject): void {
  const { state } = scene
  if (object.fetching !== undefined || object.copying !== undefined || state.servers.length < 2) return
  askAnother(scene, object, [])
}

// What was fetched is kept: each of the others may have a part of it.
function askAnother(scene: ServerScene, object: ServerObject, changes: readonly KeptChange[]): void {
  const { state, settings, turn } = scene
  const others = withRoom(
    state.gathered,
    state.servers.filter(server => server !== state.self),
  )
  const source = others[turn.below(others.length)]!
  const { version } = object.content
  const after = changes.filter(kept => kept.version > version)
  // Whether what is doubtful is committed, only the end of the chain tells: tried with it and without.
  const doubts = hasDoubtful(object) && turn.below(2) === 0
  object.fetching = { source, query: ++state.queries, changes: after, doubts }
  addOwn(settings, object)
  ask(scene, object)
  serverTimers.set(turn, 'lag', SOURCE_MS, object.name)
}

function addOwn(settings: OrderingSettings, object: ServerObject): void {
  const { fetching, content, unapplied } = object
  for (;;) {
    const { version, digest } = fetching!.changes.at(-1) ?? content
    const sure = unapplied.get(version + 1)
    const doubt = fetching!.doubts === true ? doubtfulAt(object, version + 1) : undefined
    const own = sure ?? (doubt !== undefined && sameBytes(doubt.parent, digest) ? doubt : undefined)
    if (own === undefined || !addOwnChange(fetching!, content, own, settings.hash)) return
  }
}

function hasDoubtful({ doubtful, proposed, content }: ServerObject): boolean {
  return doubtful.size > 0 || (proposed !== undefined && proposed.version > content.version)
}

function doubtfulAt({ doubtful, proposed }: ServerObject, version: number): LinkedChange | undefined {
  return doubtful.get(version) ?? (proposed?.version === version ? proposed : undefined)
}

function ask(scene: ServerScene, object: ServerObject): void {
  const { turn } = scene
  const { source, query, changes } = object.fetching!
  const from = changes.at(-1)?.version ?? object.content.version
  turn.do({ kind: 'send', to: source, body: { kind: 'fetch', object: object.name, query, from } })
}

/** The source was too slow, or has no more: another one. */
export function onLag(scene: ServerScene, name: string): void {
  const object = scene.state.objects.get(name)
  if (object === undefined) return
  scene.state.touched = object
  const { fetching, copying } = object
  if (copying !== undefined && isPutOff(copying)) return askOn(scene, object, copying)
  object.fetching = undefined
  object.copying = undefined
  if (object.content.version >= object.committed.version) return
  askAnother(scene, object, fetching?.changes ?? [])
}

/** Pages of a copy; nothing else asks for them. */
export function onEntries(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'entries' },
): void {
  if (object.copying !== undefined) copied(scene, object, from, answer)
}

export function onChanges(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' },
): void {
  const { state, settings } = scene
  if (object.copying !== undefined) return copied(scene, object, from, answer)
  const { fetching } = object
  if (fetching === undefined || fetching.source !== from || fetching.query !== answer.query) return
  if (!answer.known) return startCopy(scene, object)
  const room = roomOf(state.gathered, from)
  // What it gave for other objects waits for those who vouch for it: a copy is counted only where its source is ahead.
  if (room === 0) return startCopy(scene, object)
  const grew = addChanges(fetching, object.content, answer.changes, settings.hash, room)
  addOwn(settings, object)
  switch (judge(fetching, object.committed)) {
    case 'right':
      return take(scene, object)
    case 'short':
      if (isFull(fetching)) return startCopy(scene, object)
      return grew ? ask(scene, object) : undefined
    case 'wrong':
      object.fetching = { ...fetching, changes: [] }
      return
  }
}

function take(scene: ServerScene, object: ServerObject): void {
  const { turn } = scene
  const { changes } = object.fetching!
  object.fetching = undefined
  serverTimers.cancel(turn, 'lag', object.name)
  for (const kept of changes) {
    if (kept.version > object.committed.version) break
    // It may have gone on meanwhile by itself.
    if (kept.version !== object.content.version + 1) continue
    const { version, digest, change } = kept
    const parent = object.content.digest
    saveLazily(scene, { kind: 'caught', object: object.name, head: { version, digest }, parent, change })
    apply(scene, object, kept, undefined)
  }
}

function startCopy(scene: ServerScene, object: ServerObject): void {
  const { state, settings, turn } = scene
  object.fetching = undefined
  const others = state.servers.filter(server => server !== state.self)
  const first = turn.below(others.length)
  const ring = others.map((_, place) => others[(first + place) % others.length]!)
  const sources = withRoomFirst(state.gathered, ring).slice(0, settings.liars + 1)
  object.copying = newCopying(++state.queries, sources, turn.now)
  for (const to of sources) turn.do({ kind: 'send', to, body: nextQuestion(object.copying, object.name, to) })
  setPatience(scene, object)
}

function setPatience({ turn }: ServerScene, { copying, name }: ServerObject): void {
  const left = patience(copying!, turn.now)
  if (left !== undefined) serverTimers.set(turn, 'lag', left, name)
}

function copied(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' | 'entries' },
): void {
  const { state, settings, turn } = scene
  const copying = object.copying!
  if (mayCopy(state.gathered, object.name, from)) hearCopy(copying, from, answer, settings.hash, turn.now)
  else putOff(copying, from, answer.query)
  const content = agreed(copying, object.committed, settings.liars + 1)
  if (content !== undefined) return adopt(scene, object, content)
  askOn(scene, object, copying)
}

function askOn(scene: ServerScene, object: ServerObject, copying: Copying): void {
  const { state, turn } = scene
  const { name } = object
  for (const to of nextSources(copying, turn.now, source => mayCopy(state.gathered, name, source))) {
    turn.do({ kind: 'send', to, body: nextQuestion(copying, name, to) })
  }
  setPatience(scene, object)
}

// The version is written last: after a crash on the way, what is there is known to be of no version.
function adopt(scene: ServerScene, object: ServerObject, content: Content): void {
  const { state, turn } = scene
  const { name, promised, proof, committed } = object
  object.copying = undefined
  object.content = content
  object.recent.length = 0
  object.recentBytes = 0
  forgetApplied(object)
  forgetReflected(state, object)
  serverTimers.cancel(turn, 'lag', name)
  saveLazily(scene, { kind: 'blank', object: name })
  const keys = keysOf(content)
  for (let at = 0; at < keys.length; ) {
    const { entries, next } = page(content, keys, at)
    saveLazily(scene, { kind: 'entries', object: name, entries })
    at = next
  }
  const applied = { version: content.version, digest: content.digest }
  saveLazily(scene, { kind: 'head', object: name, promised, proof, applied, committed })
}
