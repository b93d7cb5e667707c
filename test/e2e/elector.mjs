// A member of a group, as a process of its own: stands for 'jobs', and writes into the journal when it leads, when it
// stopped, and whom it sees leading. With an address of its own to dial from, a proxy can tell who calls.
// node elector.mjs MEMBER_FOLDER JOURNAL BATTERY [LOCAL_ADDRESS]

import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'

const [config, journal, battery, localAddress] = process.argv.slice(2)

if (localAddress !== undefined) {
  const { connect } = tls
  tls.connect = options => connect({ ...options, localAddress })
  syncBuiltinESMExports()
}
const { join } = await import('coterie')

const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000
const LOOK_MS = 20

const group = await join({
  config,
  attributes: { battery: Number(battery) },
  ranking: [
    { name: 'battery', best: 'large', tolerance: 0 },
    { name: 'joined', best: 'small', tolerance: 0 },
    { name: 'failures', best: 'small', tolerance: 0 },
  ],
})
const who = group.name
const write = line => appendFileSync(journal, `${JSON.stringify({ who, boot: process.pid, ...line })}\n`)
write({ at: millis(), what: 'joined' })

await group.coordinator('jobs', {
  async lead(term) {
    while (!term.signal.aborted) {
      // The clock is read first: a process that is stopped between the two readings believes for less, not for longer.
      const at = millis()
      const remaining = term.remaining()
      if (term.leads()) write({ at, what: 'leads', term: term.number, until: at + remaining })
      await sleep(LOOK_MS)
    }
    write({ at: millis(), what: 'stopped', term: term.number })
  },
})

process.once('SIGTERM', async () => {
  await group.close()
  write({ at: millis(), what: 'left' })
  process.exit(0)
})

for await (const { term, coordinator } of group.coordinatorOf('jobs')) {
  write({ at: millis(), what: 'sees', term, coordinator: coordinator ?? null })
}
