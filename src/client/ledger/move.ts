// Value from one ledger to another, exactly once: burned there, minted here, or made void here and refunded there. No clock
// is used, and a client that is stopped between two steps goes on from the burn.

import { called, optionsSchema, required, textOf } from '../../core/index.ts'
import type { LedgerReceipt } from '../../ledger/index.ts'
import { NotProven, toHex, verifyReceipt } from '../../ledger/index.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import { type WaitOptions, waitRules } from '../waiting.ts'
import type { Account } from './accounts.ts'
import { LedgerRefused, MoveInFlight } from './errors.ts'
import type { Ledger } from './ledger.ts'
import { account, checkReceipt, ledger } from './options.ts'

/** Between which ledgers, and whose coins: what a move that was begun is taken back with. */
export interface MoveBetween extends WaitOptions {
  readonly out: Ledger
  readonly into: Ledger
  readonly from: Account
}

/** How a move that was begun goes on. */
export interface ResumeOptions extends MoveBetween {
  /** Is told how far it has come. */
  readonly progress?: (step: MoveStep) => void
}

/** What to move, and where. */
export interface MoveOptions extends ResumeOptions {
  /** The key that gets it in the other ledger. */
  readonly to: string
  readonly amount: bigint
  /** Whose coins, where they are not the first ledger's own: the id of `into` on the way back. */
  readonly asset?: string
  /** Is given the signed burn before anybody else sees it: keep it, and `resume` it after a crash. */
  readonly save?: (burn: Uint8Array) => void | Promise<void>
}

const betweenRules = {
  out: required(ledger),
  into: required(ledger),
  from: required(account),
  ...waitRules,
}
const resumeRules = { ...betweenRules, progress: called('that is told how far it has come') }
const checkMove = optionsSchema<MoveOptions>({
  ...resumeRules,
  to: required(textOf('the key that gets it')),
  amount: required({ must: 'a bigint', fits: value => typeof value === 'bigint' }),
  asset: textOf('the id of a ledger'),
  save: called('that keeps the signed burn'),
})

const checkBetween = optionsSchema<MoveBetween>(betweenRules)
const checkResume = optionsSchema<ResumeOptions>(resumeRules)

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
export async function resume(burn: Uint8Array, options: ResumeOptions): Promise<Moved> {
  checkResume('resume', options)
  return arrive(await options.out.submit(burn, waitOf(options)), options)
}

/** Takes a move in flight back: makes the burn void where it could be minted, and refunds it. Rejects where it was minted. */
export async function refundMove(burn: LedgerReceipt, options: MoveBetween): Promise<LedgerReceipt> {
  checkReceipt('burn', burn)
  checkBetween('refundMove', options)
  const { out, into, from } = options
  const wait = waitOf(options)
  const voided = await shown(out, into, burn, wait, one => into.void(one, from, wait)).catch(async error => {
    // It was made void before, by one who was stopped then: that leaf is as good.
    if (!(error instanceof LedgerRefused) || error.code !== 'spent') throw error
    if ((await into.fate(burn, wait)) !== 'void') throw error
    return into.proof(await voidOf(into, burn, wait), wait)
  })
  return shown(into, out, voided, wait, one => out.refund(one, wait))
}

async function voidOf(into: Ledger, burn: LedgerReceipt, options: WaitOptions): Promise<number> {
  for await (const { index, transaction } of into.log(0, options)) {
    if (transaction.kind !== 'void' || transaction.evidence.index !== burn.index) continue
    const { evidence } = transaction
    if (evidence.kind === 'own' || toHex(evidence.ledger) === toHex(burn.ledger)) return index
  }
  throw new NotProven(`ledger '${into.name}' says that burn ${burn.index} was made void, and its log does not show it.`)
}

/** Shows a leaf of one ledger to another. Where keepers changed meanwhile they are followed, and it is shown by those of now. */
async function shown(
  from: Ledger,
  to: Ledger,
  leaf: LedgerReceipt,
  options: WaitOptions,
  act: (leaf: LedgerReceipt) => Promise<LedgerReceipt>,
): Promise<LedgerReceipt> {
  try {
    return await act(leaf)
  } catch (error) {
    const outdated = error instanceof LedgerRefused && (error.code === 'evidence' || error.code === 'epoch')
    if (!outdated) throw error
    await to.follow(from, options)
    return act(await from.proof(leaf.index, options))
  }
}

async function arrive(burn: LedgerReceipt, options: ResumeOptions): Promise<Moved> {
  const { out, progress } = options
  if (verifyReceipt(burn, out.descriptor, ledgerCryptoOf()).kind !== 'burn')
    throw new NotProven('the receipt is of no burn.')
  progress?.({ step: 'burned', receipt: burn })
  const mint = await mintOnce(burn, options).catch(error => {
    throw new MoveInFlight(burn, error)
  })
  progress?.({ step: 'minted', receipt: mint })
  const { into, from } = options
  return { burn, mint, refund: () => refundMove(burn, { out, into, from, ...waitOf(options) }) }
}

/** Another process, or anybody, may have minted it: that is an arrival too. */
async function mintOnce(
  burn: LedgerReceipt,
  { out, into, ...options }: WaitOptions & Pick<MoveOptions, 'out' | 'into'>,
): Promise<LedgerReceipt | undefined> {
  const wait = waitOf(options)
  try {
    return await shown(out, into, burn, wait, one => into.mint(one, wait))
  } catch (error) {
    if (!(error instanceof LedgerRefused) || error.code !== 'spent') throw error
    if ((await into.fate(burn, wait)) === 'minted') return undefined
    throw error
  }
}

function waitOf({ timeout, signal }: WaitOptions): WaitOptions {
  return { ...(timeout !== undefined && { timeout }), ...(signal && { signal }) }
}
