// What `coterie sim` can run, as plain data that travels to worker threads and into a browser.

import { SettingsError, trust } from '../core/index.ts'
import { brokenRules, lockScenario, plantedBugs, printedScenario } from '../lock/index.ts'
import type { AnyScenario } from '../simulator/index.ts'
import { slotsScenarioFor } from '../slots/index.ts'

export interface ScenarioOptions {
  readonly protocol: string
  readonly servers?: number
  readonly liars?: number
  readonly crashes?: number
  /** The paper's rule, also where it is not safe. */
  readonly unsafe?: boolean
  /** A planted bug. */
  readonly bug?: string
}

export const protocols: readonly string[] = ['lock', 'slots']

export function scenarioFor(options: ScenarioOptions): AnyScenario {
  const { protocol, servers, liars = 1, crashes, unsafe, bug } = options
  if (protocol === 'slots') {
    return slotsScenarioFor({ liars, ...(servers && { members: servers }), ...(bug && { bug }) })
  }
  if (protocol !== 'lock') {
    throw new SettingsError(`there is no protocol '${protocol}' to simulate; there are: ${protocols.join(', ')}.`)
  }
  if (bug !== undefined && !(bug in plantedBugs)) {
    throw new SettingsError(`there is no planted bug '${bug}'; there are: ${Object.keys(plantedBugs).join(', ')}.`)
  }
  const settings = {
    liars,
    ...(servers === undefined ? {} : { servers }),
    ...(crashes === undefined ? {} : { crashes }),
  }
  if (unsafe) return printedScenario({ ...settings, unsafe })
  return lockScenario(trust(settings), { rules: brokenRules(bug) })
}

/** The options of a run as they are typed, for the line that repeats it. */
export function asArguments(options: ScenarioOptions): string {
  const words = [options.protocol]
  for (const name of ['servers', 'liars', 'crashes', 'bug'] as const) {
    if (options[name] !== undefined) words.push(`--${name} ${options[name]}`)
  }
  if (options.unsafe) words.push('--unsafe')
  return words.join(' ')
}
