// Saves numbers in three lanes as fast as the disk takes them, and prints each when it is durable. Ends when killed.

import { writeSync } from 'node:fs'
import { createLogStorage } from '../../src/runtime/storage/log.ts'

/** Low enough that a compaction is under way most of the time. */
const DEAD_BYTES_MIN = 20_000
const REPLACE_EVERY = 50
const FILLER_BYTES = 300
const STDOUT = 1

function fail(error: Error): never {
  throw error
}

const storage = await createLogStorage({ folder: process.argv[2]!, deadBytesMin: DEAD_BYTES_MIN }).open(fail)
const saved = await storage.read()

function saveOn(lane: string, number: number): void {
  storage.save(
    lane,
    Buffer.from(`${number} ${'.'.repeat(FILLER_BYTES)}`),
    number % REPLACE_EVERY === 0 ? 'replace' : 'append',
    () => {
      // The line is with the reader before the next step, or the kill would take it along.
      writeSync(STDOUT, `${lane} ${number} .\n`)
      saveOn(lane, number + 1)
    },
  )
}

for (const lane of ['a', 'b', 'c']) {
  const last = saved.get(lane)?.at(-1)
  saveOn(lane, last === undefined ? 1 : Number.parseInt(Buffer.from(last).toString(), 10) + 1)
}
