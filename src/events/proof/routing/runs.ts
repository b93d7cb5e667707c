// Each planted bug of routing as a run that shows it.

import type { PlantedRun } from '../../../simulator/index.ts'
import { brokenRoutingRules, plantedRoutingBugs } from './planted.ts'
import { routingScenario } from './scenario.ts'

/** The words of the checker that finds it, where it is not a loss. */
const says: Readonly<Record<string, RegExp>> = {
  'back-to-sender': /twice in one tree/,
  'tree-window-forgets': /twice/,
  'receipt-for-seen': /gave a receipt for event/,
  // What is not verified first is somebody's invention, or hides the true event.
  'marked-unverified': /did not publish|twice|did not reach/,
}

/** Where nobody is faulty there is one tree, and what it misses is missed. */
const alone: readonly string[] = [
  'uncover-after-remove',
  'merged-and-forgot-the-new',
  'back-to-sender',
  'ready-too-early',
]

/** Neighbours compare numbers on every beat, which mends it within one: the explorer shows it, for whom time stands still. */
export const told: readonly string[] = ['announcement-gap-taken']

/** The planted bugs of routing, each as a run that shows it. */
export const plantedRoutingRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  Object.keys(plantedRoutingBugs)
    .filter(bug => !told.includes(bug))
    .map((bug): [string, PlantedRun] => {
      const liars = alone.includes(bug) ? 0 : 1
      const hasty = bug === 'half-made-trees-used'
      const run = (rules: string | undefined) => routingScenario({ liars, hasty, rules: brokenRoutingRules(rules) })
      return [bug, { scenario: () => run(bug), sound: () => run(undefined), says: says[bug] ?? /did not reach/ }]
    }),
)
