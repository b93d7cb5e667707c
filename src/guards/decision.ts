// What every guard of this folder checks before it decides: tokens and resources as callers give them. The decision
// itself is in the core, where the simulator uses it too: src/core/fencing.ts says why a guard is needed.

import { kindOf, SettingsError } from '../core/index.ts'

export { type Decision, decide } from '../core/index.ts'

/** Tokens fit in a signed 64-bit integer, so that every database and language can keep one. */
export const TOKEN_MAX = 2n ** 63n - 1n
/** Digits of TOKEN_MAX. Longer text is refused before anything is computed from it. */
export const TOKEN_DIGITS_MAX = 19
/** In bytes of UTF-8. A PostgreSQL index entry, a header and a log line all have room for it. */
export const RESOURCE_BYTES_MAX = 512

/** A token from text, or undefined where it is not the one decimal form of a whole number from 0 to TOKEN_MAX. */
export function parseToken(text: string): bigint | undefined {
  if (text.length > TOKEN_DIGITS_MAX || !/^(?:0|[1-9][0-9]*)$/.test(text)) return undefined
  const token = BigInt(text)
  return token <= TOKEN_MAX ? token : undefined
}

/** A token as callers have it: `lease.token`, `hold.token`, or `term.number`. */
export type Token = bigint | number

/** The token as guards compare it; refuses what is none. A number beyond 2^53 is not the number that was meant. */
export function checkToken(token: Token): bigint {
  const whole = typeof token === 'number' && Number.isSafeInteger(token) ? BigInt(token) : token
  if (typeof whole === 'bigint' && whole >= 0n && whole <= TOKEN_MAX) return whole
  const said = typeof token === 'bigint' || typeof token === 'number' ? String(token) : kindOf(token)
  throw new SettingsError(
    `the token is ${said}; it must be a whole number from 0 to ${TOKEN_MAX}: lease.token, or term.number.`,
  )
}

export function checkResource(resource: string): void {
  if (isResource(resource)) return
  throw new SettingsError(
    `the resource is ${typeof resource === 'string' ? JSON.stringify(resource) : kindOf(resource)}; it must be text of 1 to ${RESOURCE_BYTES_MAX} bytes of UTF-8, without NUL.`,
  )
}

/** NUL is left out because PostgreSQL's text cannot hold it. */
export function isResource(resource: string): boolean {
  if (typeof resource !== 'string' || !resource.isWellFormed() || resource.includes('\0')) return false
  const length = Buffer.byteLength(resource)
  return length > 0 && length <= RESOURCE_BYTES_MAX
}
