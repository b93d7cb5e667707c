// What follows from an input, once it is heard: the one place where a client begins something of its own accord.
//
// Handlers record what they heard and wake the object that it is about. The machine calls `advance` once after each
// input: a proposal that enough servers took is decided, the next one is made, or the turn is asked for.

import type { Millis } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import { submitNew, submitOpen } from './contacts.ts'
import { serveCopies } from './copy-reads.ts'
import { isLeftBehind } from './other-operations.ts'
import { hasOwnWork, launch } from './own-operations.ts'
import { proposeNext, tellCommit } from './proposing.ts'
import { setLookTimer } from './reading.ts'
import { advanceReplica } from './replica.ts'
import { quorumOf } from './send.ts'
import { type ClientObject, type ClientScene, clientTimers } from './state.ts'
import { beginAttempt, hasWork, overtaken, rest, standInLine } from './turns.ts'

export function advance(scene: ClientScene): void {
  const { object, opens, took, looksAgain } = scene.followUp
  if (object !== undefined) {
    const waited = object.phase === 'waiting'
    proceed(scene, object)
    // Nothing to do after all: what a read found half done is complete.
    if (took && object.phase === 'holding') object.completes = false
    // A client that begins to wait now has said it already.
    if (opens && waited && object.phase === 'waiting') submitOpen(scene, object)
  }
  if (looksAgain !== undefined) setLookTimer(scene, looksAgain)
}

// A version that needs no acknowledgement (with a broken rule) is decided as soon as it is proposed.
function proceed(scene: ClientScene, object: ClientObject): void {
  do {
    if (isDecided(scene, object)) decide(scene, object)
    act(scene, object)
  } while (isDecided(scene, object))
}

function isDecided(scene: ClientScene, { phase, proposal }: ClientObject): boolean {
  if (phase !== 'proposing' || proposal === undefined) return false
  return proposal.accepted.size >= scene.settings.rules.acknowledgementsNeeded(quorumOf(scene))
}

function decide(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  const { version, digest, writes, change, operations } = object.proposal!
  object.proposal = undefined
  object.tries = 0
  object.completes = false
  object.phase = 'holding'
  object.unannounced = { version, digest }
  clientTimers.cancel(turn, 'turn', object.name)
  turn.do({ kind: 'emit', event: { kind: 'decided', object: object.name, head: object.unannounced, operations } })
  // The replica may be there already, or beyond: by changes that were fetched for what others had decided since.
  if (version > object.replica.version) advanceReplica(scene, object, { version, digest, change }, writes)
  serveCopies(scene, object)
  launch(object)
}

/** Does what there is to do where this client has the turn, or begins to take it. */
function act(scene: ClientScene, object: ClientObject): void {
  const { settings, turn } = scene
  switch (object.phase) {
    case 'holding':
      if (mustAskAnew(settings, object, turn.now) && hasWork(settings, object, turn.now)) {
        tellCommit(scene, object)
        return beginAttempt(scene, object)
      }
      if (proposeNext(scene, object)) return
      tellCommit(scene, object)
      // Own operations that cannot follow: others have answered those before, so the turn was theirs meanwhile.
      if (hasOwnWork(object)) overtaken(scene, object)
      return
    case 'idle':
      if (!hasWork(settings, object, turn.now)) return
      if (turn.now < object.othersUntil) return standInLine(scene, object)
      return beginAttempt(scene, object)
    case 'waiting':
      if (hasWork(settings, object, turn.now)) return submitNew(scene, object)
      return rest(scene, object)
    case 'getting':
    case 'syncing':
    case 'proposing':
      return
  }
}

/** The turn was left alone long enough that another may have it, as the last time; or another certainly had it. */
function mustAskAnew(settings: OrderingSettings, object: ClientObject, now: Millis): boolean {
  return (object.shares && now > object.sentAt + settings.turnMs) || isLeftBehind(object, settings, now)
}
