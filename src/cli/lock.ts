// coterie lock NAME -- command: runs a command while holding a lock.

import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Command } from 'commander'
import type { Lease } from '../client/lease.ts'
import { NotAcquired } from '../core/index.ts'
import { type ConnectionOptions, connectFrom, withConnection } from './connection.ts'
import { duration } from './duration.ts'
import { action, newCommand } from './output.ts'

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

const EXIT_NOT_STARTED = 127
const EXIT_BY_SIGNAL = 128
/** The lease's warning comes a twentieth of its length before its end; half of that is left for an orderly end. */
const ORDERLY_PART = 1 / 2

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
    process.exitCode = await runUnder(lease, command)
  } finally {
    await lease.release()
  }
}

function runUnder(lease: Lease, [program, ...args]: string[]): Promise<number> {
  return new Promise(resolve => {
    const environment = { ...process.env, COTERIE_LOCK: lease.name, COTERIE_TOKEN: lease.token.toString() }
    const child = spawn(program!, args, { stdio: 'inherit', env: environment })
    const forward = (signal: NodeJS.Signals) => child.kill(signal)
    process.on('SIGINT', forward).on('SIGTERM', forward)
    lease.signal.addEventListener('abort', () => endChild(child, lease))
    child.on('error', error => {
      process.stderr.write(`error: ${program} could not be started: ${error.message}\n`)
      resolve(EXIT_NOT_STARTED)
    })
    child.on('exit', (code, signal) => resolve(code ?? EXIT_BY_SIGNAL + constants.signals[signal!]))
  })
}

function endChild(child: ChildProcess, lease: Lease): void {
  process.stderr.write(`warning: ${(lease.signal.reason as Error).message}\n`)
  child.kill('SIGTERM')
  const left = Math.max(1, lease.remaining() * ORDERLY_PART)
  setTimeout(() => child.kill('SIGKILL'), left).unref()
}
