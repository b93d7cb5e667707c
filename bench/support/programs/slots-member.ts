// One member of the slots benchmark: joins, requests a seat, lets it go at once, and again. Reads lines on standard
// input: "mark" prints what it knows and has used so far, as one JSON line.
// node slots-member.js MEMBER_FOLDER SLOT,SLOT,… LEVEL

import { createInterface } from 'node:readline'
// The package as it ships, with its worker threads; the benchmark's own bundle has none.
import { join } from 'coterie'

const [config, names, level] = process.argv.slice(2) as [string, string, 'curious' | 'strong' | 'verified']
/** Longer than a round takes on the slowest machine, so that nothing runs out. */
const LEASE_MS = 120_000
/** Below the default, so that rounds follow each other closely; with one much smaller, looking around costs more than it saves. */
const BEAT_MS = 100
const PATIENCE_MS = 60_000

const group = await join({ config })
const slots = group.slots('bench', {
  slots: names.split(','),
  level,
  lease: LEASE_MS,
  beat: BEAT_MS,
  patience: PATIENCE_MS,
})
let seats = 0
process.stdout.write('{"joined":true}\n')
createInterface(process.stdin).on('line', async () => {
  const { rounds, phase } = await slots.status()
  const { user, system } = process.cpuUsage()
  const round = Math.max(0, ...rounds.map(one => one.number))
  process.stdout.write(`${JSON.stringify({ round, phase, seats, cpuMs: (user + system) / 1_000 })}\n`)
})
for (;;) {
  const seat = await slots.request()
  seats++
  await seat.release()
}
