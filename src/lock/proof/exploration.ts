// The lock under the explorer: small systems in which everything that can happen keeps it safe, and one for each
// planted bug in which something breaks it. n = 3 without liars, and n = 4 with one, which answers yes and no to all.
//
// What is proved is that no schedule of these systems has two holders or a token that goes back: two clients, one
// name, the ticks, crashes and duplicates named. A larger group, a third client or a longer life is for the simulator.

import { explorationSuite, type Moment, type NamedSystem, type Property, type System } from '../../simulator/index.ts'
import {
  acquisitionOf,
  anyServer,
  believes,
  FIRST,
  heldBy,
  type LockSystemOptions,
  lockSystem,
  SECOND,
  takenBy,
} from './small-system.ts'

const ALWAYS: Readonly<Record<string, Property>> = {
  'never two holders': (moment, system) => !(believes(moment, system, FIRST) && believes(moment, system, SECOND)),
  'tokens grow': (moment, system) =>
    tokensGrow(moment, system, FIRST, SECOND) && tokensGrow(moment, system, SECOND, FIRST),
}

// Of two that took the lock, the one who still believes came later, or both would have believed at once.
function tokensGrow(moment: Moment, system: System, earlier: string, later: string): boolean {
  if (believes(moment, system, earlier) || !believes(moment, system, later)) return true
  return takenBy(moment, system, later) > takenBy(moment, system, earlier)
}

const SOMETIMES = {
  'the first client holds': (moment, system) => believes(moment, system, FIRST),
  'the second client holds': (moment, system) => believes(moment, system, SECOND),
  'servers are split between the clients': (moment, system) =>
    [FIRST, SECOND].every(client => anyServer(moment, system, state => heldBy(state) === client)),
  'a belief runs out': (moment, system) =>
    acquisitionOf(moment, system, FIRST)?.phase === 'held' && !believes(moment, system, FIRST),
  'the second follows the first': (moment, system) => follows(moment, system, FIRST, SECOND),
  'the first follows the second': (moment, system) => follows(moment, system, SECOND, FIRST),
  'a server waits after its restart': (moment, system) =>
    anyServer(moment, system, (state, clock) => clock < state.recoverUntil),
  'a renewal moves the deadline': (moment, system) => {
    const acquisition = acquisitionOf(moment, system, FIRST)
    // All grants of one try count from the same moment, so a server that lags behind the deadline has not renewed.
    return acquisition?.phase === 'held' && [...acquisition.until.values()].some(until => until < acquisition.deadline)
  },
  'a hand-over on release': (moment, system) =>
    takenBy(moment, system, FIRST) > 0 &&
    acquisitionOf(moment, system, FIRST) === undefined &&
    believes(moment, system, SECOND),
  'an inquiry is answered by a yield': (moment, system) => hasYielded(moment, system, SECOND),
  'one that yielded holds after all': (moment, system) =>
    hasYielded(moment, system, SECOND) && believes(moment, system, SECOND),
} satisfies Readonly<Record<string, Property>>

function hasYielded(moment: Moment, system: System, client: string): boolean {
  return (acquisitionOf(moment, system, client)?.yielded.size ?? 0) > 0
}

function follows(moment: Moment, system: System, earlier: string, later: string): boolean {
  return takenBy(moment, system, earlier) > 0 && !believes(moment, system, earlier) && believes(moment, system, later)
}

type Sometimes = keyof typeof SOMETIMES

const BOTH_HOLD: readonly Sometimes[] = [
  'the first client holds',
  'the second client holds',
  'servers are split between the clients',
]
const TIME_PASSES: readonly Sometimes[] = ['a belief runs out', 'the second follows the first']

const suite = explorationSuite({ build: lockSystem, always: () => ALWAYS, sometimes: SOMETIMES })
const { named } = suite

const honest = { servers: 3, liars: 0 }
const list = { ...honest, ticks: 0, fair: [FIRST, SECOND] }
const ORDERED: readonly Sometimes[] = [...BOTH_HOLD, 'an inquiry is answered by a yield']

/** Small systems that the explorer tries, by name. */
export const lockSystems: Readonly<Record<string, NamedSystem>> = {
  honest: named(
    '3 servers, a lease runs out or is let go, a token too low is raised',
    { ...honest, ticks: 1, quickTries: 1, releases: [SECOND] },
    ...BOTH_HOLD,
    ...TIME_PASSES,
    'the first follows the second',
  ),
  faults: named(
    '3 servers, one crash and one duplicate, both clients may let go',
    { ...honest, ticks: 0, quickTries: 1, crashes: 1, duplicates: 1, releases: [FIRST, SECOND] },
    ...BOTH_HOLD,
    'the second follows the first',
    'the first follows the second',
    'a server waits after its restart',
  ),
  restart: named(
    '3 servers, one crash, the wait after it and the lease it forgot run out',
    { ...honest, ticks: 1, crashes: 1 },
    ...BOTH_HOLD,
    ...TIME_PASSES,
    'a server waits after its restart',
  ),
  patience: named(
    '3 servers, a client that fails backs off and tries again',
    { ...honest, ticks: 1, waits: [FIRST] },
    ...BOTH_HOLD,
    ...TIME_PASSES,
    'the first follows the second',
  ),
  renewal: named(
    '3 servers, the first client may renew once',
    { ...honest, ticks: 2, leaseTicks: 2, renews: [FIRST] },
    ...BOTH_HOLD,
    ...TIME_PASSES,
    'a renewal moves the deadline',
  ),
  'fast-clients': named(
    "3 servers, the clients' clocks fast and the servers' slow, two ticks",
    { ...honest, ticks: 2, clocks: 'fast clients' },
    ...BOTH_HOLD,
    ...TIME_PASSES,
  ),
  liar: named(
    '4 servers, one of them says yes and no to everybody',
    { servers: 4, liars: 1, ticks: 1 },
    ...BOTH_HOLD,
    ...TIME_PASSES,
  ),
  list: named(
    '3 servers, both clients wait in the lists, the first may let go',
    { ...list, releases: [FIRST] },
    ...ORDERED,
    'a hand-over on release',
    'one that yielded holds after all',
  ),
  'list-duplicate': named(
    '3 servers, both clients wait in the lists, one duplicate',
    { ...list, duplicates: 1 },
    ...ORDERED,
  ),
  'list-restart': named(
    '3 servers, both clients wait in the lists, one crash',
    { ...list, crashes: 1 },
    ...ORDERED,
    'a server waits after its restart',
  ),
  'list-time': named(
    '1 server, both clients wait in its list and ping, a lease runs out',
    { ...list, servers: 1, ticks: 1 },
    'the first client holds',
    'the second client holds',
    'the second follows the first',
    'the first follows the second',
    'an inquiry is answered by a yield',
    'one that yielded holds after all',
  ),
}

/** For each planted bug that two clients can show in a short life, a system in which it breaks a property and the unbroken rules do not. */
export const plantedSystems: Readonly<Record<string, LockSystemOptions>> = {
  'one-grant-too-few': { ...honest, ticks: 0 },
  'forgotten-status-reset': { ...honest, ticks: 0, again: [FIRST] },
  'grant-after-restart': { ...honest, ticks: 0, quickTries: 1, crashes: 1 },
  'lease-from-reply': { ...honest, ticks: 1 },
  'no-drift-factor': { ...honest, ticks: 1 },
  'release-of-any-holder': { ...honest, ticks: 0, again: [FIRST] },
  'stray-grant-returned': { ...honest, ticks: 0, duplicates: 1, renews: [FIRST] },
  'used-token-taken-back': { ...honest, ticks: 0, duplicates: 1, releases: [SECOND] },
  'waiter-grant-from-arrival': { ...list, servers: 1, ticks: 1 },
  'inquire-overtakes-grant': list,
}

/** Explores one of `lockSystems`, by name. */
export const exploreLock = suite.exploring(lockSystems)

/** Explores the system of a planted bug, with the bug or, to compare, without. */
export const explorePlanted = suite.exploringBugs(plantedSystems)
