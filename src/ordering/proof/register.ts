// What the simulated users share: registers by key, and a log of everything that was ever applied, so that at the end
// any honest server can be asked for the one order.

import type { Applier, ApplyContext, TableView } from '../applier.ts'

/** An operation on a table of registers. */
export type RegisterOperation =
  | { readonly kind: 'read'; readonly id: number; readonly key: string }
  | { readonly kind: 'write'; readonly id: number; readonly key: string; readonly value: string }
  | { readonly kind: 'swap'; readonly id: number; readonly key: string; readonly old: string; readonly value: string }

/** What a register answers. */
export interface RegisterResult {
  /** The value before. */
  readonly value: string
  readonly swapped: boolean
}

/** One applied operation. */
export interface Entry {
  readonly version: number
  readonly operation: RegisterOperation
}

const utf8 = new TextEncoder()
const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
const COUNT = 'count'

/** The body of an operation or a response. */
export function encodeWords(value: unknown): Uint8Array {
  return utf8.encode(JSON.stringify(value))
}

/** The value in the body of an operation or a response. */
export function decodeWords<T>(body: Uint8Array): T {
  return JSON.parse(text.decode(body)) as T
}

/** What an operation does to a register that holds `value`. */
export function perform(operation: RegisterOperation, value: string): { result: RegisterResult; after: string } {
  if (operation.kind === 'read') return { result: { value, swapped: false }, after: value }
  if (operation.kind === 'write') return { result: { value, swapped: true }, after: operation.value }
  const swapped = operation.old === value
  return { result: { value, swapped }, after: swapped ? operation.value : value }
}

/** Registers as an object, for simulations. */
export const registers: Applier = {
  apply(view: TableView, body: Uint8Array, { version }: ApplyContext): Uint8Array {
    const operation = decodeWords<RegisterOperation>(body)
    const stored = view.get(`key ${operation.key}`)
    const { result, after } = perform(operation, stored === undefined ? '' : decodeWords<string>(stored))
    if (after !== result.value) view.set(`key ${operation.key}`, encodeWords(after))
    const counted = view.get(COUNT)
    const place = counted === undefined ? 0 : decodeWords<number>(counted)
    view.set(COUNT, encodeWords(place + 1))
    view.set(`log ${place}`, encodeWords({ version, operation } satisfies Entry))
    return encodeWords(result)
  },
}

/** Everything that was applied, in order. */
export function logOf(table: ReadonlyMap<string, Uint8Array>): Entry[] {
  const counted = table.get(COUNT)
  const count = counted === undefined ? 0 : decodeWords<number>(counted)
  return Array.from({ length: count }, (_, place) => decodeWords<Entry>(table.get(`log ${place}`)!))
}
