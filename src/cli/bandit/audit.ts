// What `coterie bandit audit` does: judges a run by the logs of its parties.

import { readFile } from 'node:fs/promises'
import { type AuditResult, type RewardTable, rewardGrid } from '../../bandits/index.ts'
import { auditRun } from '../../bandits/machines.ts'
import { readRunLog } from '../../client/peers/run-files.ts'
import { FileError, SettingsError } from '../../core/index.ts'
import { opensslBanditTools } from '../../runtime/bandit-tools.ts'
import { cannotRead, colour, EXIT_FAILED, print } from '../output.ts'
import { printable } from '../printable.ts'

export interface AuditLine {
  readonly table?: string
  readonly json?: boolean
}

export async function audit(files: readonly string[], line: AuditLine): Promise<void> {
  const logs = files.map(file => readRunLog(file))
  const opened = logs[0]?.[0]?.entry
  if (opened?.kind !== 'opened') throw new SettingsError(`${files[0]} does not begin with the terms of a run.`)
  const table = line.table === undefined ? undefined : await readTable(line.table)
  const { steps } = rewardGrid([opened.terms.least, opened.terms.most])
  const found = auditRun(await opensslBanditTools(), logs, table && { rewards: table, steps })
  print(line.json, found, () => sentence(found))
  if (found.verdict !== 'right') process.exitCode = EXIT_FAILED
}

export function sentence(found: AuditResult): string {
  switch (found.verdict) {
    case 'right':
      return `${colour.green('right')}: ${found.rounds} ${found.rounds === 1 ? 'round' : 'rounds'} and ${found.messages} signed messages are what they must be`
    case 'lied':
      return `${colour.red(printable(found.party))} lied: ${printable(found.what)}`
    case 'unclear':
      return `it cannot be told: ${printable(found.what)}`
  }
}

/** {"red": [1, 0, …], …}: what each arm must have paid, in the order of its pulls. */
async function readTable(file: string): Promise<RewardTable> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw cannotRead(file, error)
  }
  try {
    const table: unknown = JSON.parse(text)
    const isList = (value: unknown) => Array.isArray(value) && value.every(one => Number.isFinite(one))
    if (typeof table === 'object' && table !== null && Object.values(table).every(isList)) return table as RewardTable
  } catch {
    // The same sentence.
  }
  throw new FileError(`${file} is no table of rewards, such as {"red": [1, 0, 1], "green": [0, 1, 1]}.`)
}
