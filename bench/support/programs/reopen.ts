// Opens a store, reads it as a server does, and says what that took.

import { createLogStorage } from '../../../src/runtime/storage/log.ts'

const KB_IN_MB = 1_000

const began = performance.now()
const storage = await createLogStorage({ folder: process.argv[2]! }).open(error => {
  throw error
})
await storage.read()
const openMs = performance.now() - began
process.stdout.write(JSON.stringify({ openMs, peakMb: process.resourceUsage().maxRSS / KB_IN_MB }))
await storage.close()
