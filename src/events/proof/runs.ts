// Each planted bug as a run that shows it: `npm run pin` searches for the first seed, pins.json keeps it, the tests look there.

import { trust } from '../../core/index.ts'
import type { PlantedRun } from '../../simulator/index.ts'
import { brokenEventsRules, plantedEventsBugs } from './planted.ts'
import { type EventsOptions, eventsScenario } from './scenario.ts'

/** Where faults weigh most. */
const honest = trust({ servers: 3 })
/** Where a liar is needed. */
const lied = trust({ servers: 4, liars: 1 })
const lying: readonly string[] = [
  'main-alone',
  'found-unsigned',
  'repair-unsigned',
  'cursor-unsigned',
  'one-liar-waited-for',
  'never-passed-over',
  'cursor-past-cut',
  'witness-count-only',
  'root-not-bound-to-channel',
  'hearsay-without-end',
]

/** What a run must have for it to show. */
const where: Readonly<Record<string, EventsOptions>> = {
  'witness-count-only': { league: true },
  'root-not-bound-to-channel': { moves: true },
}

/** The words of the checker that finds it, where it is not a loss. */
const says: Readonly<Record<string, RegExp>> = {
  // The author sees it first: the chain of what the server says to hold is not its own.
  'gap-accepted': /is honest and was blamed: holds other events than were sent|accepted and never delivered/,
  'witness-count-only': /was handed other words than honest servers hold/,
  'root-not-bound-to-channel': /was (handed|given) what .* did not publish/,
  'found-unsigned': /is said to have signed two events|was handed/,
  'repair-unsigned': /is honest and was blamed/,
  'cursor-past-cut': /was told that events are gone|accepted and never delivered/,
  'hearsay-without-end': /keeps \d+ bytes that only server-\d says/,
}

/** It costs time and loses nothing: client/machine.test.ts has its arithmetic. */
export const told: readonly string[] = ['one-liar-waited-for']

/** The planted bugs of events, each as a run that shows it. */
export const plantedEventsRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  Object.keys(plantedEventsBugs)
    .filter(bug => !told.includes(bug))
    .map((bug): [string, PlantedRun] => {
      const group = lying.includes(bug) ? lied : honest
      const scenario = () => eventsScenario(group, { rules: brokenEventsRules(bug) }, where[bug])
      const sound = () => eventsScenario(group, {}, where[bug])
      return [bug, { scenario, sound, says: says[bug] ?? /accepted and never delivered/ }]
    }),
)
