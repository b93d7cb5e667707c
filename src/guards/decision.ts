// The one idea of this folder. A guard stands before a resource, remembers the largest token it has let pass, and
// refuses a smaller one: always, and atomically with the write that it protects.
//
// Why: a lease ends by the clock, and a process can stand still between looking at the clock and writing (a full
// garbage collection, a suspended laptop, a slow disk). When it wakes, somebody else holds the lock. Only the
// resource itself can refuse the late write, and it needs nothing but the number (PROTOCOLS E 3, E 7).
//
// Equal tokens pass: the same holder writes again. Nothing here asks who holds the lock now, or what time it is.

import { SettingsError } from '../core/index.ts'

/** Tokens fit in a signed 64-bit integer, so that every database and language can keep one. */
export const TOKEN_MAX = 2n ** 63n - 1n
/** Digits of TOKEN_MAX. Longer text is refused before anything is computed from it. */
export const TOKEN_DIGITS_MAX = 19
/** In bytes of UTF-8. A PostgreSQL index entry, a header and a log line all have room for it. */
export const RESOURCE_BYTES_MAX = 512

export interface Decision {
  readonly pass: boolean
  /** The largest token let pass so far, this one included. */
  readonly seen: bigint
}

/** May a write with `token` pass where `seen` is the largest that did? `undefined`: none did yet. */
export function decide(seen: bigint | undefined, token: bigint): Decision {
  return seen === undefined || token >= seen ? { pass: true, seen: token } : { pass: false, seen }
}

/** A token from text, or undefined where it is not the one decimal form of a whole number from 0 to TOKEN_MAX. */
export function parseToken(text: string): bigint | undefined {
  if (text.length > TOKEN_DIGITS_MAX || !/^(?:0|[1-9][0-9]*)$/.test(text)) return undefined
  const token = BigInt(text)
  return token <= TOKEN_MAX ? token : undefined
}

/** A caller's mistake, found before it does harm: a number in place of a bigint, a token of something else. */
export function checkToken(token: bigint): void {
  if (typeof token === 'bigint' && token >= 0n && token <= TOKEN_MAX) return
  throw new SettingsError(`the token is ${String(token)}; it must be a bigint from 0 to ${TOKEN_MAX}: lease.token.`)
}

export function checkResource(resource: string): void {
  if (isResource(resource)) return
  throw new SettingsError(
    `the resource is ${JSON.stringify(resource)}; it must be text of 1 to ${RESOURCE_BYTES_MAX} bytes of UTF-8, without NUL.`,
  )
}

/** NUL is left out because PostgreSQL's text cannot hold it. */
export function isResource(resource: string): boolean {
  if (typeof resource !== 'string' || !resource.isWellFormed() || resource.includes('\0')) return false
  const length = Buffer.byteLength(resource)
  return length > 0 && length <= RESOURCE_BYTES_MAX
}
