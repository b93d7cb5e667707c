// A process that takes a lock and blocks its main thread at once. It says `held`, and after the block what it found.
// node holder.js CLIENT_FOLDER NAME TTL BLOCK_MILLISECONDS BLOCKED_MAX [FILE]
// The block lasts for at least BLOCK_MILLISECONDS, and until FILE exists where one is named.

import { existsSync, writeSync } from 'node:fs'
import { connect } from '../../src/index.ts'

/** What the holder finds when it runs again. */
export interface Found {
  /** `held()`, the first time it is asked. */
  readonly held: boolean
  /** When, by the machine's monotonic clock in milliseconds. */
  readonly at: number
}

const [config, name, ttl, block, blockedMax, file] = process.argv.slice(2)
const now = () => Number(process.hrtime.bigint()) / 1e6

const group = await connect({ config: config!, blockedMax: Number(blockedMax) })
const lease = await group.lock(name!, { ttl: Number(ttl) })
writeSync(1, 'held\n')
const end = now() + Number(block)
while (now() < end);
while (file !== undefined && !existsSync(file));
const held = lease.held()
const found: Found = { held, at: now() }
writeSync(1, `${JSON.stringify(found)}\n`)
await group.close()
