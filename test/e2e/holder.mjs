// A user that takes one lock and keeps it for as long as it can; then writes late, with the token that it had.
// node holder.mjs CLIENT_FOLDER LOCK GUARDED_FILE
// Prints one JSON line for each thing that happens: inside, lost, ended.

import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'coterie'
import { fileGuard, StaleToken } from 'coterie/guards'

const [config, name, file] = process.argv.slice(2)
const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000
const say = line => process.stdout.write(`${JSON.stringify({ at: millis(), ...line })}\n`)
const LOOK_MS = 20

const guard = fileGuard(file)
const group = await connect({ config })
const lease = await group.lock(name, { ttl: 1_000 })
lease.signal.addEventListener('abort', () => say({ what: 'lost', why: lease.signal.reason.message }))
await guard.write(lease.token, `in time ${lease.token}`)
say({ what: 'inside', token: lease.token.toString() })

let looked = millis()
let gap = 0
let held = true
while (held) {
  await sleep(LOOK_MS)
  gap = millis() - looked
  looked = millis()
  held = lease.held()
}
// How long it had not looked when it found that the lease is over: long only for a process that stood still.
say({ what: 'noticed', gap })
// Somebody else must have written before this one comes too late.
while ((await guard.read()).token === lease.token) await sleep(LOOK_MS)
const refusal = await guard.write(lease.token, `late ${lease.token}`).then(
  () => 'none',
  error => (error instanceof StaleToken ? 'StaleToken' : String(error)),
)
say({ what: 'ended', refusal })
await group.close()
