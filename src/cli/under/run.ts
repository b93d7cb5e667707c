// Runs a command under something that is held: it, and what it started, ends before somebody else can hold it.
//
// The command is the first of a process group of its own, and signals go to the whole group: a script that is ended
// alone leaves what it started running beside the next holder. Ctrl-C, Ctrl-Z and a terminal that is closed reach
// coterie alone, since the group is not the terminal's, and are handed on.

import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Option } from 'commander'
import { choiceOption, warn } from '../output.ts'
import { printable } from '../printable.ts'
import type { Held } from './held.ts'
import { ProcessGroup } from './process-group.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

export interface UnderOptions {
  readonly fenceWith?: 'watchdog'
}

export const FENCE_HELP = `The command runs in a process group of its own, without a controlling terminal, and signals go to the whole group: also
what the command started is ended, and what is left of it when the command itself ends. What leaves the group (setsid, a
daemon) escapes, and goes on beside the next holder. A coterie that is stopped (SIGSTOP, a debugger) or ended by kill -9
can end nothing: --fence-with watchdog starts a second process that ends the group before the hold can end, whatever
becomes of the first.`

export function fenceOption(): Option {
  const why = 'watchdog: a process of its own ends the command when this one no longer can'
  return choiceOption('--fence-with <what>', why, ['watchdog'])
}

const EXIT_NOT_STARTED = 127
const EXIT_BY_SIGNAL = 128
/** The warning comes a while before the end; half of what is left is for an orderly one. */
const ORDERLY_PART = 1 / 2
/** What the command left running, while nothing is lost: time for an orderly end. */
const LEFTOVER_MS = 5_000
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/**
 * Resolves with the exit code: the command's own, 127 where it could not be started, 128 + n where signal n ended it.
 * By then all of its group has ended.
 */
export async function runUnder(
  held: Held,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  { fenceWith }: UnderOptions = {},
): Promise<number> {
  const watchdog = fenceWith === 'watchdog' ? await startWatchdog(held) : undefined
  try {
    // It may have been lost while the watchdog was started.
    return held.signal.aborted
      ? notStarted(command[0]!, lossOf(held))
      : await runGroup(held, command, environment, watchdog)
  } finally {
    watchdog?.dismiss()
  }
}

async function runGroup(
  held: Held,
  [program, ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
  watchdog: Watchdog | undefined,
): Promise<number> {
  // Before it starts: a signal that came in between would end this process alone, and leave the command running.
  let group: ProcessGroup | undefined
  const stopForwarding = forwardSignals(signal => group?.signal(signal), held)
  const child = spawn(program!, args, { stdio: 'inherit', detached: true, env: { ...process.env, ...environment } })
  if (child.pid === undefined) {
    stopForwarding()
    return new Promise(resolve => child.once('error', error => resolve(notStarted(program!, error.message))))
  }
  group = new ProcessGroup(child.pid)
  watchdog?.guard(child.pid)
  const code = await untilEnded(child, group, held)
  stopForwarding()
  return code
}

async function untilEnded(child: ChildProcess, group: ProcessGroup, held: Held): Promise<number> {
  const lost = () => {
    warn(`warning: ${printable(lossOf(held))}`)
    group.end(held.remaining() * ORDERLY_PART)
  }
  held.signal.addEventListener('abort', lost, { once: true })
  try {
    const code = await new Promise<number>(resolve =>
      child.once('exit', (exit, signal) => resolve(exit ?? EXIT_BY_SIGNAL + constants.signals[signal!])),
    )
    if (group.lives() && !held.signal.aborted) group.end(LEFTOVER_MS)
    await group.gone()
    return code
  } finally {
    held.signal.removeEventListener('abort', lost)
  }
}

/** The longest that a command is given to stop before a hold ends that cannot be renewed; of a short one a part. */
const WARN_MS = 5_000
const WARN_PART = 1 / 10

/** For a hold whose signal fires at its very end: fires while there is time to stop. */
export function warnedEarly(held: Held): Held & Disposable {
  const left = held.remaining()
  const early = new AbortController()
  const timer = setTimeout(
    () => early.abort(new Error('the lease is about to end')),
    left - Math.min(WARN_MS, left * WARN_PART),
  )
  return {
    signal: AbortSignal.any([held.signal, early.signal]),
    remaining: () => held.remaining(),
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

function lossOf(held: Held): string {
  return (held.signal.reason as Error).message
}

function notStarted(program: string, why: string): number {
  warn(`error: ${printable(program)} could not be started: ${printable(why)}`)
  return EXIT_NOT_STARTED
}

function forwardSignals(forward: (signal: NodeJS.Signals) => void, held: Held): () => void {
  // A coterie that stands still renews nothing: the group must not run on without it.
  const pause = () => {
    forward('SIGSTOP')
    process.kill(process.pid, 'SIGSTOP')
  }
  const goOn = () => forward(held.signal.aborted || held.remaining() <= 0 ? 'SIGKILL' : 'SIGCONT')
  for (const signal of FORWARDED) process.on(signal, forward)
  process.on('SIGTSTP', pause).on('SIGCONT', goOn)
  return () => {
    for (const signal of FORWARDED) process.off(signal, forward)
    process.off('SIGTSTP', pause).off('SIGCONT', goOn)
  }
}
