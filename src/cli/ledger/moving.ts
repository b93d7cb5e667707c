// coterie ledger move: value from one ledger to another, exactly once. The signed burn is in a file before any server sees it,
// so that a command that was ended between two steps goes on from there.

import { rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { LedgerRefused } from '../../client/ledger/errors.ts'
import type { Ledger } from '../../client/ledger/ledger.ts'
import { type Moved, move, refundMove, resume } from '../../client/ledger/move.ts'
import { FileError, SettingsError } from '../../core/index.ts'
import { readTransaction } from '../../ledger/index.ts'
import { exists, syncFolder } from '../../runtime/files.ts'
import { connectFrom } from '../connection.ts'
import { action, print, warn } from '../output.ts'
import {
  amount,
  appended,
  asking,
  guard,
  handingIn,
  type LedgerLine,
  type SpendLine,
  stoppedByKeys,
  waiting,
  withGroup,
} from './common.ts'
import { checkFree, keyOf, readBytes, readKey, writeBytes } from './files.ts'
import { shownReceipt } from './words.ts'

const BURN_BYTES_MAX = 16_384

interface MoveLine extends Omit<SpendLine, 'to' | 'amount'> {
  readonly to?: string
  readonly amount?: bigint
  readonly into?: string
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
  $ coterie ledger move both --register a --from alice.key --to bob.key --amount 10
      in a ledger of two registers: out of a, into the other, in one leaf

The ledgers must be linked (coterie ledger link), both ways for coins to come home. --into-config names a client's folder of
the other group, where that is another one. Ctrl-C ends the wait, and says where the signed burn is.

Exit codes: 0 it arrived, or was refunded; 1 refused, or in flight: burned and not yet minted, go on with --resume or --refund;
2 wrong usage, or an amount above ledger.yesAbove of the client's coterie.toml without --yes.`

export function moveCommand(): Command {
  return asking('move', 'move value to a linked ledger, exactly once', EXAMPLE)
    .argument('<name>', 'the ledger that it leaves')
    .option('--into <name>', 'the ledger that it comes to')
    .option('--register <name>', 'in a ledger of two registers: the one that it leaves')
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
  checkLine(line)
  const kept = line.resume ?? line.refund
  const file = kept ?? line.save ?? `${name}.burn`
  if (kept === undefined) await guard(line as SpendLine)
  if (line.register !== undefined) return moveBetweenRegisters(name, line)
  if (kept === undefined) await checkNoBurn(file)
  const from = await readKey(line.from)
  const signal = stoppedByKeys()
  await withBoth(name, line, async (out, into) => {
    const ends = { out, into, from, ...waiting(line), signal }
    if (line.refund !== undefined) return takeBack(line, ends)
    const moved =
      line.resume === undefined ? await begin(line, file, ends) : await resume(await burnIn(line.resume), ends)
    await rm(file, { force: true })
    arrived(line, moved)
  })
}

/** What is said in vain would be believed to hold. */
function checkLine(line: MoveLine): void {
  const { into, register, to, amount, asset, save, resume, refund } = line
  if (resume !== undefined && refund !== undefined) throw new SettingsError('--resume or --refund, not both.')
  if ((into === undefined) === (register === undefined))
    throw new SettingsError('a move takes --into, another ledger; or --register, of a ledger with two.')
  if (register !== undefined && [resume, refund, save, line.intoConfig].some(one => one !== undefined))
    throw new SettingsError('between two registers it is one leaf: there is nothing to save, to resume or to refund.')
  if (resume === undefined && refund === undefined) {
    if (to === undefined || amount === undefined)
      throw new SettingsError('a move takes --to and --amount; one that is under way, --resume or --refund.')
    return
  }
  const said = Object.entries({ to, amount, asset, save }).filter(([, value]) => value !== undefined)
  if (said.length > 0)
    throw new SettingsError(`--${said[0]![0]} is of a new move: what is resumed or refunded was signed before.`)
}

async function moveBetweenRegisters(name: string, line: MoveLine): Promise<void> {
  const { asset, register } = line
  const spent = { from: await readKey(line.from), to: await keyOf(line.to!), amount: line.amount! }
  const payment = { ...spent, register: register!, ...(asset !== undefined && { asset }) }
  await handingIn(name, line, async (ledger, wait) =>
    appended(line, `moved ${line.amount} out of ${register}`, await ledger.moveWithin(payment, wait)),
  )
}

/** The burn of a move that has not arrived is worth what was burned: it is not written over, and not taken for this one's. */
async function checkNoBurn(file: string): Promise<void> {
  if (await exists(file))
    throw new FileError(
      `${file} is there already: the signed burn of a move that has not arrived. --resume ${file} goes on with that one, ` +
        `--refund ${file} takes it back. Nothing was done; another move takes another file, --save FILE.`,
    )
  await checkFree(file)
}

type Ends = {
  readonly out: Ledger
  readonly into: Ledger
  readonly from: Awaited<ReturnType<typeof readKey>>
  readonly signal: AbortSignal
}

async function begin(line: MoveLine, file: string, ends: Ends): Promise<Moved> {
  const { asset } = line
  const payment = { to: await keyOf(line.to!), amount: line.amount!, ...(asset !== undefined && { asset }) }
  let saved = false
  const save = async (burn: Uint8Array) => {
    // Signed anew, where another process was quicker: in the place of one that can never happen.
    await (saved ? writeFile(file, burn, { flush: true }) : writeBytes(file, burn))
    saved = true
    await syncFolder(dirname(resolve(file)))
  }
  try {
    return await move({ ...ends, ...payment, ...waiting(line), save })
  } catch (error) {
    const never = error instanceof LedgerRefused && error.outcome === 'did not happen'
    if (never) await rm(file, { force: true })
    else if (saved) warn(`The signed burn is in ${file}: --resume ${file} goes on, --refund ${file} takes it back.`)
    throw error
  }
}

/** The burn is handed in once more: the same bytes are appended at most once, and their receipt comes back. */
async function takeBack(line: MoveLine, ends: Ends): Promise<void> {
  const burn = await ends.out.submit(await burnIn(line.refund!), { ...waiting(line), signal: ends.signal })
  const receipt = await refundMove(burn, { ...ends, ...waiting(line) })
  await rm(line.refund!, { force: true })
  print(line.json, { done: 'refunded', ...shownReceipt(receipt) }, () => `refunded: leaf ${receipt.index}, certified`)
}

function arrived(line: LedgerLine, { burn, mint }: Moved): void {
  const shown = { done: 'moved', burn: shownReceipt(burn), mint: mint === undefined ? null : shownReceipt(mint) }
  const where = mint === undefined ? 'minted already' : `minted as leaf ${mint.index}`
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
    if (line.intoConfig === undefined) return work(out, await group.ledger(line.into!, waiting(line)))
    await using other = await connectFrom({ config: line.intoConfig }, { ledgers: true, ...waiting(line) })
    await work(out, await other.ledger(line.into!, waiting(line)))
  })
}
