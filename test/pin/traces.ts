// The traces of every scenario, pinned: who changes the simulator sees here that not a single run became another one.
// `npm run pin:traces` writes the hashes again; that is right after a change of a machine, and never after one of the world.

import { readFileSync } from 'node:fs'
import { type ScenarioOptions, scenarioFor } from '../../src/cli/scenarios.ts'
import { centralised, decentralised, mutexScenario, ricartAgrawala, tokenRing } from '../../src/papers/mutex/index.ts'
import { type AnyScenario, runOnce } from '../../src/simulator/index.ts'

/** One hash stands for so many seeds. */
export const STRETCH = 10
/** Seeds of each scenario. */
export const SEEDS = 200

const commands: readonly ScenarioOptions[] = [
  { protocol: 'lock', servers: 3, liars: 0 },
  { protocol: 'lock', servers: 4, liars: 1 },
  { protocol: 'lock', servers: 7, liars: 1 },
  { protocol: 'lock', servers: 4, liars: 1, bug: 'one-grant-too-few' },
  { protocol: 'lock', servers: 5, liars: 1, unsafe: true },
  { protocol: 'lock', servers: 6, liars: 1, unsafe: true },
  { protocol: 'ordering' },
  { protocol: 'ordering-recovery' },
  { protocol: 'ledger' },
  { protocol: 'events' },
  { protocol: 'membership' },
  { protocol: 'election' },
  { protocol: 'election-secret' },
  { protocol: 'slots' },
  { protocol: 'slots', level: 'strong' },
  { protocol: 'bandits' },
  { protocol: 'server' },
  { protocol: 'member' },
]

function nameOf({ protocol, servers, liars, bug, level, unsafe }: ScenarioOptions): string {
  const parts = [unsafe ? 'printed lock' : protocol, servers && `n${servers}`, liars !== undefined && `b${liars}`]
  return [...parts, level, bug].filter(Boolean).join(' ')
}

/** By name, a fresh scenario. */
export const traced: Readonly<Record<string, () => AnyScenario>> = {
  ...Object.fromEntries(commands.map(options => [nameOf(options), () => scenarioFor(options)])),
  centralised: () => mutexScenario(centralised, 4),
  decentralised: () => mutexScenario(decentralised(), 4),
  'Ricart and Agrawala': () => mutexScenario(ricartAgrawala, 4),
  'token ring': () => mutexScenario(tokenRing(), 4),
}

/** One hash over the runs of so many seeds. */
export function hashOf(scenario: AnyScenario, from: number, count = STRETCH): string {
  let high = 0
  let low = 0
  for (let seed = from; seed < from + count; seed++) {
    const { traceHash } = runOnce(scenario, seed)
    high = (Math.imul(high, 31) + Number.parseInt(traceHash.slice(0, 8), 16)) | 0
    low = (Math.imul(low, 31) + Number.parseInt(traceHash.slice(8), 16)) | 0
  }
  return [high, low].map(half => (half >>> 0).toString(16).padStart(8, '0')).join('')
}

/** What is pinned: of each scenario a hash for every ten seeds, from 1 on. */
export function pinnedTraces(): Readonly<Record<string, readonly string[]>> {
  return JSON.parse(readFileSync(new URL('./traces.json', import.meta.url), 'utf8')) as Record<string, string[]>
}
