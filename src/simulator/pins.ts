// A planted bug as a run: where to look for it, and what is said when it is found. The seeds are data beside it (pins.json of
// each proof), since a change of a machine moves them; `npm run pin` searches again.

import { runOnce } from './campaign.ts'
import type { AnyScenario } from './scenario.ts'

/** A planted bug as a run. */
export interface PlantedRun {
  /** With the bug, where it shows soonest. A fresh one for each run. */
  scenario(): AnyScenario
  /** The same without the bug. */
  sound(): AnyScenario
  /** The words of the checker that finds it. */
  readonly says: RegExp
}

/** Whether this seed shows the bug: it breaks the promise, and without the bug nothing is broken. */
export function shows({ scenario, sound, says }: PlantedRun, seed: number): boolean {
  const broken = runOnce(scenario(), seed).violations.some(({ what }) => says.test(what))
  return broken && runOnce(sound(), seed).violations.length === 0
}
