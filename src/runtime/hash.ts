// SHA-256 by OpenSSL: for large values ten times as fast as the one in TypeScript.

import crypto from 'node:crypto'

/** In one call where the platform has it: a third less for the short inputs of which there are the most. */
export const sha256: (input: Uint8Array) => Uint8Array =
  typeof crypto.hash === 'function'
    ? input => crypto.hash('sha256', input, 'buffer')
    : input => crypto.createHash('sha256').update(input).digest()
