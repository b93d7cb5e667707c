// What an owner of the scenario has to do: one task after the other, each a leaf that ends in a receipt or a refusal.

import type { Descriptor } from '../genesis.ts'
import type { LedgerReceipt } from '../receipt.ts'
import type { Evidence } from '../transactions.ts'

export interface Task {
  readonly owner: string
  readonly ledger: Descriptor
  leaf: () => Uint8Array
  /** It uses the account's sequence. */
  readonly spends: boolean
  readonly followed?: (receipt: LedgerReceipt) => void
  /** What to do instead, by the code of the refusal. */
  readonly instead?: Readonly<Record<string, () => void>>
  readonly ended?: () => void
}

/** Whose, out of which ledger and into which. */
export interface Way {
  readonly owner: string
  readonly from: Descriptor
  readonly to: Descriptor
}

/** Under which name the next sequence of an account is kept. */
export function sequenceName({ owner, ledger }: Pick<Task, 'owner' | 'ledger'>): string {
  return `${owner} ${ledger.hex}`
}

/** A receipt, shown to the other ledger. */
export function proof({ ledger, leaf, index, path, checkpoint }: LedgerReceipt): Evidence {
  return { kind: 'proof', ledger, leaf, index, path, checkpoint }
}
