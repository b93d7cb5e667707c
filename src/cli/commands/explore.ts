// coterie explore PROTOCOL: every interleaving of small systems.

import { performance } from 'node:perf_hooks'
import type { Command } from 'commander'
import { SettingsError } from '../../core/index.ts'
import {
  electionSystems,
  exploreElection,
  exploreElectionBug,
  plantedElectionSystems,
} from '../../election/proof/index.ts'
import {
  eventsSystems,
  exploreEvents,
  exploreEventsBug,
  exploreRouting,
  exploreRoutingBug,
  plantedEventsSystems,
  plantedRoutingSystems,
  routingSystems,
} from '../../events/proof/index.ts'
import { exploreLedger, exploreLedgerBug, ledgerSystems, plantedLedgerSystems } from '../../ledger/proof/index.ts'
import { exploreLock, explorePlanted, lockSystems, plantedSystems } from '../../lock/proof/index.ts'
import {
  exploreOrdering,
  exploreOrderingBug,
  orderingSystems,
  plantedOrderingSystems,
} from '../../ordering/proof/index.ts'
import type { Exploration, ExploreOptions } from '../../simulator/index.ts'
import { action, choiceArgument, colour, EXIT_FAILED, newCommand, print, wholeNumber } from '../output.ts'
import { walkLine } from '../walk.ts'

interface Options {
  readonly system?: string
  readonly bug?: string
  readonly depth?: number
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie explore lock
      tries everything that can happen in each of a few small systems: deliveries in every order, losses, a duplicate,
      a crash, timers, clocks that drift, both answers of a liar
  $ coterie explore lock --bug no-drift-factor
      plants a bug and prints the shortest story in which it breaks a promise, and the line that plays it: the same
      address opens it in the lab's page, where a step of it can be another
  $ coterie explore ordering --system three --depth 18
      three servers and two clients, every schedule of at most 18 steps; some systems have a depth of their own, beyond
      which there are too many states
  $ coterie explore ledger
      every schedule of the votes for one height, a lost store and a liar included; and two ledgers beside one with two
      registers, in every state

Exit codes: 0 every promise is kept in every schedule (as deep as asked), 1 one is broken or not everything was tried,
2 wrong usage.`

interface Explored extends Exploration {
  readonly system: string
}

interface Suite {
  readonly systems: Readonly<Record<string, { readonly about: string; readonly depth?: number }>>
  readonly planted: Readonly<Record<string, unknown>>
  explore(system: string, options: ExploreOptions): Explored
  explorePlanted(bug: string, planted: boolean, options: ExploreOptions): Explored
}

/** What can be explored: its systems, and those in which its planted bugs show. */
const suites: Readonly<Record<string, Suite>> = {
  lock: { systems: lockSystems, planted: plantedSystems, explore: exploreLock, explorePlanted },
  election: {
    systems: electionSystems,
    planted: plantedElectionSystems,
    explore: exploreElection,
    explorePlanted: exploreElectionBug,
  },
  ordering: {
    systems: orderingSystems,
    planted: plantedOrderingSystems,
    explore: exploreOrdering,
    explorePlanted: exploreOrderingBug,
  },
  ledger: {
    systems: ledgerSystems,
    planted: plantedLedgerSystems,
    explore: exploreLedger,
    explorePlanted: exploreLedgerBug,
  },
  events: {
    systems: eventsSystems,
    planted: plantedEventsSystems,
    explore: exploreEvents,
    explorePlanted: exploreEventsBug,
  },
  routing: {
    systems: routingSystems,
    planted: plantedRoutingSystems,
    explore: exploreRouting,
    explorePlanted: exploreRoutingBug,
  },
}

const namesOf = (kind: 'systems' | 'planted') =>
  Object.entries(suites)
    .map(([protocol, suite]) => `${Object.keys(suite[kind]).join(', ')} (${protocol})`)
    .join('; ')

export function exploreCommand(): Command {
  return newCommand('explore')
    .addArgument(choiceArgument('<protocol>', 'what to explore', Object.keys(suites)))
    .option('--system <name>', `one system only: ${namesOf('systems')}`)
    .option('--bug <name>', `plant a bug: ${namesOf('planted')}`)
    .option('--depth <steps>', 'look no further than so many steps from the beginning', wholeNumber)
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
  const depthOf = (one: Explored) => options.depth ?? suite.systems[one.system]?.depth
  const lines = () => explorations.map(one => `${describe(suite, one, depthOf(one))}${playing(protocol, one)}`)
  print(options.json, summary, () => [...lines(), total(summary)].join('\n'))
  const tried = explorations.every(one => isTried(one, depthOf(one)))
  const reached = Object.values(summary.sometimes).every(Boolean)
  if (!tried || !reached) process.exitCode = EXIT_FAILED
}

/** To the end, or as deep as asked. */
function isTried({ complete, broken, depth }: Explored, asked: number | undefined): boolean {
  return complete || (broken === undefined && asked !== undefined && depth >= asked)
}

function check(option: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return
  throw new SettingsError(`--${option} is '${value}'; it must be one of ${known.join(', ')}.`)
}

function suiteOf(protocol: string): Suite {
  if (Object.hasOwn(suites, protocol)) return suites[protocol]!
  const known = Object.keys(suites).join(', ')
  throw new SettingsError(`there is no protocol '${protocol}' to explore; there are: ${known}.`)
}

function run(suite: Suite, options: Options): Explored[] {
  const limit = options.depth === undefined ? {} : { depthMax: options.depth }
  if (options.bug !== undefined) return [suite.explorePlanted(options.bug, true, limit)]
  const names = options.system === undefined ? Object.keys(suite.systems) : [options.system]
  return names.map(name => {
    const exploration = suite.explore(name, { ...limit, progress: states => progress(name, states) })
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    return exploration
  })
}

function progress(system: string, states: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${system}: ${states.toLocaleString('en')} states `)
}

function describe(suite: Suite, exploration: Explored, asked: number | undefined): string {
  const { system, states, broken, complete, depth } = exploration
  const count = `${states.toLocaleString('en')} states`
  if (broken !== undefined) {
    const story = broken.story.map(line => `    ${line}`)
    return [colour.red(`${system}: broken after ${count}: ${broken.property}`), ...story].join('\n')
  }
  const about = suite.systems[system]?.about ?? ''
  const missing = Object.entries(exploration.sometimes).filter(([, reached]) => !reached)
  const safe = complete ? 'all of them safe' : `all of them safe, those of at most ${depth} steps`
  const verdict = isTried(exploration, asked) ? colour.green(safe) : colour.yellow('not all were tried')
  const never = missing.map(([name]) => `\n    ${colour.yellow(`never: ${name}`)}`).join('')
  return `${system}: ${count}, ${verdict} (${about})${never}`
}

/** A story is a run that can be played, changed and sent. */
function playing(protocol: string, { system, broken }: Explored): string {
  const line = broken && walkLine(protocol, system, broken.story)
  return line === undefined ? '' : `\n  $ ${line}`
}

function total(summary: { states: number; wallMs: number }): string {
  return `${summary.states.toLocaleString('en')} states in ${(summary.wallMs / 1000).toFixed(1)} s`
}
