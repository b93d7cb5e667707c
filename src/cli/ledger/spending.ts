// What an account's owner does: making a key, transfers, burns, and taking a burn back.

import type { Command } from 'commander'
import type { WaitOptions } from '../../client/waiting.ts'
import { action, print, wholeNumber } from '../output.ts'
import { amount, appended, asking, below, guard, handingIn, type LedgerLine, type SpendLine } from './common.ts'
import { keyOf, makeKey, readBytes, readDescription, readKey, readReceipt } from './files.ts'

const SPENT = `Exit codes: 0 certified, 1 refused or no answer in time (the sentence says whether it may have happened), 2 wrong usage, or
an amount above ledger.yesAbove of the client's coterie.toml without --yes.`

export function keyCommand(): Command {
  const example = `
Example:
  $ coterie ledger key alice.key
      a new account: the secret goes to the file, of mode 600, and the public key is printed. Others pay to that key
  $ coterie ledger key alice.key --show
      the public key of a secret that is there

Anyone who has the file can spend, and nobody can replace it. Copy it to where only you can read it.

Exit codes: 0 made or shown, 1 the file is there already or cannot be read, 2 wrong usage.`
  return below('key', 'make an account, or show its public key', example)
    .argument('<file>', "the file of the account's secret")
    .option('--show', 'the file is there: only show the public key')
    .option('--json', 'print the result as JSON')
    .action(
      action(async (file: string, line: { readonly show?: boolean; readonly json?: boolean }) => {
        const { key } = line.show ? await readKey(file) : await makeKey(file)
        print(line.json, { key, file }, () => key)
      }),
    )
}

function spending(command: Command): Command {
  return command
    .argument('<name>', 'name of the ledger')
    .requiredOption('--from <file>', "the file of the payer's secret")
    .requiredOption('--to <key>', 'who gets it: a public key, or the file of its secret')
    .requiredOption('--amount <number>', 'how many units', amount)
    .option('--asset <id>', "coins of a linked ledger: that ledger's id (default: its own)")
    .option('--register <name>', 'of a ledger with two registers: which')
    .option(
      '--until <size>',
      'the size of the ledger from which it is refused (default: 10,000 leaves from now)',
      wholeNumber,
    )
    .option('--yes', 'also where the amount is above ledger.yesAbove of the config')
    .option('--receipt <file>', 'where to keep the receipt')
}

/** What the line says of a payment; the guard has seen the amount. */
export async function paymentOf(line: SpendLine & { readonly until?: number }) {
  await guard(line)
  const { asset, register, until } = line
  return {
    from: await readKey(line.from),
    to: await keyOf(line.to),
    amount: line.amount,
    ...(asset !== undefined && { asset }),
    ...(register !== undefined && { register }),
    ...(until !== undefined && { until }),
  }
}

export function transferCommand(): Command {
  const example = `
Example:
  $ coterie ledger transfer coins --from alice.key --to bob.key --amount 250 --memo rent --receipt rent.receipt
      final when it returns: certified by all servers but those that may be gone

${SPENT}`
  return spending(asking('transfer', 'pay', example))
    .option('--memo <text>', 'at most 256 bytes, for everybody to read', '')
    .action(
      action(async (name: string, line: SpendLine & { readonly memo: string }) => {
        const payment = await paymentOf(line)
        const paid = `paid ${line.amount}${payment.to === payment.from.key ? ' to itself' : ''}`
        await handingIn(name, line, async (ledger, wait) =>
          appended(line, paid, await ledger.transfer({ ...payment, memo: line.memo }, wait)),
        )
      }),
    )
}

export function burnCommand(): Command {
  const example = `
Example:
  $ coterie ledger burn coins --from bob.key --into shares.ledger --to carol.key --amount 100 --receipt burn.receipt
      takes it out of coins, to be minted in shares by the receipt; coterie ledger move does both

${SPENT}`
  return spending(asking('burn', 'take coins out, for a linked ledger', example))
    .requiredOption('--into <file>', 'the description of the linked ledger, or its id')
    .option(
      '--expires <size>',
      'the size of that ledger from which it cannot be minted any more (default: never)',
      wholeNumber,
    )
    .action(
      action(async (name: string, line: SpendLine & { readonly into: string; readonly expires?: number }) => {
        const payment = await paymentOf(line)
        const into = /^[0-9a-f]{64}$/.test(line.into) ? line.into : await readDescription(line.into)
        const { expires } = line
        await handingIn(name, line, async (ledger, wait) => {
          const burn = { ...payment, into, ...(expires !== undefined && { expires }) }
          await appended(line, `burned ${line.amount}`, await ledger.burn(burn, wait))
        })
      }),
    )
}

interface EvidenceLine extends LedgerLine {
  readonly register?: string
  readonly receipt?: string
  readonly from: string
}

const withRegister = (line: EvidenceLine, wait: WaitOptions): WaitOptions & { readonly register?: string } => ({
  ...wait,
  ...(line.register !== undefined && { register: line.register }),
})

function shown(command: Command, what: string): Command {
  return command
    .argument('<name>', 'name of the ledger')
    .argument('<proof>', `${what}; in a ledger of two registers, the index of the leaf`)
    .option('--register <name>', 'of a ledger with two registers: which')
    .option('--receipt <file>', 'where to keep the receipt')
}

const evidence = async (given: string) => (/^\d{1,10}$/.test(given) ? Number(given) : readReceipt(given))

export function mintCommand(): Command {
  const example = `
Example:
  $ coterie ledger mint shares burn.receipt --config shop/clients/admin
      anybody may: it goes to whom the burn names, once

Exit codes: 0 minted, 1 refused (minted or void already, over the link's cap, frozen) or no answer, 2 wrong usage.`
  return shown(asking('mint', 'bring in what a linked ledger burned', example), 'the receipt of the burn').action(
    action((name: string, proof: string, line: EvidenceLine) =>
      handingIn(name, line, async (ledger, wait) =>
        appended(line, 'minted', await ledger.mint(await evidence(proof), withRegister(line, wait))),
      ),
    ),
  )
}

export function voidCommand(): Command {
  const example = `
Example:
  $ coterie ledger void shares burn.receipt --from bob.key --receipt void.receipt
      it can never be minted after this; the receipt refunds it where it was burned

Exit codes: 0 void, 1 refused (it was minted) or no answer, 2 wrong usage.`
  return shown(asking('void', 'make sure that a burn is never minted here', example), 'the receipt of the burn')
    .requiredOption('--from <file>', 'the file of the secret that burned')
    .action(
      action(async (name: string, proof: string, line: EvidenceLine) => {
        const owner = await readKey(line.from)
        await handingIn(name, line, async (ledger, wait) =>
          appended(line, 'void', await ledger.void(await evidence(proof), owner, withRegister(line, wait))),
        )
      }),
    )
}

export function refundCommand(): Command {
  const example = `
Example:
  $ coterie ledger refund coins void.receipt
      gives back what was burned, by proof that it was made void where it could have been minted

Exit codes: 0 refunded, 1 refused (refunded already, or not void) or no answer, 2 wrong usage.`
  return shown(asking('refund', 'give back a burn that was made void', example), 'the receipt of the void').action(
    action((name: string, proof: string, line: EvidenceLine) =>
      handingIn(name, line, async (ledger, wait) =>
        appended(line, 'refunded', await ledger.refund(await evidence(proof), withRegister(line, wait))),
      ),
    ),
  )
}

const LEAF_BYTES_MAX = 128 * 1024

export function submitCommand(): Command {
  const example = `
Example:
  $ coterie ledger submit coins coins-0123456789ab.leaf
      after "may have happened": hands in the same bytes again, which are appended at most once, and says as which leaf

${SPENT.replace(/, or\nan amount.*$/s, '.')}`
  return asking('submit', 'hand in again what was not answered', example)
    .argument('<name>', 'name of the ledger')
    .argument('<file>', 'the signed bytes, as another command kept them')
    .option('--receipt <file>', 'where to keep the receipt')
    .action(
      action(async (name: string, file: string, line: LedgerLine & { readonly receipt?: string }) => {
        const leaf = await readBytes(file, LEAF_BYTES_MAX)
        await handingIn(name, line, async (ledger, wait) => appended(line, 'appended', await ledger.submit(leaf, wait)))
      }),
    )
}
