// A table page by page: for checkpoints of a log, and for those who copy it.

import { encode } from '../../core/index.ts'
import { ANSWER_BYTES_MAX, ENTRIES_MAX, type Write } from '../wire.ts'
import { type Content, sessionCodec, sessionKey } from './content.ts'

export function keysOf({ table, sessions }: Content): string[] {
  const keys = [...table.keys()]
  for (const session of sessions.keys()) keys.push(sessionKey(session))
  return keys
}

/** Entries of these keys from a place on, as many as fit, and the place of the first that does not. */
export function page(
  content: Content,
  keys: readonly string[],
  from: number,
  bytesMax = ANSWER_BYTES_MAX,
): { entries: Write[]; next: number; bytes: number } {
  const entries: Write[] = []
  let bytes = 0
  let next = from
  for (; next < keys.length && entries.length < ENTRIES_MAX; next++) {
    const key = keys[next]!
    const value = valueUnder(content, key)
    // Removed since the keys were listed: the change that did it says so.
    if (value === undefined) continue
    const size = key.length + value.length
    if (entries.length > 0 && bytes + size > bytesMax) break
    bytes += size
    entries.push({ key, value })
  }
  return { entries, next, bytes }
}

function valueUnder({ table, sessions }: Content, key: string): Uint8Array | undefined {
  if (key.charCodeAt(0) !== 0) return table.get(key)
  const session = sessions.get(key.slice(sessionKey('').length))
  return session === undefined ? undefined : encode(sessionCodec, session)
}
