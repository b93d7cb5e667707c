// The log is kept short without one big snapshot: a checkpoint of everything is written page by page, among the records
// of the day, and when it is whole, what stands before it is forgotten.
//
// Pages are of different versions. Replaying the log in its order gives the exact state all the same: a page puts what
// the table had when it was written, and every change since stands behind it.

import { keysOf, page } from '../versions/pages.ts'
import { proposalRecord, saveLazily } from './records.ts'
import type { Checkpoint, ServerObject, ServerScene } from './state.ts'

/** A checkpoint begins after the bytes of the settings, or after this many times what the last one took. */
const CHECKPOINTS_BYTES = 2

/** Writes the next part of the checkpoint, or begins one when it is time. */
export function continueCheckpoint(scene: ServerScene): void {
  const { state, settings } = scene
  const { checkpoint } = state
  if (checkpoint === undefined) {
    if (state.savedBytes < Math.max(settings.checkpointBytesMin, CHECKPOINTS_BYTES * state.checkpointBytes)) return
    state.savedBytes = 0
    state.checkpoint = { objects: [...state.objects.keys()], keys: [], next: 0, object: '', bytes: 0 }
    state.checkpoint.objects.push(...state.tombstones.keys())
    return nextObject(scene, state.checkpoint, true)
  }
  const object = state.objects.get(checkpoint.object)
  if (object !== undefined && checkpoint.next < checkpoint.keys.length) return writePage(scene, checkpoint, object)
  nextObject(scene, checkpoint, false)
}

function nextObject(scene: ServerScene, checkpoint: Checkpoint, begins: boolean): void {
  const { state, turn } = scene
  const name = writeTombstones(scene, checkpoint, begins)
  const object = name === undefined ? undefined : state.objects.get(name)
  if (object === undefined) {
    state.checkpoint = undefined
    state.checkpointBytes = checkpoint.bytes
    return turn.do({ kind: 'forget' })
  }
  checkpoint.object = object.name
  checkpoint.keys = keysOf(object.content)
  checkpoint.next = 0
  writeHead(scene, object, begins)
}

/** Those that come next, so many at once; answers the name of the next object. */
function writeTombstones(scene: ServerScene, checkpoint: Checkpoint, begins: boolean): string | undefined {
  const { tombstones } = scene.state
  let first = begins
  for (;;) {
    const name = checkpoint.objects.pop()
    const tombstone = name === undefined ? undefined : tombstones.get(name)
    if (name === undefined || tombstone === undefined) return name
    saveLazily(scene, { kind: 'deleted', object: name, ...tombstone }, first)
    first = false
  }
}

function writeVersion(scene: ServerScene, object: ServerObject, begins: boolean): void {
  const { name, promised, proof, content, committed } = object
  const applied = { version: content.version, digest: content.digest }
  saveLazily(scene, { kind: 'head', object: name, promised, proof, applied, committed }, begins)
}

function writeHead(scene: ServerScene, object: ServerObject, begins: boolean): void {
  const { name, promised, proof, proposed, unapplied, doubtful } = object
  writeVersion(scene, object, begins)
  for (const { version, digest, parent, change } of unapplied.values()) {
    saveLazily(scene, { kind: 'caught', object: name, head: { version, digest }, parent, change })
  }
  for (const { version, digest, parent, change } of doubtful.values()) {
    saveLazily(scene, { kind: 'doubtful', object: name, head: { version, digest }, parent, change })
  }
  if (proposed === undefined) return
  saveLazily(scene, proposalRecord(name, proposed))
  // A proposal carries its own rank; a higher one may have been promised since.
  saveLazily(scene, { kind: 'rank', object: name, rank: promised, proof })
}

function writePage(scene: ServerScene, checkpoint: Checkpoint, object: ServerObject): void {
  const { settings } = scene
  const { entries, next, bytes } = page(object.content, checkpoint.keys, checkpoint.next, settings.checkpointPageBytes)
  checkpoint.next = next
  checkpoint.bytes += bytes
  // A commit has no record: without the version, the log would lead to the one before it, with entries of this one.
  writeVersion(scene, object, false)
  saveLazily(scene, { kind: 'entries', object: object.name, entries })
}
