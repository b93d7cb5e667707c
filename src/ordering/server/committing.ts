// A server learns that a version is decided: it goes on to it where it has the change, answers the sessions' clients,
// and tells those who watch. Where changes are missing it lags: it vouches for what it knows to be committed, and
// fetches the content from the others.

import { sameBytes } from '../../core/index.ts'
import type { Head } from '../wire.ts'
import { apply } from './applying.ts'
import { fetchMissing } from './catching-up.ts'
import type { ServerObject, ServerScene } from './state.ts'
import { keepUnapplied } from './unapplied.ts'

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
