// A server learns that a version is decided: it goes on to it where it has the change, answers the sessions' clients,
// and tells those who watch. Where changes are missing it lags: it vouches for what it knows to be committed, and
// fetches the content from the others.

import type { NodeId } from '../../core/index.ts'
import { applyWrites, decodeChange } from '../versions/content.ts'
import { sameBytes } from '../versions/digest.ts'
import type { Head, Write } from '../wire.ts'
import { fetchMissing } from './catching-up.ts'
import { forget } from './pending.ts'
import { remember } from './recent-changes.ts'
import { saveLazily } from './records.ts'
import { answerTouched } from './sessions.ts'
import type { KeptChange, LinkedChange, ServerObject, ServerScene } from './state.ts'
import { tellWatchers } from './watchers.ts'

export function commitTo(scene: ServerScene, object: ServerObject, head: Head): void {
  const { settings } = scene
  if (head.version !== object.committed.version && settings.rules.mayCommit(head.version, object.committed.version)) {
    object.committed = { version: head.version, digest: head.digest }
  }
  takeProposed(scene, object, head)
  if (object.content.version < object.committed.version) fetchMissing(scene, object)
}

// Also where something newer is known to be committed: the log will say of this one that it is, by what is built on it,
// and a server must not stand behind its own log. Entries of an older version would be put over it.
function takeProposed(scene: ServerScene, object: ServerObject, head: Head): void {
  const { proposed, content } = object
  if (proposed === undefined || proposed.version <= content.version) return
  if (proposed.version !== head.version || !sameBytes(proposed.digest, head.digest)) return
  if (proposed.version > content.version + 1) return keepUnapplied(object, proposed)
  const { version, digest, change, writes } = proposed
  apply(scene, object, { version, digest, change }, writes, proposed.rank.client)
}

/**
 * The next proposal takes the place of this one, and this server cannot apply it yet. Thrown away, it might be nowhere
 * any more: when all servers have missed something, each another thing, and the client that had it all is gone.
 */
export function keepUnapplied(object: ServerObject, { version, digest, parent, change }: LinkedChange): void {
  object.unapplied.set(version, { version, digest, parent, change })
}

/** More gaps than this while it lags: the oldest is given up. */
const DOUBTFUL_MAX = 256

/** A later version takes the place of this one. */
export function keepDoubtful(object: ServerObject, before: LinkedChange | undefined, next: number): void {
  const { content, unapplied, doubtful } = object
  if (before === undefined || before.version <= content.version || before.version >= next) return
  if (unapplied.has(before.version)) return
  const { version, digest, parent, change } = before
  doubtful.delete(version)
  doubtful.set(version, { version, digest, parent, change })
  if (doubtful.size > DOUBTFUL_MAX) doubtful.delete(doubtful.keys().next().value!)
}

/** What the content has reached is kept no longer. */
export function forgetApplied({ content, unapplied, doubtful }: ServerObject): void {
  for (const version of unapplied.keys()) if (version <= content.version) unapplied.delete(version)
  for (const version of doubtful.keys()) if (version <= content.version) doubtful.delete(version)
}

/** The next version, where it is known to be committed and its change is here. */
export function followerOf({ unapplied, content }: ServerObject): LinkedChange | undefined {
  const next = unapplied.get(content.version + 1)
  return next !== undefined && sameBytes(next.parent, content.digest) ? next : undefined
}

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
  const { settings } = scene
  object.unapplied.delete(kept.version)
  object.doubtful.delete(kept.version)
  const touched = applyWrites(object.content, kept.version, kept.digest, writes)
  remember(object, kept, settings)
  const asked = touched.filter(session => forget(object, session))
  answerTouched(scene, object, touched, asked, proposer)
  tellWatchers(scene, object, kept)
}
