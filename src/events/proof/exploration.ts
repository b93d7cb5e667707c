// Events under the explorer: small systems in which everything that can happen loses nothing that was accepted.

import { explorationSuite, type NamedSystem, type Property } from '../../simulator/index.ts'
import { acceptedIn, type EventsSystemOptions, eventsSystem, heldIn, readIn, savedIn, wholeIn } from './small-system.ts'

function always({ servers, faults = 0, liars = 0 }: EventsSystemOptions): Readonly<Record<string, Property>> {
  return {
    'what is accepted is held by n - f, less those that lie': (moment, system) => {
      const accepted = acceptedIn(moment, system)
      return heldIn(moment, system).filter(held => held >= accepted).length >= servers - faults - liars
    },
    'what is held has no gap': wholeIn,
    'no cursor is past what was handled': (moment, system) => {
      const done = readIn(moment, system)?.done ?? 0
      return savedIn(moment, system).every(saved => saved <= done)
    },
    'what is handed over comes in order': (moment, system) => {
      const read = readIn(moment, system)
      return read === undefined || read.handed === 0 || read.handed === read.done + 1
    },
  }
}

const SOMETIMES = {
  'all is accepted': (moment, system) => acceptedIn(moment, system) === 2,
  'one is accepted': (moment, system) => acceptedIn(moment, system) === 1,
  'a server is behind': (moment, system) => new Set(heldIn(moment, system)).size > 1,
  'the first is handed over': (moment, system) => readIn(moment, system)?.handed === 1,
  'the first is handled': (moment, system) => (readIn(moment, system)?.done ?? 0) >= 1,
  'the second is handed over': (moment, system) => readIn(moment, system)?.handed === 2,
  'all is handled': (moment, system) => readIn(moment, system)?.done === 2,
} satisfies Readonly<Record<string, Property>>

const suite = explorationSuite({ build: eventsSystem, always, sometimes: SOMETIMES })
const { named } = suite

/** Small systems that the explorer tries, by name. */
export const eventsSystems: Readonly<Record<string, NamedSystem>> = {
  one: named(
    '1 server, two events, a durable subscriber, a restart of the server',
    { servers: 1, ticks: 0, crashes: 1, events: 2 },
    'all is accepted',
    'the first is handed over',
    'the second is handed over',
    'all is handled',
  ),
  three: named(
    '3 servers, one may be gone, one event, a durable subscriber, a restart of a server',
    { servers: 3, faults: 1, ticks: 0, crashes: 1, events: 1 },
    'one is accepted',
    'a server is behind',
    'the first is handed over',
    'the first is handled',
  ),
  'three-two': named(
    '3 servers, one may be gone, two events, a durable subscriber, a restart of a server, to a depth',
    { servers: 3, faults: 1, ticks: 0, crashes: 1, events: 2, depth: 16 },
    'one is accepted',
    'a server is behind',
    'the first is handed over',
    'the first is handled',
  ),
  four: named(
    '4 servers, one of which says that it holds what it shows nobody, one event, signed, a durable subscriber',
    { servers: 4, liars: 1, faults: 1, ticks: 0, events: 1 },
    'one is accepted',
    'a server is behind',
    'the first is handed over',
    'the first is handled',
  ),
}

/** For each planted bug that a short life can show, a system in which it breaks a property. */
export const plantedEventsSystems: Readonly<Record<string, EventsSystemOptions>> = {
  // With three, one of which may be behind: the second event is sent when two hold the first.
  'gap-accepted': { servers: 3, faults: 1, ticks: 0, events: 2 },
  'few-acks': { servers: 3, faults: 1, ticks: 0, events: 1 },
}

/** Explores one of the systems, by name. */
export const exploreEvents = suite.exploring(eventsSystems)
/** Explores the system of a planted bug, with the bug or without. */
export const exploreEventsBug = suite.exploringBugs(plantedEventsSystems)
