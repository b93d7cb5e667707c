// What all commands about ledgers share: how they reach one, what they are given, and the guard of amounts.

import { type Command, InvalidArgumentError } from 'commander'
import type { Group } from '../../client/group.ts'
import { LedgerUnanswered } from '../../client/ledger/errors.ts'
import type { Ledger } from '../../client/ledger/ledger.ts'
import type { WaitOptions } from '../../client/waiting.ts'
import { FileError, SettingsError } from '../../core/index.ts'
import { AMOUNT_MAX, type LedgerReceipt, toHex } from '../../ledger/index.ts'
import { readNodeSettings } from '../../runtime/config/config.ts'
import { exists } from '../../runtime/files.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import { type ConnectionOptions, clientFolder, connectFrom, withConnection } from '../connection.ts'
import { duration } from '../duration.ts'
import { newCommand, print, warn } from '../output.ts'
import { checkFree, writeBytes, writeReceipt } from './files.ts'
import { shownReceipt, type Words } from './words.ts'

/** A command that waits for ever tells nobody that the servers are gone. */
const TIMEOUT_DEFAULT_MS = 30_000

export interface LedgerLine extends ConnectionOptions {
  readonly timeout?: number
  readonly json?: boolean
}

export interface SpendLine extends LedgerLine {
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly asset?: string
  readonly register?: string
  readonly receipt?: string
  readonly yes?: boolean
}

/** Where a command keeps what it was given: looked at before servers are asked. */
interface Kept {
  readonly receipt?: string
  readonly out?: string
}

/** A command below `coterie ledger`. */
export function below(name: string, description: string, example: string): Command {
  return newCommand(name).description(description).addHelpText('after', example)
}

/** One that asks servers. */
export function asking(name: string, description: string, example: string): Command {
  return withConnection(below(name, description, example))
    .option('--timeout <duration>', 'how long to wait (default: 30s)', duration)
    .option('--json', 'print the result as JSON')
}

export function amount(text: string): bigint {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) > AMOUNT_MAX)
    throw new InvalidArgumentError('It must be a whole number of units, from 1 to 2^63 - 1.')
  return BigInt(text)
}

export function waiting({ timeout = TIMEOUT_DEFAULT_MS }: LedgerLine): WaitOptions {
  return { timeout }
}

export async function withGroup(line: LedgerLine & Kept, work: (group: Group) => Promise<void>): Promise<void> {
  await checkFree(line.receipt)
  await checkFree(line.out)
  await using group = await connectFrom(line, { ledgers: true, ...waiting(line) })
  await work(group)
}

export function withLedger(
  name: string,
  line: LedgerLine & Kept,
  work: (ledger: Ledger) => Promise<void>,
): Promise<void> {
  return withGroup(line, async group => work(await group.ledger(name, waiting(line))))
}

/** Of what it costs to type a zero too many. The sum is in the client's coterie.toml. */
export async function guard({ amount, yes, ...line }: SpendLine): Promise<void> {
  if (yes) return
  const folder = clientFolder(line)
  const settings = await readNodeSettings(folder)
  const above = settings.role === 'client' ? settings.yesAbove : undefined
  if (above !== undefined && amount > BigInt(above))
    throw new SettingsError(
      `amount is ${amount}, and ${settings.file} asks above ${above} (ledger.yesAbove): say --yes if it is meant.`,
    )
}

/** Says what was appended, and keeps the receipt where that was asked. */
export async function appended(
  line: LedgerLine & { readonly receipt?: string },
  done: string,
  receipt: LedgerReceipt,
): Promise<void> {
  const { index, checkpoint } = receipt
  const failed =
    line.receipt === undefined ? undefined : await writeReceipt(line.receipt, receipt).catch(error => error)
  const shown: Words = { done, ...shownReceipt(receipt) }
  const kept = line.receipt === undefined || failed !== undefined ? '' : `; receipt in ${line.receipt}`
  print(line.json, shown, () => `${done}: leaf ${index} of ${checkpoint.size}, certified${kept}`)
  // Who is told only that a file failed does it once more.
  if (failed instanceof FileError)
    throw new FileError(
      `${failed.message} But it happened, as leaf ${index}: coterie ledger proof gets the receipt again.`,
    )
  if (failed !== undefined) throw failed
}

/**
 * What was handed in and not answered is kept in a file: only the same bytes, handed in again, say whether it happened. Ctrl-C ends
 * the wait, not the command, which has that to say.
 */
export async function handingIn(
  name: string,
  line: LedgerLine & Kept,
  work: (ledger: Ledger, wait: WaitOptions) => Promise<void>,
): Promise<void> {
  const stopped = stoppedByKeys()
  try {
    await withLedger(name, line, ledger => work(ledger, { ...waiting(line), signal: stopped }))
  } catch (error) {
    if (error instanceof LedgerUnanswered && error.leaf !== undefined) await keepLeaf(name, error.leaf)
    throw error
  }
}

/** Fires at the first Ctrl-C; the second ends the process. */
export function stoppedByKeys(): AbortSignal {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
  return stopped.signal
}

/** Says where it is, too. */
export async function keepLeaf(name: string, leaf: Uint8Array): Promise<void> {
  // By its hash: the same bytes are the same file.
  const file = `${name}-${toHex(ledgerCryptoOf().hash(leaf)).slice(0, 12)}.leaf`
  if (!(await exists(file))) await writeBytes(file, leaf)
  warn(
    `What was handed in is in ${file}: coterie ledger submit ${name} ${file} says whether it happened, and does it once.`,
  )
}
