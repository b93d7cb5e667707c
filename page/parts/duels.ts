// Every way in which two clients and a traitor can meet under the printed rule, tried in a worker.

import { exhaustDuels } from '../../src/play/duels.ts'
import { encodeRun } from '../../src/simulator/index.ts'
import { Exhausted } from '../panels/exhausted.tsx'
import { registerTask, registerView } from '../registry.ts'

registerView('duels', Exhausted)

/** A page need not be told more often. */
const TELL_EVERY = 8

registerTask('duels', (servers, progress) => {
  /** Which of them broke, by their place. */
  const places: number[] = []
  const { tried, broken, outside } = exhaustDuels(servers as number, (count, found) => {
    while (places.length < found) places.push(count - 1)
    if (count % TELL_EVERY === 0) progress({ tried: count, places })
  })
  return { tried, places, broken: broken.map(encodeRun), outside }
})
