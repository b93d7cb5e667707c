// coterie lock NAME -- command: runs a command while holding a lock.

import type { Command } from 'commander'
import { NotAcquired } from '../core/index.ts'
import { type ConnectionOptions, connectFrom, withConnection } from './connection.ts'
import { duration } from './duration.ts'
import { action, newCommand } from './output.ts'
import { runUnder } from './under.ts'

interface Options extends ConnectionOptions {
  readonly ttl?: number
  readonly timeout?: number
  readonly try?: boolean
}

const EXAMPLE = `
Example:
  $ coterie lock invoices -- ./send-invoices.sh --all
      waits for the lock, runs the command with COTERIE_TOKEN set, releases the lock when it ends
  $ coterie lock invoices --try -- ./send-invoices.sh || echo "somebody else is at it"

If the lock is lost (too few servers renew it), the command gets SIGTERM before anybody else can hold the lock, and
SIGKILL shortly before the lease ends.

Exit codes: the command's own; 1 the lock was not acquired, 2 wrong usage, 127 the command could not be started,
128 + n it was ended by signal n.`

export function lockCommand(): Command {
  return withConnection(newCommand('lock').description('run a command while holding a lock'))
    .argument('<name>', 'name of the lock')
    .argument('<command...>', 'the command and its arguments, after --')
    .option('--ttl <duration>', 'how long the lock outlives this process if it dies (default: 10s)', duration)
    .option('--timeout <duration>', 'how long to wait for the lock (default: for ever)', duration)
    .option('--try', 'do not wait: exit with 1 if somebody else holds it')
    .addHelpText('after', EXAMPLE)
    .action(action(lock))
}

async function lock(name: string, command: string[], options: Options): Promise<void> {
  await using group = await connectFrom(options)
  const { ttl, timeout } = options
  const chosen = { ...(ttl === undefined ? {} : { ttl }), ...(timeout === undefined ? {} : { timeout }) }
  const lease = options.try ? await group.tryLock(name, chosen) : await group.lock(name, chosen)
  if (lease === undefined) throw new NotAcquired(name, 'contended', {}, 'at the first try')
  try {
    const environment = { COTERIE_LOCK: lease.name, COTERIE_TOKEN: lease.token.toString() }
    process.exitCode = await runUnder(lease, command, environment)
  } finally {
    await lease.release()
  }
}
