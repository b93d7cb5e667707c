// Value from one ledger to another, exactly once: burned there, minted here, or made void here and refunded there. No clock
// is used, and a client that is stopped between two steps goes on from the burn.

import { called, optionsSchema, required, SettingsError, textOf } from '../../core/index.ts'
import type { LedgerReceipt } from '../../ledger/index.ts'
import { NotProven, toHex, verifyReceipt } from '../../ledger/index.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import { leftOf, type WaitOptions, waitRules } from '../waiting.ts'
import type { Account } from './accounts.ts'
import { LedgerRefused, MoveInFlight } from './errors.ts'
import type { Ledger } from './ledger.ts'
import { account, checkLeaf, checkReceipt, ledger } from './options.ts'

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
  /**
   * Is given the signed burn before anybody else sees it: keep it, and `resume` it after a crash. Where another process spends
   * from the same account meanwhile it is called again: that burn takes the place of the one before, which can never happen.
   */
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

const RETRIES = 8

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
  checkTwo(options)
  const left = leftOf(waitOf(options))
  for (let tries = 0; ; tries++) {
    const burn = await signed(options, left)
    try {
      return await arrive(await burn.send(), options, left)
    } catch (error) {
      // Another process of the same owner was quicker: this burn is refused for ever, and another can be signed.
      const overtaken = error instanceof LedgerRefused && error.code === 'sequence used'
      if (!overtaken || tries >= RETRIES) throw error
    }
  }
}

/** A burn that is saved, and that nobody has seen. */
async function signed({ out, into, from, to, amount, asset, save, progress }: MoveOptions, left: () => WaitOptions) {
  const payment = { from, to, amount, into, ...(asset !== undefined && { asset }) }
  const burn = await out.prepareBurn(payment, left())
  try {
    await save?.(burn.leaf)
    progress?.({ step: 'signed', burn: burn.leaf })
    return burn
  } catch (error) {
    burn.drop()
    throw error
  }
}

function checkTwo({ out, into }: Pick<MoveBetween, 'out' | 'into'>): void {
  if (out.id === into.id)
    throw new SettingsError('a move is between two ledgers; between two registers of one, moveWithin.')
}

/** Goes on with a move from its saved burn: nothing is done twice. */
export async function resume(burn: Uint8Array, options: ResumeOptions): Promise<Moved> {
  checkLeaf(burn)
  checkResume('resume', options)
  checkTwo(options)
  const left = leftOf(waitOf(options))
  return arrive(await options.out.submit(burn, left()), options, left)
}

/** Takes a move in flight back: makes the burn void where it could be minted, and refunds it. Rejects where it was minted. */
export async function refundMove(burn: LedgerReceipt, options: MoveBetween): Promise<LedgerReceipt> {
  checkReceipt('burn', burn)
  checkBetween('refundMove', options)
  checkTwo(options)
  const { out, into, from } = options
  const left = leftOf(waitOf(options))
  const voided = await shown(out, into, burn, left, one => into.void(one, from, left())).catch(async error => {
    // It was made void before, by one who was stopped then: that leaf is as good.
    if (!(error instanceof LedgerRefused) || error.code !== 'spent') throw error
    if ((await into.fate(burn, left())) !== 'void') throw error
    return into.proof(await voidOf(into, burn, left()), left())
  })
  return shown(into, out, voided, left, one => out.refund(one, left())).catch(async error => {
    // It was refunded before: by one who was stopped then, or by anybody.
    if (!(error instanceof LedgerRefused) || error.code !== 'refunded') throw error
    return out.proof(await refundOf(out, voided, left()), left())
  })
}

async function refundOf(out: Ledger, voided: LedgerReceipt, options: WaitOptions): Promise<number> {
  const leaf = toHex(voided.leaf)
  for await (const { index, transaction } of out.log(0, options)) {
    const { evidence } = transaction.kind === 'refund' ? transaction : {}
    if (evidence?.kind === 'proof' && toHex(evidence.leaf) === leaf) return index
  }
  throw new NotProven(`ledger '${out.name}' says that the burn was refunded, and its log does not show it.`)
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
  left: () => WaitOptions,
  act: (leaf: LedgerReceipt) => Promise<LedgerReceipt>,
): Promise<LedgerReceipt> {
  try {
    return await act(leaf)
  } catch (error) {
    const outdated = error instanceof LedgerRefused && (error.code === 'evidence' || error.code === 'epoch')
    if (!outdated) throw error
    await to.follow(from, left())
    return act(await from.proof(leaf.index, left()))
  }
}

async function arrive(burn: LedgerReceipt, options: ResumeOptions, left: () => WaitOptions): Promise<Moved> {
  const { out, progress } = options
  if (verifyReceipt(burn, out.descriptor, ledgerCryptoOf()).kind !== 'burn')
    throw new NotProven('the receipt is of no burn.')
  progress?.({ step: 'burned', receipt: burn })
  const mint = await mintOnce(burn, options, left).catch(async error => {
    const spent = error instanceof LedgerRefused && error.code === 'spent'
    // Taken back is not in flight.
    if (spent && (await out.fate(burn, left()).catch(() => 'open')) === 'refunded') throw error
    throw new MoveInFlight(burn, error)
  })
  progress?.({ step: 'minted', receipt: mint })
  const { into, from } = options
  return { burn, mint, refund: () => refundMove(burn, { out, into, from, ...waitOf(options) }) }
}

/** Another process, or anybody, may have minted it: that is an arrival too. */
async function mintOnce(
  burn: LedgerReceipt,
  { out, into }: Pick<MoveOptions, 'out' | 'into'>,
  left: () => WaitOptions,
): Promise<LedgerReceipt | undefined> {
  try {
    return await shown(out, into, burn, left, one => into.mint(one, left()))
  } catch (error) {
    if (!(error instanceof LedgerRefused) || error.code !== 'spent') throw error
    if ((await into.fate(burn, left())) === 'minted') return undefined
    throw error
  }
}

function waitOf({ timeout, signal }: WaitOptions): WaitOptions {
  return { ...(timeout !== undefined && { timeout }), ...(signal && { signal }) }
}
