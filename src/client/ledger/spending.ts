// What an owner signs, but for the signature: the fields that every spending has, and what its kind adds to them.

import type { Spending, Transaction } from '../../ledger/index.ts'
import { peerId } from './checks.ts'
import type { Burning } from './options.ts'

/** Makes a transaction of the fields. */
export type Making = (fields: Spending) => Transaction

export function burning({ into, expires = 0 }: Burning): Making {
  const peer = peerId(into)
  return fields => ({ kind: 'burn', ...fields, peer, expires })
}
