// Each planted bug as a run that shows it: `npm run pin` searches for the first seed, pins.json keeps it, the tests look there.

import { trust } from '../../core/index.ts'
import type { PlantedRun } from '../../simulator/index.ts'
import { brokenRules, plantedBugs } from './planted.ts'
import { lockScenario } from './scenario.ts'

/** Where faults weigh most. */
const honest = trust({ servers: 3 })
/** Where a liar is needed. */
const lied = trust({ servers: 4, liars: 1 })
const lying: readonly string[] = ['token-follows-one-server', 'granted-to-a-server']

/** The words of the checker that finds it. */
const says: Readonly<Record<string, RegExp>> = {
  'one-grant-too-few': /is held by/,
  'forgotten-status-reset': /is honest and was blamed: granted another token/,
  'grant-after-restart': /is held by/,
  'lease-from-reply': /is held by/,
  'no-drift-factor': /is held by/,
  'release-of-any-holder': /is held by/,
  'stray-grant-returned': /is held by/,
  'used-token-taken-back': /token \d+ of \S+ after token/,
  'expired-lease-returned': /was told too late/,
  'loss-noticed-late': /was told too late/,
  'token-reused-after-restart': /token \d+ of \S+ after token/,
  'waiter-lost': /was not served/,
  'waiter-grant-from-arrival': /is held by/,
  'stale-write-accepted': /took a write of token/,
  'inquire-overtakes-grant': /is held by/,
  'kept-by-a-stranger': /was not served/,
  'floor-0-after-a-lost-store': /token \d+ of \S+ after token/,
  'token-follows-one-server': /was not served/,
  'largest-token-taken': /is honest and was blamed: claims a token/,
  'granted-to-a-server': /was not served/,
}

/** The planted bugs of the lock, each as a run that shows it. */
export const plantedLockRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  Object.keys(plantedBugs).map((bug): [string, PlantedRun] => {
    const group = lying.includes(bug) ? lied : honest
    const scenario = () => lockScenario(group, { rules: brokenRules(bug) })
    return [bug, { scenario, sound: () => lockScenario(group), says: says[bug] ?? /./ }]
  }),
)
