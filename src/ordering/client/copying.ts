// The servers no longer know the changes that a replica lacks: it takes a copy of everything (../versions/copying.ts).

import type { NodeId } from '../../core/process.ts'
import {
  agreed,
  chooseSources,
  hearCopy,
  isPutOff,
  newCopying,
  nextQuestion,
  nextSources,
  patience,
  putOff,
} from '../versions/copying.ts'
import { mayCopy, withRoomFirst } from '../versions/gathering.ts'
import type { ServerMessage } from '../wire.ts'
import { reflectedAll } from './answers.ts'
import { completeChoice, followHeads } from './catching-up.ts'
import { compareClaims } from './evidence.ts'
import { send } from './send.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { clientTimers } from './state.ts'
import { leaveTurn } from './turns.ts'
import { follow, skipWatches } from './watching.ts'

/** The servers no longer know what we lack. No turn is taken until the copy is there: others go on meanwhile. */
export function startCopy(scene: ClientScene, object: ClientObject): void {
  const { state, settings, turn } = scene
  const { servers } = state
  const first = turn.below(servers.length)
  const target = object.wanted?.version ?? 0
  const ring = chooseSources(servers, servers.length, first, object.copying, target)
  const sources = withRoomFirst(state.gathered, ring).slice(0, settings.liars + 1)
  object.fetching = undefined
  object.copying = newCopying(++state.queries, sources, turn.now)
  if (object.phase === 'syncing') leaveTurn(scene, object)
  follow(scene, object)
  for (const to of sources) send(scene, to, nextQuestion(object.copying, object.name, to))
  setPatience(scene, object)
}

function setPatience({ turn }: ClientScene, { copying, name }: ClientObject): void {
  const left = patience(copying!, turn.now)
  if (left !== undefined) clientTimers.set(turn, 'sync', left, name)
}

export function copyCame(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' | 'entries' },
): void {
  const { state, settings, turn } = scene
  const copying = object.copying!
  if (mayCopy(state.gathered, object.name, from)) hearCopy(copying, from, answer, settings.hash, turn.now)
  else putOff(copying, from, answer.query)
  if (adoptCopy(scene, object)) return
  askOn(scene, object)
}

function askOn(scene: ClientScene, object: ClientObject): void {
  const { state, turn } = scene
  const { name } = object
  const copying = object.copying!
  for (const to of nextSources(copying, turn.now, source => mayCopy(state.gathered, name, source))) {
    send(scene, to, nextQuestion(copying, name, to))
  }
  setPatience(scene, object)
}

/** A source was too slow: with others. Or all of them wait until they may give more. */
export function copyAgain(scene: ClientScene, object: ClientObject): void {
  if (isPutOff(object.copying!)) askOn(scene, object)
  else startCopy(scene, object)
}

/** Takes the copy, if by now it is at a version that b + 1 servers vouch for. */
export function adoptCopy(scene: ClientScene, object: ClientObject): boolean {
  const { settings, turn } = scene
  const { copying, wanted } = object
  if (copying === undefined || wanted === undefined) return false
  const content = agreed(copying, wanted, settings.rules.vouchersNeeded(settings.liars))
  if (content === undefined || content.version < object.replica.version) return false
  object.copying = undefined
  // What was asked for meanwhile led from where the replica was; an answer to it would be waited for without a timer.
  object.fetching = undefined
  object.replica = content
  clientTimers.cancel(turn, 'sync', object.name)
  compareClaims(scene, object)
  reflectedAll(scene, object)
  skipWatches(scene, object)
  if (object.phase === 'syncing') completeChoice(scene, object)
  else followHeads(scene, object)
  return true
}
