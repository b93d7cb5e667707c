// Planted bugs as runs that show them: `npm run pin` searches for the first seed, pins.json keeps it, the tests look there.

import { type Trust, trust } from '../../core/index.ts'
import type { PlantedRun } from '../../simulator/index.ts'
import { brokenOrderingRules } from './planted.ts'
import { orderingScenario } from './scenario.ts'

const three = trust({ servers: 3 })
/** Where a liar is needed. */
const seven = trust({ liars: 1 })

/** In which group, and the words of the checker that finds it. */
const found: Readonly<Record<string, readonly [group: Trust, says: RegExp]>> = {
  'committed-goes-back': [three, /has version \d+ and committed \d+/],
  'parent-not-committed': [three, /was not served/],
  'built-on-proposed': [three, /was not served/],
  'one-rank-for-all': [three, /was not served/],
  'rank-above-the-largest': [seven, /was not served/],
  'pending-not-told': [three, /was not served/],
  'liars-are-enough': [seven, /was applied, and nobody asked for it/],
  'commit-without-propose': [three, /is another than before/],
  'one-acknowledgement-too-few': [three, /is another than before/],
  'rank-forgotten-at-restart': [three, /took a rank above its promise/],
  'answered-from-proposed': [three, /operation \d+ was answered .*, not/],
  'half-done-not-completed': [three, /a read of version \d+ gave/],
  'highest-sequence-number': [three, /was not served/],
  'read-of-committed-alone': [three, /a read of version \d+ began after/],
  'a-vote-for-each-word': [seven, /is honest and was blamed/],
  'any-version-is-committed': [three, /was not served/],
  'memory-without-bound': [seven, /keeps \d+ unvouched bytes/],
}

/** The planted bugs of objects, each as a run that shows it. */
export const plantedOrderingRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  Object.entries(found).map(([bug, [group, says]]): [string, PlantedRun] => [
    bug,
    {
      scenario: () => orderingScenario(group, { rules: brokenOrderingRules(bug) }),
      sound: () => orderingScenario(group),
      says,
    },
  ]),
)
