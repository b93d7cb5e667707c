// What an event carries, as bytes: JSON or bytes as they are, told apart by the first one. And what a channel's schema says
// of it: any library that speaks Standard Schema (version 1), described here by the little of it that is used.

import { Shelf } from '../../core/bytes.ts'
import { SettingsError } from '../../core/index.ts'
import { whyNotJson } from '../objects/json.ts'

/** What is used of a Standard Schema, version 1. */
export interface Checked<Payload = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): Verdict<Payload> | Promise<Verdict<Payload>>
    readonly types?: { readonly input: unknown; readonly output: Payload } | undefined
  }
}

/** What a Standard Schema says of a value. */
export type Verdict<Payload> =
  | { readonly value: Payload; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

const BYTES = 0
const JSON_TEXT = 1
const NOTHING = 2
/** What is packed is encoded at once. */
const shelf = new Shelf()

/** The payload as it travels. */
export function packPayload(payload: unknown): Uint8Array {
  if (payload === undefined) return new Uint8Array([NOTHING])
  const isBytes = payload instanceof Uint8Array
  const body = isBytes ? payload : new TextEncoder().encode(asJson(payload))
  const packed = shelf.take(1 + body.length)
  packed[0] = isBytes ? BYTES : JSON_TEXT
  packed.set(body, 1)
  return packed
}

/** The text of a payload; refuses what JSON would turn into something else. */
export function asJson(payload: unknown): string {
  const why = whyNotJson(payload, 'payload')
  if (why === undefined) return JSON.stringify(payload)
  throw new SettingsError(`${why}, and JSON has no word for that: a payload is JSON or bytes.`)
}

/** The payload of an event that came; undefined where it has none, or none that can be read. */
export function unpackPayload(packed: Uint8Array): unknown {
  const body = packed.subarray(1)
  if (packed[0] === BYTES) return new Uint8Array(body)
  if (packed[0] !== JSON_TEXT) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    // Another author's library wrote it; the schema, if there is one, says what is missing.
    return undefined
  }
}

/** The payload as the schema makes it, or why it does not fit; `broken` where the schema itself threw. */
export type Judged = { readonly value: unknown } | { readonly why: string; readonly broken: boolean }

/** What the schema makes of it, or why it does not fit. Never throws: what comes is somebody else's, and so may be what breaks a schema. */
export async function checkedPayload(check: Checked | undefined, payload: unknown): Promise<Judged> {
  if (check === undefined) return { value: payload }
  try {
    const verdict = await check['~standard'].validate(payload)
    if (verdict.issues === undefined) return { value: verdict.value }
    return { why: verdict.issues.map(({ message }) => message).join('; ') || 'it does not fit', broken: false }
  } catch (error) {
    return { why: `the check threw: ${error instanceof Error ? error.message : String(error)}`, broken: true }
  }
}
