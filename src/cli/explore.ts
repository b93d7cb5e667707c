// coterie explore PROTOCOL: every interleaving of small systems.

import { performance } from 'node:perf_hooks'
import type { Command } from 'commander'
import { SettingsError } from '../core/index.ts'
import { electionSystems, exploreElection, exploreElectionBug, plantedElectionSystems } from '../election/index.ts'
import { exploreLock, explorePlanted, type LockExploration, lockSystems, plantedSystems } from '../lock/index.ts'
import { action, colour, EXIT_FAILED, newCommand, print } from './output.ts'

interface Options {
  readonly system?: string
  readonly bug?: string
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie explore lock
      tries everything that can happen in each of a few small systems: deliveries in every order, losses, a duplicate,
      a crash, timers, clocks that drift, both answers of a liar
  $ coterie explore lock --bug no-drift-factor
      plants a bug and prints the shortest story in which it breaks a promise

Exit codes: 0 every promise is kept in every schedule, 1 one is broken or not everything was tried, 2 wrong usage.`

/** What can be explored: its systems, and those in which its planted bugs show. */
const suites = {
  lock: { systems: lockSystems, planted: plantedSystems, explore: exploreLock, explorePlanted },
  election: {
    systems: electionSystems,
    planted: plantedElectionSystems,
    explore: exploreElection,
    explorePlanted: exploreElectionBug,
  },
}
type Suite = (typeof suites)[keyof typeof suites]

const namesOf = (kind: 'systems' | 'planted') =>
  Object.entries(suites)
    .map(([protocol, suite]) => `${Object.keys(suite[kind]).join(', ')} (${protocol})`)
    .join('; ')

export function exploreCommand(): Command {
  return newCommand('explore')
    .description('try every interleaving of a small system')
    .argument('<protocol>', `what to explore: ${Object.keys(suites).join(', ')}`)
    .option('--system <name>', `one system only: ${namesOf('systems')}`)
    .option('--bug <name>', `plant a bug: ${namesOf('planted')}`)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(explore))
}

async function explore(protocol: string, options: Options): Promise<void> {
  const suite = suiteOf(protocol)
  check('system', options.system, Object.keys(suite.systems))
  check('bug', options.bug, Object.keys(suite.planted))
  const started = performance.now()
  const explorations = run(suite, options)
  const summary = {
    protocol,
    complete: explorations.every(exploration => exploration.complete),
    states: explorations.reduce((sum, exploration) => sum + exploration.states, 0),
    transitions: explorations.reduce((sum, exploration) => sum + exploration.transitions, 0),
    sometimes: Object.fromEntries(
      explorations.flatMap(({ system, sometimes }) =>
        Object.entries(sometimes).map(([name, reached]) => [`${system}: ${name}`, reached]),
      ),
    ),
    wallMs: Math.round(performance.now() - started),
    systems: explorations,
  }
  print(options.json, summary, () => [...explorations.map(one => describe(suite, one)), total(summary)].join('\n'))
  const reached = Object.values(summary.sometimes).every(Boolean)
  if (!summary.complete || !reached) process.exitCode = EXIT_FAILED
}

function check(option: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return
  throw new SettingsError(`--${option} is '${value}'; it must be one of ${known.join(', ')}.`)
}

function suiteOf(protocol: string): Suite {
  if (Object.hasOwn(suites, protocol)) return suites[protocol as keyof typeof suites]
  const known = Object.keys(suites).join(', ')
  throw new SettingsError(`there is no protocol '${protocol}' to explore; there are: ${known}.`)
}

function run(suite: Suite, options: Options): LockExploration[] {
  if (options.bug !== undefined) return [suite.explorePlanted(options.bug)]
  const names = options.system === undefined ? Object.keys(suite.systems) : [options.system]
  return names.map(name => {
    const exploration = suite.explore(name, { progress: states => progress(name, states) })
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    return exploration
  })
}

function progress(system: string, states: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${system}: ${states.toLocaleString('en')} states `)
}

function describe(suite: Suite, exploration: LockExploration): string {
  const { system, states, broken } = exploration
  const count = `${states.toLocaleString('en')} states`
  if (broken !== undefined) {
    const story = broken.story.map(line => `    ${line}`)
    return [colour.red(`${system}: broken after ${count}: ${broken.property}`), ...story].join('\n')
  }
  const about = suite.systems[system]?.about ?? ''
  const missing = Object.entries(exploration.sometimes).filter(([, reached]) => !reached)
  const verdict = exploration.complete ? colour.green('all of them safe') : colour.yellow('not all were tried')
  const never = missing.map(([name]) => `\n    ${colour.yellow(`never: ${name}`)}`).join('')
  return `${system}: ${count}, ${verdict} (${about})${never}`
}

function total(summary: { states: number; wallMs: number }): string {
  return `${summary.states.toLocaleString('en')} states in ${(summary.wallMs / 1000).toFixed(1)} s`
}
