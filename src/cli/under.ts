// Runs a command under something that is held: it ends before somebody else can hold it.

import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'

/** A lease, a term, a seat: what a command may run under. */
export interface Held {
  /** Fires when it is lost, with an error that says why. */
  readonly signal: AbortSignal
  /** Milliseconds that are left for stopping after the signal. */
  remaining(): number
}

const EXIT_NOT_STARTED = 127
const EXIT_BY_SIGNAL = 128
/** The warning comes a while before the end; half of what is left is for an orderly one. */
const ORDERLY_PART = 1 / 2

/** Resolves with the exit code: the command's own, 127 where it could not be started, 128 + n where signal n ended it. */
export function runUnder(
  held: Held,
  [program, ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise(resolve => {
    const child = spawn(program!, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
    const forward = (signal: NodeJS.Signals) => child.kill(signal)
    process.on('SIGINT', forward).on('SIGTERM', forward)
    const lost = () => endChild(child, held)
    held.signal.addEventListener('abort', lost, { once: true })
    const over = (code: number) => {
      process.off('SIGINT', forward).off('SIGTERM', forward)
      held.signal.removeEventListener('abort', lost)
      resolve(code)
    }
    child.on('error', error => {
      process.stderr.write(`error: ${program} could not be started: ${error.message}\n`)
      over(EXIT_NOT_STARTED)
    })
    child.on('exit', (code, signal) => over(code ?? EXIT_BY_SIGNAL + constants.signals[signal!]))
  })
}

function endChild(child: ChildProcess, held: Held): void {
  process.stderr.write(`warning: ${(held.signal.reason as Error).message}\n`)
  child.kill('SIGTERM')
  const left = Math.max(1, held.remaining() * ORDERLY_PART)
  setTimeout(() => child.kill('SIGKILL'), left).unref()
}
