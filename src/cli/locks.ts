// coterie locks: who holds what.

import type { Command } from 'commander'
import type { LockInfo } from '../client/inspect.ts'
import { type ConnectionOptions, connectFrom, withConnection } from './connection.ts'
import { inWords } from './duration.ts'
import { action, colour, newCommand, print } from './output.ts'

interface Options extends ConnectionOptions {
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie locks
      one line for each lock that is out: its name, holder and token, since when and for how long

A lease is shown where more servers vouch for it than may lie.

Exit codes: 0 shown, 1 the group could not be reached, 2 wrong usage.`

export function locksCommand(): Command {
  return withConnection(newCommand('locks').description('show who holds which lock'))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(locks))
}

async function locks(options: Options): Promise<void> {
  await using group = await connectFrom(options)
  const found = await group.locks()
  const plain = found.map(lock => ({ ...lock, token: lock.token.toString() }))
  print(options.json, plain, () => describeLocks(found))
}

export function describeLocks(locks: readonly LockInfo[]): string {
  if (locks.length === 0) return 'no lock is held'
  const width = Math.max(...locks.map(lock => lock.name.length))
  return locks
    .map(lock => {
      const state = lock.held ? colour.green('held') : colour.yellow('being taken')
      const times = `for ${inWords(lock.age)}, ${inWords(lock.remaining)} left unless renewed`
      return `  ${lock.name.padEnd(width)}  ${state} by ${lock.holder} ${times}, token ${lock.token}`
    })
    .join('\n')
}
