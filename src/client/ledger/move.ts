// Value from one ledger to another, exactly once: burned there, minted here, or made void here and refunded there. No clock
// is used, and whoever is stopped between two steps goes on from the burn.

import { called, optionsSchema, type Rule, required, textOf } from '../../core/index.ts'
import type { LedgerReceipt } from '../../ledger/index.ts'
import { NotProven, verifyReceipt } from '../../ledger/index.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import { type WaitOptions, waitRules } from '../waiting.ts'
import type { Account } from './accounts.ts'
import { LedgerRefused, MoveInFlight } from './errors.ts'
import type { Ledger } from './ledger.ts'

/** What to move, and where. */
export interface MoveOptions extends WaitOptions {
  readonly out: Ledger
  readonly into: Ledger
  readonly from: Account
  /** The key that gets it in the other ledger. */
  readonly to: string
  readonly amount: bigint
  /** Whose coins, where they are not the first ledger's own: the id of `into` on the way back. */
  readonly asset?: string
  /** Is given the signed burn before anybody else sees it: keep it, and `resume` it after a crash. */
  readonly save?: (burn: Uint8Array) => void | Promise<void>
  /** Is told how far it has come. */
  readonly progress?: (step: MoveStep) => void
}

const thing = (must: string): Rule => ({ must, fits: value => typeof value === 'object' && value !== null })
const checkMove = optionsSchema<MoveOptions>({
  out: required(thing('the ledger that it leaves')),
  into: required(thing('the ledger that it comes to')),
  from: required(thing('the account that pays')),
  to: required(textOf('the key that gets it')),
  amount: required({ must: 'a bigint', fits: value => typeof value === 'bigint' }),
  asset: textOf('the id of a ledger'),
  save: called('that keeps the signed burn'),
  progress: called('that is told how far it has come'),
  ...waitRules,
})

/** How far a move has come. */
export type MoveStep =
  | { readonly step: 'signed'; readonly burn: Uint8Array }
  | { readonly step: 'burned'; readonly receipt: LedgerReceipt }
  | { readonly step: 'minted'; readonly receipt: LedgerReceipt | undefined }

/** A move that has arrived. */
export interface Moved {
  readonly burn: LedgerReceipt
  /** Undefined where somebody else minted it: anybody may. */
  readonly mint: LedgerReceipt | undefined
  /** Throws: it was minted. For a move in flight, `refundMove`. */
  refund(): Promise<LedgerReceipt>
}

/** Moves value between two linked ledgers. Rejects with `MoveInFlight` where it was burned and not yet minted. */
export async function move(options: MoveOptions): Promise<Moved> {
  checkMove('move', options)
  const { out, into, from, to, amount, asset, save, progress } = options
  const payment = { from, to, amount, into, ...(asset !== undefined && { asset }) }
  const burn = await out.prepareBurn(payment, waitOf(options))
  try {
    await save?.(burn.leaf)
    progress?.({ step: 'signed', burn: burn.leaf })
  } catch (error) {
    burn.drop()
    throw error
  }
  return arrive(await burn.send(), options)
}

/** Goes on with a move from its saved burn: nothing is done twice. */
export async function resume(
  burn: Uint8Array,
  options: WaitOptions & Pick<MoveOptions, 'out' | 'into' | 'from' | 'progress'>,
): Promise<Moved> {
  return arrive(await options.out.submit(burn, waitOf(options)), options)
}

/** Takes a move in flight back: makes the burn void where it could be minted, and refunds it. Rejects where it was minted. */
export async function refundMove(
  burn: LedgerReceipt,
  options: WaitOptions & Pick<MoveOptions, 'out' | 'into' | 'from'>,
): Promise<LedgerReceipt> {
  const { out, into, from } = options
  const voided = await into.void(burn, from, waitOf(options))
  return out.refund(voided, waitOf(options))
}

async function arrive(
  burn: LedgerReceipt,
  options: WaitOptions & Pick<MoveOptions, 'out' | 'into' | 'from' | 'progress'>,
): Promise<Moved> {
  const { out, into, progress } = options
  if (verifyReceipt(burn, out.descriptor, ledgerCryptoOf()).kind !== 'burn')
    throw new NotProven('the receipt is of no burn.')
  progress?.({ step: 'burned', receipt: burn })
  const mint = await mintOnce(burn, into, waitOf(options)).catch(error => {
    throw new MoveInFlight(burn, error)
  })
  progress?.({ step: 'minted', receipt: mint })
  return { burn, mint, refund: () => refundMove(burn, options) }
}

/** Another process, or anybody, may have minted it: that is an arrival too. */
async function mintOnce(burn: LedgerReceipt, into: Ledger, options: WaitOptions): Promise<LedgerReceipt | undefined> {
  try {
    return await into.mint(burn, options)
  } catch (error) {
    if (!(error instanceof LedgerRefused) || error.code !== 'spent') throw error
    if ((await into.fate(burn, options)) === 'minted') return undefined
    throw error
  }
}

function waitOf({ timeout, signal }: WaitOptions): WaitOptions {
  return { ...(timeout !== undefined && { timeout }), ...(signal && { signal }) }
}
