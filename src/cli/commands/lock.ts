// coterie lock NAME -- command: runs a command while holding a lock.

import { type Command, InvalidArgumentError } from 'commander'
import { LeaseLost, NotAcquired, Refused, Unavailable } from '../../core/index.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { duration } from '../duration.ts'
import { fail, newCommand, warn } from '../output.ts'
import { FENCE_HELP, fenceOption, runUnder, type UnderOptions } from '../under/run.ts'

interface Options extends ConnectionOptions, UnderOptions {
  readonly ttl?: number
  readonly timeout?: number
  readonly try?: boolean
  readonly conflictExitCode: number
}

/**
 * As sysexits.h has them, since scripts know those: EX_UNAVAILABLE, and EX_TEMPFAIL (try again later). It ends at 78,
 * and has no word for a lease that was lost.
 */
const EXIT_UNREACHABLE = 69
const EXIT_NOT_ACQUIRED = 75
const EXIT_LOST = 79
const EXIT_MAX = 255

const EXAMPLE = `
Example:
  $ coterie lock invoices -- ./send-invoices.sh --all
      waits for the lock, runs the command with COTERIE_TOKEN set, releases the lock when it ends
  $ coterie lock invoices --try -- ./send-invoices.sh || echo "not now"
  $ coterie lock invoices --timeout 1m30s -E 0 -- ./send-invoices.sh
      0 also where somebody else held the lock for all that time

If the lock is lost (too few servers renew it), the command gets SIGTERM before anybody else can hold the lock, and
SIGKILL shortly before the lease ends. If coterie itself is ended by kill -9, the command goes on while somebody else
takes the lock, and only the watchdog or guards that check the token help (docs/guide/fencing.md).

${FENCE_HELP}

Exit codes: the command's own; ${EXIT_NOT_ACQUIRED} the lock was not acquired (-E chooses another), ${EXIT_LOST} the lease was lost before the command
had ended, whatever that ended with, ${EXIT_UNREACHABLE} the group could not be reached or refused this client; 1 a file could not be
read, 2 wrong usage, 127 the command could not be started, 128 + n it was ended by signal n.`

export function lockCommand(): Command {
  return withConnection(newCommand('lock'))
    .argument('<name>', 'name of the lock')
    .argument('<command...>', 'the command and its arguments, after --')
    .option('--ttl <duration>', 'how long the lock outlives this process if it dies (default: 10s)', duration)
    .option('--timeout <duration>', 'how long to wait for the lock, connecting included (default: for ever)', duration)
    .option('--try', 'do not wait where somebody else holds it')
    .option(
      '-E, --conflict-exit-code <number>',
      'the exit code where the lock was not acquired',
      exitCode,
      EXIT_NOT_ACQUIRED,
    )
    .addOption(fenceOption())
    .addHelpText('after', EXAMPLE)
    .action(lock)
}

/** Who waits for ever for a lock does not wait for ever for servers that are not there. */
const CONNECT_MS = 10_000
/** Who does not want to wait still needs a connection: that of a server far away takes part of a second. */
const CONNECT_TRY_MS = 2_000

function connectMs({ timeout = CONNECT_MS, try: tries }: Options): number {
  return tries || timeout === 0 ? CONNECT_TRY_MS : Math.min(timeout, CONNECT_MS)
}

async function lock(name: string, command: string[], options: Options): Promise<void> {
  try {
    process.exitCode = await underLock(name, command, options)
  } catch (error) {
    fail(error)
    process.exitCode = exitCodeOf(error, options) ?? process.exitCode
  }
}

async function underLock(name: string, command: string[], options: Options): Promise<number> {
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
    const code = await runUnder(lease, command, environment, options)
    if (lease.held()) return code
    // One that stood still finds its lease over without having been told.
    if (!lease.signal.aborted) warn(`warning: ${new LeaseLost(lease.name, 'it was not renewed in time').message}`)
    return EXIT_LOST
  } finally {
    await lease.release()
  }
}

/** Undefined: as for every other command. */
export function exitCodeOf(
  error: unknown,
  { conflictExitCode }: Pick<Options, 'conflictExitCode'>,
): number | undefined {
  if (error instanceof NotAcquired) return error.reason === 'unreachable' ? EXIT_UNREACHABLE : conflictExitCode
  if (error instanceof LeaseLost) return EXIT_LOST
  return error instanceof Unavailable || error instanceof Refused ? EXIT_UNREACHABLE : undefined
}

function exitCode(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= EXIT_MAX) return Number(text)
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${EXIT_MAX}.`)
}
