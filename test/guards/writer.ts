// Writes to a guarded file as fast as it can, with tokens around the largest it sees, many of them stale, and prints
// what became of each write and when. Ends when killed.
// node writer.mjs PATH

import { writeSync } from 'node:fs'
import { StaleToken } from '../../src/guards/errors.ts'
import { fileGuard } from '../../src/guards/file.ts'

const STDOUT = 1
const FILLER_BYTES = 2_000
const micros = () => Number(process.hrtime.bigint() / 1000n)

const guard = fileGuard(process.argv[2]!)
for (;;) {
  const { token: largest } = await guard.read()
  const token = Math.max(0, Number(largest ?? 0n) + Math.floor(Math.random() * 5) - 2)
  const start = micros()
  let passed = true
  try {
    await guard.write(BigInt(token), JSON.stringify({ token, filler: '.'.repeat(FILLER_BYTES) }))
  } catch (error) {
    if (!(error instanceof StaleToken)) throw error
    passed = false
  }
  // The line is with the reader before the next step, or the kill would take it along.
  writeSync(STDOUT, `${JSON.stringify({ token, passed, start, end: micros() })}\n`)
}
