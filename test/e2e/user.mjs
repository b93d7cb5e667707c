// A user of a group, as a process of its own: enters and leaves rooms, and writes it into the journal. With a folder
// to write to, it also writes into a guarded file of the room: in time, and once more when it has been inside for
// too long, with the token that it had.
// It goes on for that long, or until anything comes in on its standard input.
// node user.mjs CLIENT_FOLDER JOURNAL MILLISECONDS [GUARDED_FOLDER]

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, NotAcquired } from 'coterie'
import { fileGuard, StaleToken } from 'coterie/guards'

const [config, journal, duration, guarded] = process.argv.slice(2)
const who = `user-${process.pid}`
const ttl = 1_000
const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000
const write = line => appendFileSync(journal, `${JSON.stringify({ who, ...line })}\n`)
const rooms = ['room-0', 'room-1']
const guards = new Map(guarded === undefined ? [] : rooms.map(name => [name, fileGuard(join(guarded, name))]))

// How long this process stood still at most: a beat that should come often comes late.
const BEAT_MS = 50
const beats = { last: millis(), longest: 0 }
const beat = () => {
  const now = millis()
  beats.longest = Math.max(beats.longest, now - beats.last)
  beats.last = now
  return beats.longest
}
setInterval(beat, BEAT_MS).unref()

/** True: accepted. */
async function writeGuarded(name, token) {
  try {
    await guards.get(name)?.write(token, `${who} ${token}`)
    return true
  } catch (error) {
    if (error instanceof StaleToken) return false
    throw error
  }
}

/** Inside, until it leaves or finds that it has been too long. */
async function stay(name, lease) {
  const token = lease.token.toString()
  // The clock is read first: a process that is stopped between the two readings believes for less, not for longer.
  const from = millis()
  const remaining = lease.remaining()
  if (remaining <= 0) return
  write({ at: from, what: 'enter', name, token, until: from + remaining })
  beats.longest = 0
  const accepted = await writeGuarded(name, lease.token)
  await sleep(Math.random() * 20)
  const at = millis()
  const held = lease.held()
  // Only who still holds it has been inside until now.
  if (held) write({ at, what: 'leave', name, token })
  if (held && !accepted) write({ at, what: 'wronged', name, token })
  // It stood still, for longer than anything that it had asked for can last.
  if (beat() > 2 * ttl) write({ at, what: 'woke', name, token, held, accepted: await writeGuarded(name, lease.token) })
}

const group = await connect({ config })
let end = millis() + Number(duration)
process.stdin.once('data', () => {
  end = 0
})
process.stdin.unref?.()
let entered = 0
while (millis() < end) {
  const name = rooms[Math.floor(Math.random() * rooms.length)]
  try {
    const lease = await group.lock(name, { ttl, timeout: 5_000 })
    entered++
    await stay(name, lease)
    await lease.release()
  } catch (error) {
    if (!(error instanceof NotAcquired)) throw error
  }
}
await group.close()
process.stdout.write(`${JSON.stringify({ who, entered })}\n`)
