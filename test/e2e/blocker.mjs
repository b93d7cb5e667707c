// A holder that blocks its main thread at once, as a process of its own. Prints `held TOKEN`, then after the block a line of JSON.
// node blocker.mjs CLIENT_FOLDER NAME TTL BLOCK_MILLISECONDS BLOCKED_MAX

import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'coterie'

const [config, name, ttl, block, blockedMax] = process.argv.slice(2)
const now = () => Number(process.hrtime.bigint()) / 1e6

const group = await connect({ config, blockedMax: Number(blockedMax) })
const lease = await group.lock(name, { ttl: Number(ttl) })
writeSync(1, `held ${lease.token}\n`)
const end = now() + Number(block)
while (now() < end);
const held = lease.held()
const remaining = lease.remaining()
await sleep(50)
// Everything is looked at before anything is let go, and by a clock that all processes of a machine share.
const report = { held, remaining, heldLater: lease.held(), signalled: lease.signal.aborted, at: now() }
await group.close()
writeSync(1, `${JSON.stringify(report)}\n`)
