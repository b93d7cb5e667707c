// What needs no trust in any server: a receipt verified, a log audited.

import type { Command } from 'commander'
import { SettingsError } from '../../core/index.ts'
import { auditLedger, toHex, verifyReceipt } from '../../ledger/index.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import { action, colour, print } from '../output.ts'
import { asking, below, type LedgerLine, waiting, withLedger } from './common.ts'
import { isFileThere, readCheckpoint, readDescription, readLog, readReceipt } from './files.ts'
import { describeTransaction, shownReceipt, whole } from './words.ts'

const VERIFY = `
Example:
  $ coterie ledger verify rent.receipt --descriptor coins.ledger
      whether enough servers certified this very transaction; no network is used

Exit codes: 0 it holds, 1 it does not, or a file cannot be read; 2 wrong usage.`

export function verifyCommand(): Command {
  return below('verify', 'check a receipt, without a network', VERIFY)
    .argument('<file>', 'the receipt')
    .requiredOption('--descriptor <file>', 'the description of the ledger (coterie ledger status NAME --descriptor)')
    .option('--json', 'print the result as JSON')
    .action(
      action(async (file: string, line: { readonly descriptor: string; readonly json?: boolean }) => {
        const descriptor = await readDescription(line.descriptor)
        const receipt = await readReceipt(file)
        const transaction = verifyReceipt(receipt, descriptor, ledgerCryptoOf())
        const { index, checkpoint } = receipt
        print(line.json, { holds: true, ...shownReceipt(receipt) }, () => {
          const where = `leaf ${index} of ${checkpoint.size} of ${descriptor.genesis.name}, signed by ${checkpoint.votes.length} servers`
          // Whole keys: eight digits of one are soon found that are another's.
          return `${colour.green('it holds')}: ${describeTransaction(transaction, descriptor, whole)}\n  ${where}`
        })
      }),
    )
}

interface AuditLine extends LedgerLine {
  readonly descriptor?: string
  readonly checkpoint?: string
  readonly from?: string
}

const AUDIT = `
Example:
  $ coterie ledger audit coins
      replays everything from the first leaf: signatures, sequences, sums, and the root against the newest certificate
  $ coterie ledger audit coins --from coins.checkpoint
      and it must be the history of that checkpoint, gone on
  $ coterie ledger audit coins.log --descriptor coins.ledger --checkpoint coins.checkpoint
      a log in a file (coterie ledger log coins --raw), without a network

Exit codes: 0 nothing is wrong; 1 the first leaf that is wrong, or who signed two histories; 2 wrong usage.`

export function auditCommand(): Command {
  return asking('audit', 'replay a log and check everything', AUDIT)
    .argument('<ledger>', 'name of the ledger, or the file of a log')
    .option('--descriptor <file>', 'of a log in a file: the description of the ledger')
    .option('--checkpoint <file>', 'of a log in a file: where it must lead')
    .option('--from <file>', 'a checkpoint that was kept: the log must lead through it')
    .action(
      action((what: string, line: AuditLine) => (isFileThere(what) ? auditFile(what, line) : auditNamed(what, line))),
    )
}

async function auditFile(file: string, line: AuditLine): Promise<void> {
  if (line.descriptor === undefined || line.checkpoint === undefined)
    throw new SettingsError(
      'a log in a file takes --descriptor, which ledger it is of, and --checkpoint, where it must lead.',
    )
  const descriptor = await readDescription(line.descriptor)
  const checkpoint = await readCheckpoint(line.checkpoint, descriptor)
  const seen = line.from === undefined ? undefined : await readCheckpoint(line.from, descriptor)
  const suite = ledgerCryptoOf()
  const audit = await auditLedger(readLog(file), { descriptor, checkpoint, suite, ...(seen && { seen }) })
  found(line, descriptor.genesis.name, audit)
}

async function auditNamed(name: string, line: AuditLine): Promise<void> {
  // What was meant to be checked against would not be looked at.
  if (line.descriptor !== undefined || line.checkpoint !== undefined)
    throw new SettingsError(
      `--descriptor and --checkpoint are of a log in a file, and there is no file ${name}. Of a ledger that servers keep, --from takes a checkpoint.`,
    )
  return withLedger(name, line, async ledger => {
    const seen = line.from === undefined ? undefined : await readCheckpoint(line.from, ledger.descriptor)
    found(line, name, await ledger.audit({ ...waiting(line), ...(seen && { seen }) }))
  })
}

function found(
  line: AuditLine,
  name: string,
  { size, root }: { readonly size: number; readonly root: Uint8Array },
): void {
  print(
    line.json,
    { ledger: name, sound: true, size, root: toHex(root) },
    () =>
      `${colour.green('sound')}: ${size} ${size === 1 ? 'leaf' : 'leaves'} of ${name}, every signature, sequence and sum, and the certified root`,
  )
}
