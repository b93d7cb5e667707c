// Payments of clients in one ledger, and the record of what was certified to them.

import { appendFileSync } from 'node:fs'
import { accountFrom, type Group, LedgerUnanswered } from 'coterie'
import type { PaymentLine } from '../ledger-journal.ts'

/** The ledger of the siege. */
export const LEDGER = 'coins'
const timeout = 5_000

/** Each call of what it returns pays one coin to the next account in line, and says whether that is certified. */
export async function paying(
  group: Group,
  secrets: readonly string[],
  place: number,
  journal: string,
): Promise<() => Promise<boolean>> {
  const write = (line: PaymentLine) => appendFileSync(journal, `${JSON.stringify(line)}\n`)
  const accounts = secrets.map(accountFrom)
  const from = accounts[place]!
  const ledger = await group.ledger(LEDGER)
  let turn = place
  return async () => {
    turn = (turn + 1) % accounts.length
    const to = accounts[turn]!.key
    try {
      const { index, leaf, checkpoint } = await ledger.transfer({ from, to, amount: 1n }, { timeout })
      const { size, root } = checkpoint
      write({ index, leaf: Buffer.from(leaf).toString('hex'), size, root: Buffer.from(root).toString('hex') })
      return true
    } catch (error) {
      if (!(error instanceof LedgerUnanswered)) throw error
      return false
    }
  }
}
