// A server goes on to the next version: applies its change, answers the sessions' clients, tells those who watch.

import type { NodeId } from '../../core/process.ts'
import { applyWrites, decodeChange, type KeptChange } from '../versions/content.ts'
import type { Write } from '../wire.ts'
import { forget } from './pending.ts'
import { remember } from './recent-changes.ts'
import { saveLazily } from './records.ts'
import { answerTouched } from './sessions.ts'
import type { ServerObject, ServerScene } from './state.ts'
import { followerOf } from './unapplied.ts'
import { tellWatchers } from './watchers.ts'

/** Goes on by one version, whose change is known to be right, and by those that follow and are here already. */
export function apply(
  scene: ServerScene,
  object: ServerObject,
  kept: KeptChange,
  writes: readonly Write[] = decodeChange(kept.change),
  proposer = '',
): void {
  applyOne(scene, object, kept, writes, proposer)
  for (let next = followerOf(object); next !== undefined; next = followerOf(object)) {
    const { version, digest, parent, change } = next
    // That it is committed may be known from a commit only, which has no record: without one, the log would end before it.
    saveLazily(scene, { kind: 'caught', object: object.name, head: { version, digest }, parent, change })
    applyOne(scene, object, { version, digest, change }, decodeChange(change), '')
  }
}

function applyOne(
  scene: ServerScene,
  object: ServerObject,
  kept: KeptChange,
  writes: readonly Write[],
  proposer: NodeId,
): void {
  const { state, settings } = scene
  object.unapplied.delete(kept.version)
  object.doubtful.delete(kept.version)
  const touched = applyWrites(object.content, kept.version, kept.digest, writes)
  remember(object, kept, settings)
  const asked = touched.filter(session => forget(state, object, session))
  answerTouched(scene, object, touched, asked, proposer)
  tellWatchers(scene, object, kept)
}
