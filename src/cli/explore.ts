// coterie explore PROTOCOL: every interleaving of small systems.

import { performance } from 'node:perf_hooks'
import type { Command } from 'commander'
import { SettingsError } from '../core/index.ts'
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

export function exploreCommand(): Command {
  return newCommand('explore')
    .description('try every interleaving of a small system')
    .argument('<protocol>', 'what to explore: lock')
    .option('--system <name>', `one system only: ${Object.keys(lockSystems).join(', ')}`)
    .option('--bug <name>', `plant a bug: ${Object.keys(plantedSystems).join(', ')}`)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(explore))
}

async function explore(protocol: string, options: Options): Promise<void> {
  if (protocol !== 'lock') throw new SettingsError(`there is no protocol '${protocol}' to explore; there is: lock.`)
  check('system', options.system, Object.keys(lockSystems))
  check('bug', options.bug, Object.keys(plantedSystems))
  const started = performance.now()
  const explorations = run(options)
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
  print(options.json, summary, () => [...explorations.map(describe), total(summary)].join('\n'))
  const reached = Object.values(summary.sometimes).every(Boolean)
  if (!summary.complete || !reached) process.exitCode = EXIT_FAILED
}

function check(option: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return
  throw new SettingsError(`--${option} is '${value}'; it must be one of ${known.join(', ')}.`)
}

function run(options: Options): LockExploration[] {
  if (options.bug !== undefined) return [explorePlanted(options.bug)]
  const names = options.system === undefined ? Object.keys(lockSystems) : [options.system]
  return names.map(name => {
    const exploration = exploreLock(name, { progress: states => progress(name, states) })
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    return exploration
  })
}

function progress(system: string, states: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${system}: ${states.toLocaleString('en')} states `)
}

function describe(exploration: LockExploration): string {
  const { system, states, broken } = exploration
  const count = `${states.toLocaleString('en')} states`
  if (broken !== undefined) {
    const story = broken.story.map(line => `    ${line}`)
    return [colour.red(`${system}: broken after ${count}: ${broken.property}`), ...story].join('\n')
  }
  const about = lockSystems[system]?.about ?? ''
  const missing = Object.entries(exploration.sometimes).filter(([, reached]) => !reached)
  const verdict = exploration.complete ? colour.green('all of them safe') : colour.yellow('not all were tried')
  const never = missing.map(([name]) => `\n    ${colour.yellow(`never: ${name}`)}`).join('')
  return `${system}: ${count}, ${verdict} (${about})${never}`
}

function total(summary: { states: number; wallMs: number }): string {
  return `${summary.states.toLocaleString('en')} states in ${(summary.wallMs / 1000).toFixed(1)} s`
}
