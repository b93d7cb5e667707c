// What can go wrong with a ledger, in sentences that say whether it may have happened.

import { CoterieError, type Outcome } from '../../core/index.ts'
import type { LedgerReceipt, RefusalCode, Transaction } from '../../ledger/index.ts'

/** Servers refused a transaction: `code` says why, and `outcome` whether the same bytes may still be appended later. */
export class LedgerRefused extends CoterieError {
  override readonly name = 'LedgerRefused'
  readonly outcome: Outcome
  readonly code: RefusalCode
  /** The certified size at which it was refused. */
  readonly size: number

  constructor(
    ledger: string,
    code: RefusalCode,
    why: string,
    at: { readonly size: number; readonly final: boolean; readonly kind?: Transaction['kind'] | undefined },
  ) {
    const certain = at.final
      ? 'It did not happen, and never will.'
      : `By then it had not happened, but ${mayStill(at.kind)}`
    super(`ledger '${ledger}' refused at size ${at.size}: ${why} ${certain}`)
    this.code = code
    this.size = at.size
    this.outcome = at.final ? 'did not happen' : 'may have happened'
  }
}

/** How bytes that were refused for now may still become a leaf, and what prevents it. */
function mayStill(kind: Transaction['kind'] | undefined): string {
  switch (kind) {
    case 'transfer':
    case 'burn':
    case 'move':
      return 'whoever has its bytes may append them while its sequence is free: spend the sequence otherwise to be sure.'
    case 'mint':
      return 'whoever shows the burn may mint it later: make the burn void to be sure that nobody does.'
    case 'refund':
      return 'whoever shows the void may refund it later. It goes to the one who burned.'
    case 'link':
      return 'whoever has its bytes may append them while its number is free: sign another link to be sure.'
    default:
      return 'whoever has its bytes may append them when that has changed.'
  }
}

/** No certificate came in time: it may have happened. The same transaction, handed in again, is appended at most once. */
export class LedgerUnanswered extends CoterieError {
  override readonly name = 'LedgerUnanswered'
  readonly outcome: Outcome
  /** The transaction's bytes, where there is one: `submit` takes them again. */
  readonly leaf: Uint8Array | undefined

  constructor(ledger: string, why: string, leaf?: Uint8Array) {
    const certain =
      leaf === undefined
        ? 'Nothing was changed.'
        : 'It may have happened: index unknown. Hand in the same bytes again (submit) to find out.'
    super(`ledger '${ledger}' gave no answer: ${why} ${certain}`)
    this.leaf = leaf
    this.outcome = leaf === undefined ? 'did not happen' : 'may have happened'
  }
}

/** A move that has left one ledger and not arrived in the other. Nothing is lost: `resume` mints, `refundMove` takes it back. */
export class MoveInFlight extends CoterieError {
  override readonly name = 'MoveInFlight'
  readonly outcome = 'may have happened'
  readonly burn: LedgerReceipt

  constructor(burn: LedgerReceipt, why: unknown) {
    super(
      `in flight: burn ${burn.index}. ${why instanceof Error ? why.message : String(why)} Resume it, or take it back (refundMove).`,
    )
    this.burn = burn
    this.cause = why
  }
}
