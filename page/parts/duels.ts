// Every way in which two clients and a traitor can meet under the printed rule, tried in a worker.

import { exhaustDuels } from '../../src/play/duels.ts'
import { encodeRun } from '../../src/simulator/index.ts'
import { registerTask } from '../registry.ts'

/** A page need not be told more often. */
const TELL_EVERY = 8

registerTask('duels', (servers, progress) => {
  const { tried, broken, outside } = exhaustDuels(servers as number, (count, found) => {
    if (count % TELL_EVERY === 0) progress({ tried: count, broken: found })
  })
  return { tried, broken: broken.map(encodeRun), outside }
})
