// coterie ledger move: value from one ledger to another, exactly once. The signed burn is in a file before any server sees it,
// so that a command that was ended between two steps goes on from there.

import { rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Ledger } from '../../client/ledger/ledger.ts'
import { type Moved, move, refundMove, resume } from '../../client/ledger/move.ts'
import { SettingsError } from '../../core/index.ts'
import { readTransaction } from '../../ledger/index.ts'
import { syncFolder } from '../../runtime/files.ts'
import { connectFrom } from '../connection.ts'
import { action, print, warn } from '../output.ts'
import { amount, asking, guard, type LedgerLine, type SpendLine, waiting, withGroup } from './common.ts'
import { keyOf, readBytes, readKey, writeBytes } from './files.ts'
import { shownReceipt } from './words.ts'

const BURN_BYTES_MAX = 16_384

interface MoveLine extends Omit<SpendLine, 'to' | 'amount'> {
  readonly to?: string
  readonly amount?: bigint
  readonly into: string
  readonly intoConfig?: string
  readonly save?: string
  readonly resume?: string
  readonly refund?: string
}

const EXAMPLE = `
Example:
  $ coterie ledger move coins --into shares --from bob.key --to carol.key --amount 100
      burned in coins, minted in shares; the signed burn is in coins.burn until it has arrived
  $ coterie ledger move coins --into shares --from bob.key --resume coins.burn
      after a crash, or when the other group was away: nothing is done twice
  $ coterie ledger move coins --into shares --from bob.key --refund coins.burn
      takes it back: void in shares, refunded in coins; refused where it was minted

The ledgers must be linked (coterie ledger link), both ways for coins to come home. --into-config names a client's folder of
the other group, where that is another one.

Exit codes: 0 it arrived, or was refunded; 1 refused, or in flight: burned and not yet minted, go on with --resume or --refund;
2 wrong usage, or an amount above ledger.yesAbove of the client's coterie.toml without --yes.`

export function moveCommand(): Command {
  return asking('move', 'move value to a linked ledger, exactly once', EXAMPLE)
    .argument('<name>', 'the ledger that it leaves')
    .requiredOption('--into <name>', 'the ledger that it comes to')
    .option('--into-config <folder>', "a client's folder of the other group (default: the same group)")
    .requiredOption('--from <file>', "the file of the payer's secret")
    .option('--to <key>', 'who gets it: a public key, or the file of its secret')
    .option('--amount <number>', 'how many units', amount)
    .option('--asset <id>', "coins of a linked ledger: that ledger's id (default: its own)")
    .option('--yes', 'also where the amount is above ledger.yesAbove of the config')
    .option('--save <file>', 'where the signed burn is kept (default: NAME.burn)')
    .option('--resume <file>', 'go on with a burn that was kept')
    .option('--refund <file>', 'take back a burn that was kept')
    .action(action(moveNamed))
}

async function moveNamed(name: string, line: MoveLine): Promise<void> {
  const kept = line.resume ?? line.refund
  if (line.resume !== undefined && line.refund !== undefined) throw new SettingsError('--resume or --refund, not both.')
  if (kept === undefined && (line.to === undefined || line.amount === undefined))
    throw new SettingsError('a move takes --to and --amount; one that is under way, --resume or --refund.')
  if (kept === undefined) await guard(line as SpendLine)
  const from = await readKey(line.from)
  await withBoth(name, line, async (out, into) => {
    const ends = { out, into, from, ...waiting(line) }
    if (line.refund !== undefined) return takeBack(line, ends)
    const file = kept ?? line.save ?? `${name}.burn`
    const moved =
      line.resume === undefined ? await begin(line, file, ends) : await resume(await burnIn(line.resume), ends)
    await rm(file, { force: true })
    arrived(line, moved)
  })
}

type Ends = { readonly out: Ledger; readonly into: Ledger; readonly from: Awaited<ReturnType<typeof readKey>> }

async function begin(line: MoveLine, file: string, ends: Ends): Promise<Moved> {
  const { asset } = line
  const payment = { to: await keyOf(line.to!), amount: line.amount!, ...(asset !== undefined && { asset }) }
  const save = async (burn: Uint8Array) => {
    await writeBytes(file, burn)
    await syncFolder(dirname(resolve(file)))
  }
  try {
    return await move({ ...ends, ...payment, ...waiting(line), save })
  } catch (error) {
    warn(`The signed burn is in ${file}: --resume ${file} goes on, --refund ${file} takes it back.`)
    throw error
  }
}

/** The burn is handed in once more: the same bytes are appended at most once, and their receipt comes back. */
async function takeBack(line: MoveLine, ends: Ends): Promise<void> {
  const burn = await ends.out.submit(await burnIn(line.refund!), waiting(line))
  const receipt = await refundMove(burn, { ...ends, ...waiting(line) })
  await rm(line.refund!, { force: true })
  print(line.json, { done: 'refunded', ...shownReceipt(receipt) }, () => `refunded: leaf ${receipt.index}, certified`)
}

function arrived(line: LedgerLine, { burn, mint }: Moved): void {
  const shown = { done: 'moved', burn: shownReceipt(burn), mint: mint === undefined ? null : shownReceipt(mint) }
  const where = mint === undefined ? 'minted by somebody else' : `minted as leaf ${mint.index}`
  print(line.json, shown, () => `moved: burned as leaf ${burn.index}, ${where}`)
}

async function burnIn(file: string): Promise<Uint8Array> {
  const burn = await readBytes(file, BURN_BYTES_MAX)
  const read = readTransaction(burn)
  if (!read.ok || read.value.kind !== 'burn') throw new SettingsError(`${file} holds no signed burn.`)
  return burn
}

async function withBoth(
  name: string,
  line: MoveLine,
  work: (out: Ledger, into: Ledger) => Promise<void>,
): Promise<void> {
  await withGroup(line, async group => {
    const out = await group.ledger(name, waiting(line))
    if (line.intoConfig === undefined) return work(out, await group.ledger(line.into, waiting(line)))
    await using other = await connectFrom({ config: line.intoConfig }, { ledgers: true, ...waiting(line) })
    await work(out, await other.ledger(line.into, waiting(line)))
  })
}
