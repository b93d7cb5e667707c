// coterie locks: who holds what.

import type { Command } from 'commander'
import type { LockInfo } from '../../client/inspect.ts'
import { WAITERS_SHOWN_MAX } from '../../lock/index.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { inWords } from '../duration.ts'
import { action, colour, newCommand, print } from '../output.ts'

/** Waiters named in a line; --json has them all. */
const WAITERS_NAMED_MAX = 3

interface Options extends ConnectionOptions {
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie locks
      one line for each lock that is out: its name, holder and token, since when and for how long, and who waits

A lease is shown where more servers vouch for it than may lie.

Exit codes: 0 shown, 1 the group could not be reached, 2 wrong usage.`

export function locksCommand(): Command {
  return withConnection(newCommand('locks'))
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
      const line = `  ${lock.name.padEnd(width)}  ${state} by ${lock.holder} ${times}, token ${lock.token}`
      return `${line}${describeWaiters(lock.waiters)}`
    })
    .join('\n')
}

/** Servers name the first of them only. */
export function describeWaiters(waiters: readonly string[]): string {
  if (waiters.length === 0) return ''
  const count = waiters.length < WAITERS_SHOWN_MAX ? `${waiters.length}` : `${WAITERS_SHOWN_MAX} or more`
  const first = waiters.slice(0, WAITERS_NAMED_MAX).join(', ')
  return `, ${count} waiting: ${first}${waiters.length > WAITERS_NAMED_MAX ? ', …' : ''}`
}
