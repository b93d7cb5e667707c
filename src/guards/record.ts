// The token record beside a guarded file: one line, `1 TOKEN NAME`. The 1 is the format's version.

import { parseToken } from './decision.ts'

export interface TokenRecord {
  readonly token: bigint
  /** The write's own random name: says whether data that still waits belongs to the accepted write. */
  readonly name: string
}

/** Version, 19 digits, name and spaces, with room to spare. */
export const RECORD_BYTES_MAX = 100

export function formatRecord({ token, name }: TokenRecord): string {
  return `1 ${token} ${name}\n`
}

export function parseRecord(text: string): TokenRecord | undefined {
  const [, digits, name] = /^1 ([0-9]{1,19}) ([0-9a-f]{1,32})\n?$/.exec(text) ?? []
  const token = digits === undefined ? undefined : parseToken(digits)
  return token === undefined || name === undefined ? undefined : { token, name }
}
