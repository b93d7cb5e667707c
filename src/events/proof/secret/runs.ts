// Each planted bug of secret channels as a run that shows it.

import type { PlantedRun } from '../../../simulator/index.ts'
import type { SecretOptions } from './plan.ts'
import { brokenSecretRules, plantedSecretBugs } from './planted.ts'
import { secretScenario } from './scenario.ts'

/** The words of the checker that finds it. */
const says: Readonly<Record<string, RegExp>> = {
  'nonce-from-counter': /under one nonce/,
  'epoch-without-end': /after the end of its epoch/,
  'old-epoch-accepted': /of an epoch that is over/,
  'tag-without-epoch': /a tag outlived its epoch/,
  'pair-of-all': /could read what another writer says/,
  'body-key-shared': /could read what another writer says/,
  'one-chance-for-all': /a mark came twice/,
  'trapdoor-without-epoch': /a trapdoor outlived its epoch/,
  'lap-not-counted': /a counted tag came twice/,
  'counts-at-once': /a counted tag came twice/,
  'seen-window-forgets': /twice/,
  'gap-not-told': /was told nothing/,
  'last-epoch-not-judged': /was told nothing/,
  'silence-believed': /was told nothing/,
  // It has the mole's key for the keeper's: what the others say does not open.
  'record-unsigned': /was told nothing|did not reach|did not publish/,
}

/** Where it shows soonest. */
const where: Readonly<Record<string, Partial<SecretOptions>>> = {
  'tag-without-epoch': { mode: 'tagged' },
  'pair-of-all': { mode: 'paired' },
  'body-key-shared': { mode: 'peks' },
  'one-chance-for-all': { mode: 'peks' },
  'trapdoor-without-epoch': { mode: 'peks' },
  'lap-not-counted': { mode: 'counted' },
  'counts-at-once': { mode: 'counted' },
  'gap-not-told': { carriers: 1 },
  'last-epoch-not-judged': { carriers: 1 },
  'silence-believed': { carriers: 1 },
}

/** A signed leaf has the event's tags too, which no two channels share: secret.test.ts shows what the rule is worth alone. */
export const told: readonly string[] = ['sealed-not-bound-to-channel']

/** The planted bugs of secret channels, each as a run that shows it. */
export const plantedSecretRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  Object.keys(plantedSecretBugs)
    .filter(bug => !told.includes(bug))
    .map((bug): [string, PlantedRun] => {
      const run = (rules: string | undefined) => secretScenario({ ...where[bug], rules: brokenSecretRules(rules) })
      return [bug, { scenario: () => run(bug), sound: () => run(undefined), says: says[bug] ?? /did not publish/ }]
    }),
)
