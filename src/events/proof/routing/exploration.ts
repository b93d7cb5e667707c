// Routing under the explorer: a path of three, in which everything that can happen leaves nobody without what it wants.

import { explorationSuite, type NamedSystem, type Property } from '../../../simulator/index.ts'
import {
  heardAll,
  isKnown,
  isNarrowAgain,
  noRepeats,
  type RoutingSystemOptions,
  reached,
  routingSystem,
  stillWanted,
} from './small-system.ts'

function always({ duplicates = 0 }: RoutingSystemOptions): Readonly<Record<string, Property>> {
  return {
    'what a member wants all the time, everybody on the way is told all the time': stillWanted,
    'who has heard the last announcement has heard all of them': heardAll,
    ...(duplicates > 0 ? {} : { 'nobody gets an event twice in one tree': noRepeats }),
  }
}

const SOMETIMES = {
  'the author knows what the reader wants': isKnown,
  'a wish came and went': isNarrowAgain,
  'an event reached the reader': (moment, system) => reached(moment, system) > 0,
  'both events reached the reader': (moment, system) => reached(moment, system) === 2,
} satisfies Readonly<Record<string, Property>>

const suite = explorationSuite({ build: routingSystem, always, sometimes: SOMETIMES })
const { named } = suite

/** Small systems that the explorer tries, by name. */
export const routingSystems: Readonly<Record<string, NamedSystem>> = {
  path: named(
    '3 routers in a row; a wish that stays, one that covers it and goes again, an event, to a depth',
    { events: 1, wide: true, depth: 13 },
    'the author knows what the reader wants',
    'a wish came and went',
    'an event reached the reader',
  ),
  events: named(
    '3 routers in a row; both ends want the same, two events, a message that comes twice',
    { events: 2, both: true, duplicates: 1 },
    'the author knows what the reader wants',
    'both events reached the reader',
  ),
}

/** For each planted bug that a short life can show, a system in which it breaks a property. */
export const plantedRoutingSystems: Readonly<Record<string, RoutingSystemOptions>> = {
  'uncover-after-remove': { events: 0, wide: true },
  'back-to-sender': { events: 1, both: true },
  'announcement-gap-taken': { events: 0, other: true },
}

/** Explores one of the systems, by name. */
export const exploreRouting = suite.exploring(routingSystems)
/** Explores the system of a planted bug, with the bug or without. */
export const exploreRoutingBug = suite.exploringBugs(plantedRoutingSystems)
