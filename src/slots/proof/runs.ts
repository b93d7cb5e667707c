// Each planted bug as a run that shows it: `npm run pin` searches for the first seed, pins.json keeps it, the tests look there.

import type { PlantedRun } from '../../simulator/index.ts'
import { plantedTrustingBugs } from './trusting/planted.ts'
import { trustingScenario } from './trusting/scenario.ts'
import { plantedSlotsBugs } from './verified/planted.ts'
import { slotsScenarioFor, soundSlotsScenario } from './verified/scenario.ts'

/** The words of the checker that finds it. */
const says: Readonly<Record<string, RegExp>> = {
  'no-possession': /is opened with a known number/,
  'share-before-seals': /gave a share of round 1 after/,
  'share-for-any-point': /signed two versions of one share/,
  'share-twice': /signed two versions of one share/,
  'lateness-forgiven': /was not served/,
  'complaint-forgiven': /was not served/,
  'no-reason-needed': /was not served/,
  'restart-at-once': /was not served/,
  'any-record': /was not served/,
  'hasty-leader': /was not served/,
  'own-share-sent': /by a share that its owner gave away/,
  'reuse-before-lease': /is held by/,
  'overtaking-round': /is held by/,
  'lease-from-opening': /is held by/,
  'no-drift-factor': /is held by/,
  'no-quiet': /is held by/,
  'quorum-too-small': /is not that of/,
  'no-proof-of-knowledge': /is held by/,
  'vote-before-opening': /is held by/,
  'requests-forgotten': /was not served/,
  'key-posted-again': /signed two versions of one key/,
  'no-re-encryption': /can be followed through the lap/,
  'told-behind-saves': /was told too late/,
  'bad-lap-sealed': /is held by/,
}

const verified = Object.keys(plantedSlotsBugs).map((bug): [string, PlantedRun] => [
  bug,
  { scenario: () => slotsScenarioFor({ bug }), sound: () => soundSlotsScenario(bug), says: says[bug] ?? /./ },
])
const trusting = Object.entries(plantedTrustingBugs).map(([bug, planted]): [string, PlantedRun] => {
  const { rules: _rules, trusting: _trusting, ...where } = planted
  const sound = () => trustingScenario({ planted: where })
  return [`trusting/${bug}`, { scenario: () => trustingScenario({ planted }), sound, says: new RegExp(planted.says) }]
})

/** The planted bugs of slots, each as a run that shows it. */
export const plantedSlotsRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries([...verified, ...trusting])
