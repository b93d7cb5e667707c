// Each planted bug as a run that shows it, in servers and in members: `npm run pin` searches for the first seed, pins.json
// keeps it, the tests look there.

import { trust } from '../../core/index.ts'
import type { PlantedRun } from '../../simulator/index.ts'
import { hurried } from './hurried.ts'
import { brokenComposeRules, brokenLivesRules, plantedLivesBugs, plantedNodeBugs, plantedWireBugs } from './planted.ts'
import { serverScenario } from './server-scenario.ts'

/** The words of the checker that finds it. */
const says: Readonly<Record<string, RegExp>> = {
  'server/two-parts-in-one-lane': /is not linearizable|is another/,
  'server/records-of-another': /a record of objects that this version cannot read/,
  'server/records-forgotten': /is not linearizable|is another/,
  'server/timers-of-another': /no timer of this machine/,
  'server/old-by-one-word': /its store is whole, and it was made to call it old/,
  'member/two-parts-in-one-lane': /token \d+ of \S+ after token/,
  'member/records-of-another': /who leads .* was not served/,
  'member/records-forgotten': /is honest, and named: it signed two versions of one key/,
  'member/timers-of-another': /no timer of this machine/,
  'member/wire-before-durable': /before membership has said it/,
}

/** Servers of which none lies. */
const honest = trust({ liars: 0 })
const servers = Object.keys(plantedNodeBugs).map((bug): [string, PlantedRun] => {
  const name = `server/${bug}`
  const scenario = () => serverScenario(honest, brokenComposeRules(bug))
  return [name, { scenario, sound: () => serverScenario(honest), says: says[name] ?? /./ }]
})
/** One of seven lies. */
const oneLies = trust({ liars: 1 })
const lives = Object.keys(plantedLivesBugs).map((bug): [string, PlantedRun] => {
  const name = `server/${bug}`
  const scenario = () => serverScenario(oneLies, undefined, brokenLivesRules(bug))
  return [name, { scenario, sound: () => serverScenario(oneLies), says: says[name] ?? /./ }]
})
const members = Object.keys({ ...plantedNodeBugs, ...plantedWireBugs }).map((bug): [string, PlantedRun] => {
  const name = `member/${bug}`
  return [name, { scenario: () => hurried(bug), sound: () => hurried(), says: says[name] ?? /./ }]
})

/** By the name of the bug, after `server/` or `member/`. */
export const plantedNodeRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries([
  ...servers,
  ...lives,
  ...members,
])
