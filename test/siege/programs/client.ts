// A client under siege: node client.js CLIENT_FOLDER JOURNAL [HISTORY EVENTS PAYMENTS PLACE SECRET,SECRET,…]
//
// It takes locks of its own, by waiting and by backing off; shares rooms with others, and writes when it was inside. Where
// the group has more than locks, it shares registers and a counter, publishes events and hears everybody's, pays from the
// account of its place, and records what it asked and heard. At a steady pace: what the group cannot carry is seen.

import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, NotAcquired } from 'coterie'
import { paying } from './paying.ts'
import { publishing } from './publishing.ts'
import { millis, note, onStop, say } from './reporting.ts'
import { sharing } from './sharing.ts'

const [config = '.', journal = '', history, published = '', payments = '', place, secrets = ''] = process.argv.slice(2)
const who = `client-${process.pid}`
const TTL_MS = 1_000
const LOCK_MS = 5_000
/** From the beginning of one thing to that of the next, where it did not take longer. */
const PACE_MS = 40
const OBJECT_LANES = 2
/** Each is work for every server: signatures, and a write to disk. */
const EVENT_PACE_MS = 60
const PAY_PACE_MS = 200

let ended = false
onStop(() => {
  ended = true
})
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
const group = await connect({ config, timeout: 60_000, blockedMax: 0 })

async function paced(kind: string, act: () => Promise<boolean>, pace = PACE_MS): Promise<void> {
  while (!ended) {
    const began = millis()
    note(kind, began, await act())
    await sleep(Math.max(1, pace * (0.5 + Math.random()) - (millis() - began)))
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

/** What a group of locks alone does not have. */
async function moreWork(history: string): Promise<Promise<void>[]> {
  const share = sharing(group, who, history)
  const publish = await publishing(group, who, published)
  const pay = await paying(group, secrets.split(','), Number(place), payments)
  return [
    ...Array.from({ length: OBJECT_LANES }, () => paced('object', share)),
    paced('event', publish, EVENT_PACE_MS),
    paced('payment', pay, PAY_PACE_MS),
  ]
}

const more = history === undefined ? [] : await moreWork(history)
say({ msg: 'started' })
await Promise.all([
  paced('lock', () => lockOnce(`own-${process.pid}`, true)),
  paced('lock', () => lockOnce(`also-${process.pid}`, false)),
  paced('room', () => lockOnce(pick(['room-0', 'room-1']), Math.random() < 0.8)),
  ...more,
])
await group.close()
say({ msg: 'finished' })
process.exit(0)
