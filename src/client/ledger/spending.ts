// What an owner signs, but for the signature: the fields that every spending has, and what its kind adds to them.

import type { Transaction } from '../../ledger/index.ts'
import { peerId } from './checks.ts'
import type { Burning } from './options.ts'

interface SpendingFields {
  readonly register: number
  readonly from: Uint8Array
  readonly sequence: number
  readonly asset: Uint8Array
  readonly to: Uint8Array
  readonly amount: bigint
  readonly until: number
  readonly signature: Uint8Array
}

/** Makes a transaction of the fields. */
export type Making = (fields: SpendingFields) => Transaction

export function burning({ into, expires = 0 }: Burning): Making {
  const peer = peerId(into)
  return fields => ({ kind: 'burn', ...fields, peer, expires })
}
