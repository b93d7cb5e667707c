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
  const { suffix, content } = object
  if (from >= content.version) return []
  const start = from + 1 - (content.version - suffix.length + 1)
  if (start < 0) return undefined
  const found: VersionChange[] = []
  let room = ANSWER_BYTES_MAX
  for (let at = start; at < suffix.length && found.length < CHANGES_MAX; at++) {
    const { version, change } = suffix[at]!
    room -= change.length
    if (room < 0 && found.length > 0) break
    found.push({ version, change })
  }
  return found
}
