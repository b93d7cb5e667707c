// The last changes of an object, for those who lag and those who watch.

import type { OrderingSettings } from '../settings.ts'
import type { KeptChange } from '../versions/content.ts'
import { ANSWER_BYTES_MAX, CHANGES_MAX, type VersionChange } from '../wire.ts'
import type { ServerObject } from './state.ts'

export function remember(object: ServerObject, change: KeptChange, settings: OrderingSettings): void {
  const { recent } = object
  recent.push(change)
  object.recentBytes += change.change.length
  if (recent.length <= settings.recentChangesMax && object.recentBytes <= settings.recentBytesMax) return
  // Half at once: taking one off the front of a long array each time would cost more than keeping it.
  const dropped = recent.splice(0, Math.max(1, recent.length >> 1))
  for (const { change: old } of dropped) object.recentBytes -= old.length
}

/** The changes after a version, as many as an answer takes; undefined where they are no longer known. */
export function changesAfter(object: ServerObject, from: number): readonly VersionChange[] | undefined {
  const { recent, content, unapplied } = object
  const first = content.version - recent.length + 1
  if (from + 1 < first) return undefined
  const found: VersionChange[] = []
  let bytesLeft = ANSWER_BYTES_MAX
  for (let version = from + 1; found.length < CHANGES_MAX; version++) {
    const kept = recent[version - first] ?? unapplied.get(version)
    if (kept === undefined) break
    bytesLeft -= kept.change.length
    if (bytesLeft < 0 && found.length > 0) break
    found.push({ version, change: kept.change })
  }
  return found
}
