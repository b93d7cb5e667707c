// coterie lock NAME -- command: runs a command while holding a lock.

import type { Command } from 'commander'
import { NotAcquired } from '../../core/index.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { duration } from '../duration.ts'
import { action, newCommand } from '../output.ts'
import { FENCE_HELP, fenceOption, runUnder, type UnderOptions } from '../under/run.ts'

interface Options extends ConnectionOptions, UnderOptions {
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
SIGKILL shortly before the lease ends. If coterie itself is ended by kill -9, the command goes on while somebody else
takes the lock, and only the watchdog or guards that check the token help (docs/guide/fencing.md).

${FENCE_HELP}

Exit codes: the command's own; 1 the lock was not acquired, 2 wrong usage, 127 the command could not be started,
128 + n it was ended by signal n.`

export function lockCommand(): Command {
  return withConnection(newCommand('lock'))
    .argument('<name>', 'name of the lock')
    .argument('<command...>', 'the command and its arguments, after --')
    .option('--ttl <duration>', 'how long the lock outlives this process if it dies (default: 10s)', duration)
    .option('--timeout <duration>', 'how long to wait for the lock, connecting included (default: for ever)', duration)
    .option('--try', 'do not wait: exit with 1 if somebody else holds it')
    .addOption(fenceOption())
    .addHelpText('after', EXAMPLE)
    .action(action(lock))
}

/** Who waits for ever for a lock does not wait for ever for servers that are not there. */
const CONNECT_MS = 10_000
/** Who does not want to wait still needs a connection: that of a server far away takes part of a second. */
const CONNECT_TRY_MS = 2_000

function connectMs({ timeout = CONNECT_MS, try: tries }: Options): number {
  return tries || timeout === 0 ? CONNECT_TRY_MS : Math.min(timeout, CONNECT_MS)
}

async function lock(name: string, command: string[], options: Options): Promise<void> {
  const { ttl, timeout } = options
  const began = performance.now()
  await using group = await connectFrom(options, { timeout: connectMs(options) })
  // One time for both, connecting and waiting.
  const left = timeout === undefined ? {} : { timeout: Math.max(0, timeout - (performance.now() - began)) }
  const chosen = { ...(ttl === undefined ? {} : { ttl }), ...left }
  const lease = options.try ? await group.tryLock(name, chosen) : await group.lock(name, chosen)
  if (lease === undefined) throw new NotAcquired(name, 'contended', {}, 'at the first try')
  try {
    const environment = { COTERIE_LOCK: lease.name, COTERIE_TOKEN: lease.token.toString() }
    process.exitCode = await runUnder(lease, command, environment, options)
  } finally {
    await lease.release()
  }
}
