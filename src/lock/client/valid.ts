// What a caller may ask for. The API above checks the same and says it better. But what cannot be said on the wire would
// end the node, so it is refused here.

import type { Millis } from '../../core/index.ts'
import { NAME_BYTES_MAX, TOKEN_MAX, TTL_MAX } from '../wire.ts'
import type { AcquireCommand } from './state.ts'

const utf8 = new TextEncoder()

/** Why this cannot be asked of a server, or undefined. */
export function whatIsWrong({ name, ttl, hint }: AcquireCommand): string | undefined {
  if (!isName(name)) return `the name is not text of 1 to ${NAME_BYTES_MAX} bytes`
  if (!isTtl(ttl)) return `the ttl is not a whole number of milliseconds from 1 to ${TTL_MAX}`
  if (!isToken(hint)) return `the hint is not a whole number from 0 to ${TOKEN_MAX}`
  return undefined
}

export function isTtl(ttl: Millis): boolean {
  return Number.isSafeInteger(ttl) && ttl >= 1 && ttl <= TTL_MAX
}

export function isToken(token: number): boolean {
  return Number.isSafeInteger(token) && token >= 0 && token <= TOKEN_MAX
}

export function isName(name: string): boolean {
  if (typeof name !== 'string' || name === '' || name.length > NAME_BYTES_MAX || !name.isWellFormed()) return false
  return utf8.encode(name).length <= NAME_BYTES_MAX
}
