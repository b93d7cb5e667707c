import type { Moment, Properties, System } from '../simulator/index.ts'
import { anyServer, believes, FIRST, heldBy, lockSystem, pursuitOf, SECOND, takenBy } from './small-system.ts'

const ALWAYS: Properties['always'] = {
  'never two holders': (moment, system) => !(believes(moment, system, FIRST) && believes(moment, system, SECOND)),
  'tokens grow': (moment, system) =>
    tokensGrow(moment, system, FIRST, SECOND) && tokensGrow(moment, system, SECOND, FIRST),
}

// Of two that took the lock, the one who still believes came later, or both would have believed at once.
function tokensGrow(moment: Moment, system: System, earlier: string, later: string): boolean {
  if (believes(moment, system, earlier) || !believes(moment, system, later)) return true
  return takenBy(moment, system, later) > takenBy(moment, system, earlier)
}

export const lockProperties: Properties = {
  always: ALWAYS,
  sometimes: {
    'the first client holds': (moment, system) => believes(moment, system, FIRST),
    'the second client holds': (moment, system) => believes(moment, system, SECOND),
    'a belief runs out': (moment, system) =>
      pursuitOf(moment, system, FIRST)?.phase === 'held' && !believes(moment, system, FIRST),
    'the second follows the first': (moment, system) => follows(moment, system, FIRST, SECOND),
    'the first follows the second': (moment, system) => follows(moment, system, SECOND, FIRST),
    'servers are split between the clients': (moment, system) =>
      [FIRST, SECOND].every(client => anyServer(moment, system, state => heldBy(state) === client)),
    'a server waits after its restart': (moment, system) =>
      anyServer(moment, system, (state, clock) => clock < state.recoverUntil),
  },
}

function follows(moment: Moment, system: System, earlier: string, later: string): boolean {
  return takenBy(moment, system, earlier) > 0 && !believes(moment, system, earlier) && believes(moment, system, later)
}

export { lockSystem }
