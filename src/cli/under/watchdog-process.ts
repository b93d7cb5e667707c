// The watchdog: ends a process group before the hold under it can end, where the process that should do it is stopped or
// gone. It is told until when the hold lasts. Nothing it hears, or misses, makes that later.

import { createInterface } from 'node:readline'
import { threadsClock } from '../../runtime/clock.ts'
import { ProcessGroup } from './process-group.ts'
import type { Word } from './watchdog.ts'

const LOOK_MS = 10
/** The killing itself, and this process being late, take their time: this much before the end; less of a short hold. */
const KILL_BEFORE_MS = 100
const KILL_BEFORE_PART = 1 / 10
/** SIGTERM comes first, this many times as much before the end. */
const WARN_FACTOR = 3

let until: { readonly monotonic: number; readonly wall: number } | undefined
let killBeforeMs = KILL_BEFORE_MS
let group: ProcessGroup | undefined
let warned = false
let alone = false

function hear(line: string): void {
  const word = JSON.parse(line) as Word
  if (word.kind === 'dismissed') process.exit(0)
  if (word.kind === 'guard') group = new ProcessGroup(word.group)
  else {
    if (until === undefined)
      killBeforeMs = Math.min(KILL_BEFORE_MS, (word.monotonic - threadsClock()) * KILL_BEFORE_PART)
    until = word
  }
}

function leftMs(): number {
  return until === undefined ? 0 : Math.min(until.monotonic - threadsClock(), until.wall - Date.now())
}

function look(): void {
  if (group === undefined || !group.lives()) {
    // The other process dismisses us, unless it is gone.
    if (alone) process.exit(0)
    return
  }
  const left = leftMs()
  if (left <= killBeforeMs) {
    group.signal('SIGKILL')
  } else if ((left <= killBeforeMs * WARN_FACTOR || alone) && !warned) {
    warned = true
    group.signal('SIGTERM')
  }
}

// A terminal's signals are for the one that holds.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTSTP'] as const) process.on(signal, () => {})
createInterface({ input: process.stdin })
  .on('line', hear)
  .on('close', () => {
    alone = true
    look()
  })
setInterval(look, LOOK_MS)
process.stdout.write('ready\n')
