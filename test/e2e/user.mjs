// A user of a group, as a process of its own: enters and leaves rooms, and writes it into the journal.
// node user.mjs CLIENT_FOLDER JOURNAL MILLISECONDS

import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, NotAcquired } from 'coterie'

const [config, journal, duration] = process.argv.slice(2)
const who = `user-${process.pid}`
const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000
const write = line => appendFileSync(journal, `${JSON.stringify({ at: millis(), who, ...line })}\n`)

const group = await connect({ config })
const end = millis() + Number(duration)
let entered = 0
while (millis() < end) {
  const name = `room-${Math.floor(Math.random() * 2)}`
  try {
    const lease = await group.lock(name, { ttl: 1_000, timeout: 5_000 })
    const token = lease.token.toString()
    write({ what: 'enter', name, token, until: millis() + lease.remaining() })
    entered++
    await sleep(Math.random() * 20)
    // Only who still holds it has been inside until now.
    if (lease.held()) write({ what: 'leave', name, token })
    await lease.release()
  } catch (error) {
    if (!(error instanceof NotAcquired)) throw error
  }
}
await group.close()
process.stdout.write(`${JSON.stringify({ who, entered })}\n`)
