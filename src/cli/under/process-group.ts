// A process group: a command and all that it started, unless it left on purpose.

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 10
/** A process that was killed is gone at once, unless the disk holds it, or nobody takes note of its end. */
const KILLED_MS = 1_000

export class ProcessGroup {
  private readonly id: number
  /** When SIGKILL was sent, by `performance.now()`. */
  private killedAt: number | undefined
  private killer: NodeJS.Timeout | undefined

  /** Of the process that leads it. */
  constructor(id: number) {
    this.id = id
  }

  signal(signal: NodeJS.Signals): void {
    if (signal === 'SIGKILL') this.killedAt ??= performance.now()
    this.send(signal)
  }

  lives(): boolean {
    return this.send(0) && hasLiving(this.id)
  }

  /** SIGTERM now, SIGKILL after this long, or at once where no time is left. A second call can only be sooner. */
  end(orderlyMs: number): void {
    if (orderlyMs <= 0) return this.signal('SIGKILL')
    this.signal('SIGTERM')
    // One that was stopped hears nothing until it goes on.
    this.send('SIGCONT')
    clearTimeout(this.killer)
    this.killer = setTimeout(() => this.signal('SIGKILL'), orderlyMs)
  }

  /** Resolves when nobody of it is left. Those that SIGKILL cannot end at once are not waited for. */
  async gone(): Promise<void> {
    while (this.lives() && performance.now() - (this.killedAt ?? performance.now()) < KILLED_MS) await sleep(LOOK_MS)
    clearTimeout(this.killer)
  }

  /** False where there is no such group any more. */
  private send(signal: NodeJS.Signals | 0): boolean {
    try {
      process.kill(-this.id, signal)
      return true
    } catch (error) {
      // Somebody is there whom we may not signal: a program that changed its user.
      return (error as NodeJS.ErrnoException).code === 'EPERM'
    }
  }
}

/** In /proc/PID/stat, counted from behind the program's name (which may contain anything, blanks too). */
const STATE_FIELD = 0
const GROUP_FIELD = 2

/** An orphan that ended stays in its group until somebody takes note; the first process of many containers never does. */
function hasLiving(group: number): boolean {
  let processes: string[]
  try {
    processes = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  } catch {
    // No /proc on this system.
    return true
  }
  return processes.some(pid => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(fields[GROUP_FIELD]) === group && !['Z', 'X'].includes(fields[STATE_FIELD]!)
    } catch {
      return false
    }
  })
}
