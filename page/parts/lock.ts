// The lock that ships: to play with, and to explore in a worker, every schedule of a small system.

import { exploreLock, explorePlanted, lockSystems, plantedSystems } from '../../src/lock/proof/index.ts'
import { lockPlayground } from '../../src/play/lock.ts'
import { publish, register, registerTask } from '../registry.ts'

interface Given {
  readonly system?: string
  readonly bug?: string
}

/** A worker is ended after its time; this many states fit in a page's memory. */
const STATES_MAX = 200_000

register(lockPlayground)

registerTask('explore', (given, progress) => {
  const { system, bug } = given as Given
  const options = { statesMax: STATES_MAX, progress: (states: number) => progress({ states }) }
  return bug === undefined ? exploreLock(system ?? '', options) : explorePlanted(bug, true, options)
})

publish('explorer', {
  systems: Object.entries(lockSystems).map(([name, { about, depth }]) => ({ name, about, depth })),
  bugs: Object.keys(plantedSystems),
})
