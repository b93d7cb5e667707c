// Values as users give them: text or bytes, taken everywhere the same way. Whatever else it is, it is refused by name:
// `[104, 300]` is no text, and to take it for the bytes 104 and 44 would be a value that nobody meant.

import { kindOf, SettingsError } from '../core/index.ts'

/** What an entry, an item or a condition may hold. */
export type Value = string | Uint8Array

const ENCODER = new TextEncoder()

/** The bytes of a value. `what`: how the caller named it. */
export function bytesOf(value: Value, what = 'value'): Uint8Array {
  if (typeof value === 'string') {
    if (value.isWellFormed()) return ENCODER.encode(value)
    throw new SettingsError(`${what} is text with half a character (a lone surrogate); give it as bytes.`)
  }
  if (value instanceof Uint8Array) return value
  throw new SettingsError(`${what} must be text or bytes, not ${kindOf(value)}.`)
}
