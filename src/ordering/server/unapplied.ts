// Changes that a server has and cannot apply yet, or no longer knows to be wanted. Nothing of it is thrown away while it
// may be the only copy.

import { sameBytes } from '../../core/index.ts'
import type { LinkedChange } from '../versions/content.ts'
import type { ServerObject } from './state.ts'

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
