// What can be seen of a ledger: accounts, leaves, checkpoints, proofs.

import type { Command } from 'commander'
import { SettingsError } from '../../core/index.ts'
import { base64 } from '../../ledger/index.ts'
import { action, colour, print, printLine, tell, wholeNumber } from '../output.ts'
import { appended, asking, type LedgerLine, waiting, withLedger } from './common.ts'
import { checkFree, keyOf, writeBytes, writeDescription } from './files.ts'
import { cut, describeTransaction, plain, shownCheckpoint, shownEntry } from './words.ts'

const NAME = 'name of the ledger'
const codes = (done: string) =>
  `\n\nExit codes: 0 ${done}, 1 the servers gave no answer, 2 wrong usage or no such ledger.`

interface AccountLine extends LedgerLine {
  readonly register?: string
  readonly asset?: string
}

export function balanceCommand(): Command {
  const example = `
Example:
  $ coterie ledger balance coins bob.key
      what the account holds of the ledger's own coins; as b + 1 servers say at a certified size${codes('shown')}`
  return asking('balance', 'what an account holds', example)
    .argument('<name>', NAME)
    .argument('<key>', 'the account: its public key, or the file of its secret')
    .option('--register <name>', 'of a ledger with two registers: which')
    .option('--asset <id>', "coins of a linked ledger: that ledger's id")
    .action(
      action((name: string, key: string, line: AccountLine) =>
        withLedger(name, line, async ledger => {
          const { register, asset } = line
          const chosen = { ...(register !== undefined && { register }), ...(asset !== undefined && { asset }) }
          const found = await ledger.balance(await keyOf(key), { ...waiting(line), ...chosen })
          print(line.json, plain(found), () => String(found.amount))
        }),
      ),
    )
}

export function accountCommand(): Command {
  const example = `
Example:
  $ coterie ledger account coins bob.key
      every kind of coin that it holds, and the sequence of its next transaction${codes('shown')}`
  return asking('account', 'everything about an account', example)
    .argument('<name>', NAME)
    .argument('<key>', 'the account: its public key, or the file of its secret')
    .option('--register <name>', 'of a ledger with two registers: which')
    .action(
      action((name: string, key: string, line: AccountLine) =>
        withLedger(name, line, async ledger => {
          const { register } = line
          const options = { ...waiting(line), ...(register !== undefined && { register }) }
          const { checkpoint: _, ...found } = await ledger.account(await keyOf(key), options)
          print(line.json, plain(found), () => {
            const coins = [...found.balances].map(([asset, held]) => `  ${held} of ${cut(asset)}`)
            return [`account ${found.key}`, ...coins, `  next sequence ${found.next}, at size ${found.size}`].join('\n')
          })
        }),
      ),
    )
}

interface LogLine extends LedgerLine {
  readonly from?: number
  readonly raw?: boolean
}

export function logCommand(): Command {
  const example = `
Example:
  $ coterie ledger log coins
      a line for each leaf, checked against a certificate before it is shown
  $ coterie ledger log coins --raw > coins.log
      the leaves themselves, one in base 64 a line: what coterie ledger audit coins.log reads${codes('shown')}`
  return asking('log', 'every transaction, in order', example)
    .argument('<name>', NAME)
    .option('--from <index>', 'the first leaf to show (default: 0)', wholeNumber)
    .option('--raw', 'the bytes of each leaf in base 64')
    .action(
      action(async (name: string, line: LogLine) => {
        if (line.raw && line.json) throw new SettingsError('--raw or --json, not both.')
        await withLedger(name, line, async ledger => {
          for await (const { index, leaf, transaction } of ledger.log(line.from ?? 0, waiting(line))) {
            if (line.raw) tell(base64(leaf))
            else
              printLine(
                line.json,
                shownEntry(index, transaction),
                () => `${index}  ${describeTransaction(transaction, ledger.descriptor)}`,
              )
          }
        })
      }),
    )
}

export function watchCommand(): Command {
  const example = `
Example:
  $ coterie ledger watch coins
      a line for each transaction as it is certified, until Ctrl-C${codes('stopped by Ctrl-C')}`
  return asking('watch', 'transactions as they come', example)
    .argument('<name>', NAME)
    .option('--from <index>', 'the first leaf to show (default: those to come)', wholeNumber)
    .action(
      action(async (name: string, line: LogLine) => {
        const stopped = new AbortController()
        const stop = () => stopped.abort()
        process.once('SIGINT', stop).once('SIGTERM', stop)
        await withLedger(name, line, async ledger => {
          const options = { signal: stopped.signal, ...(line.from !== undefined && { from: line.from }) }
          for await (const { index, transaction } of ledger.watch(options))
            printLine(
              line.json,
              shownEntry(index, transaction),
              () => `${index}  ${describeTransaction(transaction, ledger.descriptor)}`,
            )
        })
      }),
    )
}

export function checkpointCommand(): Command {
  const example = `
Example:
  $ coterie ledger checkpoint coins --out coins.checkpoint
      the newest certificate as a signed note. Keep it: a later audit --from it finds whether history was rewritten${codes('shown')}`
  return asking('checkpoint', 'the newest certificate, as a signed note', example)
    .argument('<name>', NAME)
    .option('--out <file>', 'where to write it (default: standard output)')
    .action(
      action((name: string, line: LedgerLine & { readonly out?: string }) =>
        withLedger(name, line, async ledger => {
          const checkpoint = await ledger.checkpoint(waiting(line))
          const note = ledger.note(checkpoint)
          if (line.out !== undefined) await writeBytes(line.out, new TextEncoder().encode(note))
          print(line.json, { ...shownCheckpoint(checkpoint), note }, () =>
            line.out === undefined
              ? note.trimEnd()
              : `size ${checkpoint.size}, ${checkpoint.votes.length} signatures, in ${line.out}`,
          )
        }),
      ),
    )
}

export function proofCommand(): Command {
  const example = `
Example:
  $ coterie ledger proof coins 0 --receipt first.receipt
      a receipt for any leaf, also of others; coterie ledger verify checks it without a network${codes('shown')}`
  return asking('proof', 'a receipt for any leaf', example)
    .argument('<name>', NAME)
    .argument('<index>', 'which leaf', wholeNumber)
    .option('--receipt <file>', 'where to keep the receipt')
    .action(
      action((name: string, index: number, line: LedgerLine & { readonly receipt?: string }) =>
        withLedger(name, line, async ledger => appended(line, 'proven', await ledger.proof(index, waiting(line)))),
      ),
    )
}

export function statusCommand(): Command {
  const example = `
Example:
  $ coterie ledger status coins --descriptor coins.ledger
      its id, servers, size and sums; the file is what others need to check receipts and to link it${codes('shown')}`
  return asking('status', 'what a ledger is, and how it stands', example)
    .argument('<name>', NAME)
    .option('--descriptor <file>', 'where to write the description of the ledger')
    .action(
      action((name: string, line: LedgerLine & { readonly descriptor?: string }) =>
        checkFree(line.descriptor).then(() =>
          withLedger(name, line, async ledger => {
            const { genesis, hex, registerIds } = ledger.descriptor
            const checkpoint = await ledger.checkpoint(waiting(line))
            if (line.descriptor !== undefined) await writeDescription(line.descriptor, ledger.descriptor)
            const registers = await Promise.all(
              genesis.registers.map(async (register, place) => {
                const totals = await ledger.totals({
                  ...waiting(line),
                  ...(genesis.registers.length > 1 && { register }),
                })
                return { register, id: registerIds[place]!, ...totals }
              }),
            )
            const { asset } = genesis
            const { number: epoch, liars, crashes, servers: voters } = ledger.descriptor.epochs.at(-1)!
            const servers = voters.map(server => server.name)
            const kept = { epoch, servers, liars, crashes }
            const shown = { name, id: hex, asset, ...kept, ...shownCheckpoint(checkpoint), registers }
            print(line.json, plain(shown), () =>
              [
                `${colour.bold(name)}  ${hex}`,
                `  counts ${asset === '' ? 'units' : asset}, kept by ${servers.join(', ')}; ${liars} may lie, ${crashes} may be gone`,
                `  ${checkpoint.size} leaves, ${checkpoint.height} heights, ${checkpoint.votes.length} signatures${epoch === 0 ? '' : `, epoch ${epoch}`}`,
                ...registers.map(
                  ({ register, accounts, held, outstanding }) =>
                    `  ${register === '' ? '' : `register ${register}: `}${accounts} accounts hold ${held}; ${outstanding} are out at linked ledgers`,
                ),
              ].join('\n'),
            )
          }),
        ),
      ),
    )
}
