// The last changes of an object, for those who lag and those who watch.

import { ANSWER_BYTES_MAX, CHANGES_MAX, type VersionChange } from './messages.ts'
import type { KeptChange, ServerObject } from './objects.ts'
import type { OrderingSettings } from './settings.ts'

export function keep(object: ServerObject, change: KeptChange, settings: OrderingSettings): void {
  const { suffix } = object
  suffix.push(change)
  object.suffixBytes += change.change.length
  if (suffix.length <= settings.suffixMax && object.suffixBytes <= settings.suffixBytesMax) return
  // Half at once: taking one off the front of a long array each time would cost more than keeping it.
  const dropped = suffix.splice(0, Math.max(1, suffix.length >> 1))
  for (const { change: old } of dropped) object.suffixBytes -= old.length
}

/** The changes after a version, as many as an answer takes; undefined where they are no longer known. */
export function changesAfter(object: ServerObject, from: number): readonly VersionChange[] | undefined {
  const { suffix, content, ahead } = object
  const first = content.version - suffix.length + 1
  if (from + 1 < first) return undefined
  const found: VersionChange[] = []
  let room = ANSWER_BYTES_MAX
  for (let version = from + 1; found.length < CHANGES_MAX; version++) {
    const kept = suffix[version - first] ?? ahead.get(version)
    if (kept === undefined) break
    room -= kept.change.length
    if (room < 0 && found.length > 0) break
    found.push({ version, change: kept.change })
  }
  return found
}
