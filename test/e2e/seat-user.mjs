// A member of a group, as a process of its own: requests seats, holds them for a while, lets go, and writes it into the
// journal. When it reads "last" it asks once more, and then only takes part, so that the others are served too.
// node seat-user.mjs MEMBER_FOLDER JOURNAL LEASE_MS SLOT,SLOT,… [LEVEL]
// Prints one JSON line for each thing that happens; a slot is in the journal only.

import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { join, NoSeat } from 'coterie'

const [config, journal, lease, slots, level = 'verified'] = process.argv.slice(2)
const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000
const say = line => process.stdout.write(`${JSON.stringify(line)}\n`)
const log = (level, message, fields) => say({ level, ...fields, msg: message })
const HOLD_MIN_MS = 20
const REST_MIN_MS = 20
const ASK_MS = 30_000

const group = await join({ config, log })
const channels = group.slots('channels', { slots: slots.split(','), lease: Number(lease), level })
const write = line => appendFileSync(journal, `${JSON.stringify({ who: group.name, at: millis(), ...line })}\n`)

let last = false
process.stdin.on('data', () => {
  last = true
})
const watch = async () => {
  for await (const { evidence: _evidence, ...incident } of channels.incidents()) say(incident)
}
watch().catch(error => say({ failed: error.message }))
say({ joined: group.name })

// Some hold longer than they may: the signal must fire before somebody else is given the slot.
async function stay(seat) {
  const { slot } = seat
  write({ what: 'enter', slot, until: millis() + seat.remaining() })
  const wanted = HOLD_MIN_MS + Math.random() * Number(lease) * 1.2
  await sleep(wanted, undefined, { signal: seat.signal }).catch(() => {})
  if (seat.signal.aborted) say({ lost: seat.signal.reason.name, held: seat.held() })
  write({ what: 'leave', slot })
  await seat.release()
}

for (let asked = 0; ; asked++) {
  const final = last
  const began = millis()
  try {
    const seat = await channels.request({ timeout: ASK_MS })
    say({ seat: asked, waited: Math.round(millis() - began) })
    await stay(seat)
  } catch (error) {
    if (!(error instanceof NoSeat)) throw error
    say({ unserved: error.message })
    continue
  }
  if (final) break
  await sleep(REST_MIN_MS + Math.random() * 200)
}
say({ finished: true })
process.once('SIGTERM', async () => {
  await group.close()
  process.exit(0)
})
setInterval(() => {}, 1_000)
