// coterie ledger: accounts that several organisations keep together, on servers of which some may lie.

import type { Command } from 'commander'
import { auditCommand, verifyCommand } from '../ledger/checking.ts'
import { createCommand, epochCommand, followCommand, freezeCommand, linkCommand } from '../ledger/governing.ts'
import {
  accountCommand,
  balanceCommand,
  checkpointCommand,
  logCommand,
  proofCommand,
  statusCommand,
  watchCommand,
} from '../ledger/looking.ts'
import { moveCommand } from '../ledger/moving.ts'
import {
  burnCommand,
  keyCommand,
  mintCommand,
  refundCommand,
  submitCommand,
  transferCommand,
  voidCommand,
} from '../ledger/spending.ts'
import { newCommand } from '../output.ts'

const EXAMPLE = `
Example:
  $ coterie ledger key alice.key
  $ coterie ledger create coins --asset EUR-cent --balance alice.key=1000 --operator alice.key --descriptor coins.ledger
  $ coterie ledger transfer coins --from alice.key --to bob.key --amount 250 --memo rent --receipt rent.receipt
  $ coterie ledger verify rent.receipt --descriptor coins.ledger

Secrets are in files of mode 600, never on the command line. A sum in the client's coterie.toml ([ledger], yesAbove) makes
every larger amount ask for --yes.

Exit codes: 0 it worked, 1 it was refused or did not hold, or no answer came; 2 wrong usage or settings that cannot work.`

export function ledgerCommand(): Command {
  const ledger = newCommand('ledger').addHelpText('after', EXAMPLE)
  const all = [keyCommand, createCommand, statusCommand, transferCommand, balanceCommand, accountCommand]
  const history = [logCommand, watchCommand, checkpointCommand, proofCommand, verifyCommand, auditCommand]
  const moving = [linkCommand, moveCommand, burnCommand, mintCommand, voidCommand, refundCommand, submitCommand]
  const keepers = [freezeCommand, epochCommand, followCommand]
  for (const make of [...all, ...history, ...moving, ...keepers]) ledger.addCommand(make())
  return ledger
}
