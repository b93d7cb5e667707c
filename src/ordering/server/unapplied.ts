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

/** Bytes of changes of one object that wait for those before them. */
export const UNAPPLIED_BYTES_MAX = 64 * 2 ** 20
/** And how many: they are counted for every proposal while the server lags. */
const UNAPPLIED_MAX = 10_000

/**
 * Whether the server takes no more that it cannot apply: it catches up first. Nothing is thrown away for it, and what is not
 * taken is said again, or taken by others.
 */
export function isLaden({ unapplied, doubtful, content }: ServerObject, version: number): boolean {
  if (version <= content.version + 1) return false
  if (unapplied.size + doubtful.size >= UNAPPLIED_MAX) return true
  let bytes = 0
  for (const { change } of unapplied.values()) bytes += change.length
  for (const { change } of doubtful.values()) bytes += change.length
  return bytes >= UNAPPLIED_BYTES_MAX
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
