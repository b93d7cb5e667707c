// A client under siege: node client.js CLIENT_FOLDER JOURNAL HISTORY objects|locks
//
// It takes locks of its own, by waiting and by backing off; shares rooms with others, and writes when it was inside; and
// shares registers and a counter, and records what it asked and heard. At a steady pace: what the group cannot carry is seen.

import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, NotAcquired } from 'coterie'
import { millis, note, onStop, say } from './reporting.ts'
import { sharing } from './sharing.ts'

const [config = '.', journal = '', history = '', what] = process.argv.slice(2)
const who = `client-${process.pid}`
const TTL_MS = 1_000
const LOCK_MS = 5_000
/** From the beginning of one thing to that of the next, where it did not take longer. */
const PACE_MS = 40
const OBJECT_LANES = 2

let ended = false
onStop(() => {
  ended = true
})
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
const group = await connect({ config, timeout: 60_000, blockedMax: 0 })

async function paced(kind: string, act: () => Promise<boolean>): Promise<void> {
  while (!ended) {
    const began = millis()
    note(kind, began, await act())
    await sleep(Math.max(1, PACE_MS * (0.5 + Math.random()) - (millis() - began)))
  }
}

const write = (line: object) => appendFileSync(journal, `${JSON.stringify({ who, ...line })}\n`)

/** The clock is read first: a process that is stopped between the two readings believes for less, not for longer. */
async function lockOnce(name: string, fair: boolean): Promise<boolean> {
  try {
    const lease = await group.lock(name, { ttl: TTL_MS, timeout: LOCK_MS, fair })
    const token = lease.token.toString()
    const at = millis()
    const remaining = lease.remaining()
    if (remaining > 0) {
      write({ at, what: 'enter', name, token, until: at + remaining })
      const left = millis()
      if (lease.held()) write({ at: left, what: 'leave', name, token })
    }
    await lease.release()
    return true
  } catch (error) {
    if (error instanceof NotAcquired) return false
    throw error
  }
}

say({ msg: 'started' })
const share = what === 'objects' ? sharing(group, who, history) : undefined
await Promise.all([
  paced('lock', () => lockOnce(`own-${process.pid}`, true)),
  paced('lock', () => lockOnce(`also-${process.pid}`, false)),
  paced('room', () => lockOnce(pick(['room-0', 'room-1']), Math.random() < 0.8)),
  ...Array.from({ length: share === undefined ? 0 : OBJECT_LANES }, () => paced('object', share!)),
])
await group.close()
say({ msg: 'finished' })
process.exit(0)
