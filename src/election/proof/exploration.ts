// The election under the explorer: everything that can happen among three members, when two want to lead.
//
// What is proved is that no schedule of these systems has two that lead at once, or a term after a later one: with the
// ticks, crashes and duplicates named. Ballots, liars, changes of the list and longer lives are for the simulator.

import { explorationSuite, type Moment, type NamedSystem, type Property, type System } from '../../simulator/index.ts'
import {
  clockOf,
  type ElectionSystemOptions,
  electionSystem,
  FIRST,
  highestLed,
  leads,
  raceAt,
  SECOND,
  THIRD,
} from './small-system.ts'

const ALWAYS: Readonly<Record<string, Property>> = {
  'never two coordinators': (moment, system) =>
    leads(moment, system, FIRST) === undefined || leads(moment, system, SECOND) === undefined,
  'one coordinator a term': (moment, system) => {
    const known = [FIRST, SECOND, THIRD].flatMap(id => raceAt(moment, system, id)?.leader ?? [])
    return known.every(one => known.every(other => one.term !== other.term || one.coordinator === other.coordinator))
  },
  'terms grow': (moment, system) => {
    const highest = highestLed(moment, system)
    return [FIRST, SECOND].every(id => (leads(moment, system, id) ?? highest) >= highest)
  },
}

const SOMETIMES = {
  'the first leads': (moment, system) => leads(moment, system, FIRST) !== undefined,
  'the second leads': (moment, system) => leads(moment, system, SECOND) !== undefined,
  'the second follows the first': (moment, system) =>
    leads(moment, system, SECOND) !== undefined && hasLed(moment, system, 1),
  'a belief runs out': (moment, system) => {
    const race = raceAt(moment, system, FIRST)
    return race?.candidacy?.phase === 'leading' && leads(moment, system, FIRST) === undefined
  },
  'a promise is kept over a restart': (moment, system) => {
    const race = raceAt(moment, system, THIRD)
    return race !== undefined && race.grantedTo !== '' && race.leader === undefined && isBound(moment, system)
  },
  'a renewal moves the deadline': (moment, system) => {
    const candidacy = raceAt(moment, system, FIRST)?.candidacy
    return candidacy?.phase === 'leading' && (candidacy.sent.length ?? 0) > 2 && moment.tick > 0
  },
} satisfies Readonly<Record<string, Property>>

function hasLed(moment: Moment, system: System, term: number): boolean {
  const race = raceAt(moment, system, FIRST)
  return race !== undefined && race.grantedTerm === term && race.grantedTo === FIRST
}

function isBound(moment: Moment, system: System): boolean {
  return clockOf(moment, system, THIRD) < (raceAt(moment, system, THIRD)?.promisedUntil ?? 0)
}

type Sometimes = keyof typeof SOMETIMES

const suite = explorationSuite({ build: electionSystem, always: () => ALWAYS, sometimes: SOMETIMES })
const { named } = suite

const BOTH: readonly Sometimes[] = ['the first leads', 'the second leads']
const TIME: readonly Sometimes[] = ['the second follows the first', 'a belief runs out']

/** Small systems that the explorer tries, by name. */
export const electionSystems: Readonly<Record<string, NamedSystem>> = {
  'same-term': named('both claim the same term, one duplicate', { ticks: 0, sameTerm: true, duplicates: 1 }, ...BOTH),
  'same-term-restart': named('both claim the same term, one crash', { ticks: 0, sameTerm: true, crashes: 1 }, ...BOTH),
  terms: named('one term after the other, a promise runs out', { ticks: 1 }, ...BOTH, ...TIME),
  restart: named(
    'one term after the other, one crash, what was promised runs out',
    { ticks: 1, crashes: 1 },
    ...BOTH,
    ...TIME,
    'a promise is kept over a restart',
  ),
  renewal: named(
    'promises last two ticks and are renewed',
    { ticks: 1, longer: true },
    ...BOTH,
    'a renewal moves the deadline',
  ),
  alone: named('all seem gone to those who claim', { ticks: 0, alone: true }, ...BOTH),
}

/** For each planted bug that three members can show in a short life, a system in which it breaks a property. */
export const plantedElectionSystems: Readonly<Record<string, ElectionSystemOptions>> = {
  'majority-of-those-seen': { ticks: 0, alone: true },
  'stale-claim-granted': { ticks: 1, sameTerm: true },
  'grant-not-saved': { ticks: 0, sameTerm: true, crashes: 1 },
  'promise-not-kept': { ticks: 0 },
  'promise-forgotten': { ticks: 0, crashes: 1 },
  'no-drift-factor': { ticks: 1 },
  'deadline-from-answer': { ticks: 1 },
}

/** Explores one of `electionSystems`, by name. */
export const exploreElection = suite.exploring(electionSystems)

/** Explores the system of a planted bug, with the bug or, to compare, without. */
export const exploreElectionBug = suite.exploringBugs(plantedElectionSystems)
