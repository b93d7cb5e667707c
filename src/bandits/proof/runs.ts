// Each planted bug as a run that shows it: `npm run pin` searches for the first seed, pins.json keeps it, the tests look there.

import type { PlantedRun } from '../../simulator/index.ts'
import { banditLiars } from './liars.ts'
import { memberRunScenario } from './member-scenario.ts'
import { brokenBanditRules, plantedBanditBugs } from './planted.ts'
import { banditScenario } from './scenario.ts'
import { thesisLiars } from './thesis-liars.ts'
import { thesisScenario } from './thesis-scenario.ts'

/** The lie that a rule is against. */
const against: Readonly<Record<string, string>> = {
  'two-slots-taken': 'gives two slots',
  'any-number-of-pulls': 'asks for more pulls',
  'strange-token-taken': 'changes tokens',
  'box-not-bound': 'swaps boxes',
  'answer-of-anybody': 'swaps answers',
  'plays-with-other-keys': 'splits the keys',
}

/** The words of the checker that finds it. */
const says: Readonly<Record<string, RegExp>> = {
  'ties-by-slot': /in the open/,
  'rejected-arm-comes-back': /in the open|the best arm is said/,
  'two-slots-taken': /two different: box/,
  'any-number-of-pulls': /where the budget is/,
  'strange-token-taken': /in the open|the sum is said|the best arm is said/,
  'box-not-bound': /in the open/,
  'seats-kept': /the same seats/,
  'compares-again': /two different: answer/,
  'answer-of-anybody': /the best arm is said/,
  'first-claim-believed': /the best arm is said/,
  'plays-with-other-keys': /in the open|the best arm is said/,
  'restarts-from-nothing': /all were honest|told nothing|left out a pull/,
  'asks-anew': /told nothing|all were honest|where the budget is/,
  'old-leader-taken': /in the open|the sum is said/,
  'ring-without-comparison': /in the open|the sum is said/,
  'any-number-is-the-sum': /the sum is said/,
}

/** What only the thesis's protocols rest on, and the lie that it is against. */
const AT_THE_THESIS: Readonly<Record<string, string | undefined>> = {
  'old-leader-taken': 'names an old leader',
  'ring-without-comparison': undefined,
  'any-number-is-the-sum': 'changes the total',
}

/** What only shows where members find each other, and begin again. */
const AMONG_MEMBERS = ['restarts-from-nothing', 'asks-anew']

/** The planted bugs of private runs, each as a run that shows it. */
export const plantedBanditRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  Object.keys(plantedBanditBugs).map((bug): [string, PlantedRun] => {
    if (AMONG_MEMBERS.includes(bug)) {
      const broken = () => memberRunScenario(brokenBanditRules(bug))
      return [bug, { scenario: broken, sound: () => memberRunScenario(), says: says[bug] ?? /./ }]
    }
    if (bug in AT_THE_THESIS) {
      const lying = thesisLiars().findIndex(({ name }) => name === AT_THE_THESIS[bug])
      const told = lying < 0 ? {} : { lie: lying }
      const broken = () => thesisScenario({ rules: brokenBanditRules(bug), ...told })
      return [bug, { scenario: broken, sound: () => thesisScenario(told), says: says[bug] ?? /./ }]
    }
    const lie = banditLiars().findIndex(({ name }) => name === against[bug])
    const told = lie < 0 ? {} : { lie }
    const scenario = () => banditScenario({ rules: brokenBanditRules(bug), ...told })
    return [bug, { scenario, sound: () => banditScenario(told), says: says[bug] ?? /./ }]
  }),
)
