// Each planted bug of gossip by interest as a run that shows it.

import type { PlantedRun } from '../../../simulator/index.ts'
import { brokenInterestRules, plantedInterestBugs } from './planted.ts'
import { interestScenario } from './scenario.ts'

const says: Readonly<Record<string, RegExp>> = {
  'interest-window-forgets': /twice/,
  'dead-handed-round': /is handed round/,
  'ring-by-own-choice': /where it chose to/,
}

/** The planted bugs of gossip by interest, each as a run that shows it. */
export const plantedInterestRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  Object.keys(plantedInterestBugs).map((bug): [string, PlantedRun] => {
    // Somebody must send an old event again.
    const liars = bug === 'interest-window-forgets' ? 1 : 0
    const run = (rules: string | undefined) => interestScenario({ liars, rules: brokenInterestRules(rules) })
    return [bug, { scenario: () => run(bug), sound: () => run(undefined), says: says[bug] ?? /that were wanted/ }]
  }),
)
