// The holder's side of a watchdog: tells it, over and over, until when the hold lasts.
//
// What it is told is a moment, by clocks that both processes read, and no "I am well": a heartbeat that is late on its
// way, or read late, must not make the end later.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { FileError } from '../../core/index.ts'
import { threadsClock } from '../../runtime/clock.ts'
import type { Held } from './held.ts'

const PROGRAM = fileURLToPath(new URL('./watchdog-process.js', import.meta.url))
/** Often against a lease of seconds; a line costs some microseconds. */
const BEAT_MS = 100

/** One line to the watchdog, as JSON. */
export type Word =
  /** By the monotonic clock, and by the wall clock, which goes on while the machine sleeps. */
  | { readonly kind: 'until'; readonly monotonic: number; readonly wall: number }
  | { readonly kind: 'guard'; readonly group: number }
  /** All is over in good order. */
  | { readonly kind: 'dismissed' }

export interface Watchdog {
  /** From now on it ends this group when the hold is about to end. */
  guard(group: number): void
  dismiss(): void
}

export async function startWatchdog(held: Held): Promise<Watchdog> {
  // In a session of its own: what stops or ends this process must not reach it.
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  child.stdin.on('error', () => {})
  const say = (word: Word) => child.stdin.write(`${JSON.stringify(word)}\n`)
  const beat = () => {
    const left = held.remaining()
    say({ kind: 'until', monotonic: threadsClock() + left, wall: Date.now() + left })
  }
  await ready(child)
  beat()
  const beating = setInterval(beat, BEAT_MS)
  child.once('exit', () => clearInterval(beating))
  child.unref()
  return {
    guard: group => say({ kind: 'guard', group }),
    dismiss() {
      clearInterval(beating)
      say({ kind: 'dismissed' })
      child.stdin.end()
      child.stdout.destroy()
    },
  }
}

async function ready(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new FileError(`the watchdog could not be started: it ended with ${code ?? signal}.`)
  })
  ended.catch(() => {})
  await Promise.race([once(child.stdout!, 'data'), ended])
}
