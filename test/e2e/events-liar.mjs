// A server that lies about events, as a process of its own: node events-liar.mjs SERVER_FOLDER LIE

import { eventsLiars } from '../../dist/src/events/proof/liars.js'
import { nodeVocabulary } from '../../dist/src/node/index.js'
import { serverOf } from '../../dist/src/node/server.js'
import { loadNodeConfig } from '../../dist/src/runtime/config/config.js'
import { silence } from '../../dist/src/runtime/log.js'
import { startServer } from '../../dist/src/runtime/server.js'

const [folder, lie] = process.argv.slice(2)
const liar = eventsLiars().find(({ name }) => name === lie)
await startServer({
  config: await loadNodeConfig(folder),
  log: silence,
  disguise: parts => ({
    protocol: serverOf({ ...parts, events: liar.corrupt(parts.events) }),
    vocabulary: nodeVocabulary,
  }),
  failed(error) {
    throw error
  },
})
process.stdout.write('{"msg":"listening"}\n')
