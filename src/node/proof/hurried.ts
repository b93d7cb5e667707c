// Members that have less time for everything to happen: enough for the pinned seeds where nothing is planted.

import type { AnyScenario } from '../../simulator/index.ts'
import { memberScenario } from './member-scenario.ts'
import { brokenComposeRules } from './planted.ts'

/** Three members of whom none lies. */
export function hurried(bug?: string): AnyScenario {
  const scenario = memberScenario({ members: 3, liars: 0 }, brokenComposeRules(bug))
  const plan: AnyScenario['plan'] = random => {
    const drawn = scenario.plan(random)
    return { ...drawn, ends: drawn.healsAt + 30_000_000 }
  }
  return { ...scenario, plan }
}
