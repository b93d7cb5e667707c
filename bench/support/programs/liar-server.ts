// node liar-server.js FOLDER: a server of a group that says yes to everybody, under its own certificate.

import { compose, NOTHING_SAVED } from '../../../src/core/index.ts'
import { alwaysYes, lockDefaults, lockServer } from '../../../src/lock/index.ts'
import { nodeVocabulary } from '../../../src/node/index.ts'
import { granterClock } from '../../../src/runtime/clock.ts'
import { loadNodeConfig } from '../../../src/runtime/config.ts'
import { Driver } from '../../../src/runtime/driver.ts'
import { silence } from '../../../src/runtime/log.ts'
import { createTlsTransport } from '../../../src/runtime/transport/index.ts'

const config = await loadNodeConfig(process.argv[2] ?? '.')
if (config.role !== 'server') throw new Error(`${config.file} is not a server's`)
const { group } = config
const honest = lockServer({ ...lockDefaults, ...group.lock, liars: group.trust.liars })
const driver = new Driver({
  protocol: compose('server', { lock: alwaysYes.corrupt(honest) }),
  self: config.name,
  peers: group.servers.map(server => server.name),
  vocabulary: nodeVocabulary,
  clock: granterClock,
  log: silence,
  saved: NOTHING_SAVED,
  event: () => {},
  failed: error => {
    throw error
  },
})
const transport = await createTlsTransport(
  {
    credentials: config,
    authority: config.authority,
    log: silence,
    listen: { host: config.listen, port: config.address.port },
  },
  driver.events,
)
driver.start(transport)
process.on('SIGTERM', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
process.stdout.write('listening\n')
