// coterie sim PROTOCOL: many simulated runs with faults and liars, or one of them in every detail.

import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { Command } from 'commander'
import { Piscina } from 'piscina'
import { SettingsError } from '../../core/index.ts'
import { cannot } from '../../runtime/files.ts'
import { diagram, type Failure, type Kept, runOnce, shrink, traceLine } from '../../simulator/index.ts'
import { action, choiceArgument, colour, EXIT_FAILED, newCommand, print, wholeNumber } from '../output.ts'
import { playFrom } from '../play.ts'
import { asArguments, protocols, type ScenarioOptions, scenarioFor } from '../scenarios.ts'
import type { SeedResult, Stretch } from '../sim-worker.ts'

interface Options {
  readonly servers?: number
  readonly liars?: number
  readonly crashes?: number
  readonly unsafe?: boolean
  readonly bug?: string
  readonly level?: string
  readonly seeds: number
  readonly from: number
  readonly seed?: number
  readonly only?: number[]
  readonly calm?: boolean
  readonly diagram?: string
  readonly play?: string
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie sim lock --seeds 1000
      a thousand runs: crashes, pauses, partitions, lost and repeated messages, drifting clocks, one lying server
  $ coterie sim lock --servers 5 --liars 1 --unsafe
      the rule printed in the paper, with one server too few: finds two holders, and says how to see it
  $ coterie sim lock --seed 17 --diagram run.svg
      one run step by step, and as a picture
  $ coterie sim --play '#run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:ff'
      a run of the lab's page, by its address: a traitor says FREE to two clients

Ctrl-C ends it early, and it says what the runs that were done have shown.

Exit codes: 0 every promise was kept, 1 a promise was broken, 2 wrong usage, 130 stopped early and none was broken.`

/** Seeds in one piece of work: large enough that handing over costs nothing, small enough for progress. */
const STRETCH = 25
/** As shells say it: 128 and the number of SIGINT. */
const EXIT_STOPPED = 130
/** Failures that are shrunk and shown; the others are counted. */
const SHOWN_MAX = 3

export function simCommand(): Command {
  return newCommand('sim')
    .addArgument(choiceArgument('[protocol]', 'what to run', protocols))
    .option('--servers <number>', 'how many servers (default: the fewest that can do everything)', wholeNumber)
    .option('--liars <number>', 'servers that lie (default: 1)', wholeNumber)
    .option('--crashes <number>', 'servers that may be gone, liars included', wholeNumber)
    .option('--unsafe', "the paper's printed rule, also with fewer servers than it needs")
    .option('--bug <name>', 'plant a bug, by name: a test of the simulator')
    .option('--level <level>', 'of slots: curious, strong or verified (default: verified)')
    .option('--seeds <number>', 'how many runs', wholeNumber, 100)
    .option('--from <seed>', 'the first seed', wholeNumber, 1)
    .option('--seed <seed>', 'one run only, shown step by step', wholeNumber)
    .option('--only <numbers>', 'with --seed: of the acts and faults drawn, only these', numbers)
    .option('--calm', 'with --seed: a network without faults')
    .option('--play <address>', "one run of the lab's page, by its address or what follows its #")
    .option('--diagram <file>', 'with --seed or --play: write a space-time diagram (SVG)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(sim))
}

function numbers(text: string): number[] {
  if (text === 'none') return []
  return text.split(',').filter(Boolean).map(wholeNumber)
}

async function sim(protocol: string | undefined, options: Options): Promise<void> {
  if (options.play !== undefined) {
    if (protocol !== undefined) throw new SettingsError('--play names the run by its address: leave the protocol out.')
    return playFrom(options.play, options)
  }
  if (protocol === undefined) {
    throw new SettingsError("missing required argument 'protocol': name what to run, or a run of the page with --play.")
  }
  const { servers, liars, crashes, unsafe, bug, level } = options
  const chosen: ScenarioOptions = {
    protocol,
    ...(servers === undefined ? {} : { servers }),
    ...(liars === undefined ? {} : { liars }),
    ...(crashes === undefined ? {} : { crashes }),
    ...(unsafe === undefined ? {} : { unsafe }),
    ...(bug === undefined ? {} : { bug }),
    ...(level === undefined ? {} : { level }),
  }
  for (const only of ['only', 'calm', 'diagram'] as const) {
    if (options.seed === undefined && options[only] !== undefined)
      throw new SettingsError(`--${only} is for one run: name its seed with --seed.`)
  }
  return options.seed === undefined ? campaign(chosen, options) : replay(chosen, options, options.seed)
}

async function campaign(chosen: ScenarioOptions, options: Options): Promise<void> {
  const scenario = scenarioFor(chosen)
  const started = performance.now()
  const results = await runAll(chosen, options.from, options.seeds)
  const wallMs = Math.round(performance.now() - started)
  const broken = results.filter(result => result.violations.length > 0)
  const shown = broken.slice(0, SHOWN_MAX).map(({ seed }) => shrink(scenario, runOnce(scenario, seed)))
  const summary = {
    scenario: scenario.name,
    ...chosen,
    firstSeed: options.from,
    asked: options.seeds,
    runs: results.length,
    simulatedMs: results.reduce((sum, result) => sum + result.simulatedMs, 0),
    wallMs,
    messages: results.reduce((sum, result) => sum + result.messages, 0),
    traceHash: fold(results),
    violations: broken.map(({ seed, violations }) => ({ seed, what: violations[0]!.what })),
    replays: shown.map(failure => replayLine(chosen, failure)),
  }
  print(options.json, summary, () => describeRuns(summary, chosen, shown))
  if (results.length < options.seeds) process.exitCode = EXIT_STOPPED
  if (broken.length > 0) process.exitCode = EXIT_FAILED
}

/** The results in the order of their seeds: fewer than were asked for where Ctrl-C came first. */
async function runAll(chosen: ScenarioOptions, from: number, seeds: number): Promise<SeedResult[]> {
  const pool = new Piscina<Stretch, SeedResult[]>({
    filename: new URL('../sim-worker.js', import.meta.url).href,
    maxThreads: availableParallelism(),
  })
  const done: SeedResult[] = []
  let stopped = false
  const stop = () => {
    stopped = true
    void pool.destroy()
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const stretches: Promise<void>[] = []
  for (let seed = from; seed < from + seeds; seed += STRETCH) {
    const count = Math.min(STRETCH, from + seeds - seed)
    const work = pool.run({ options: chosen, firstSeed: seed, count }).then(results => {
      done.push(...results)
      if (process.stderr.isTTY) process.stderr.write(`\r${done.length} of ${seeds} runs `)
    })
    stretches.push(work)
  }
  try {
    await Promise.all(stretches)
  } catch (error) {
    if (!stopped) throw error
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    await pool.destroy()
  }
  return done.sort((one, other) => one.seed - other.seed)
}

/** One hash over the hashes of all runs. */
function fold(results: readonly SeedResult[]): string {
  let high = 0
  let low = 0
  for (const { traceHash } of results) {
    high = (Math.imul(high, 31) + Number.parseInt(traceHash.slice(0, 8), 16)) | 0
    low = (Math.imul(low, 31) + Number.parseInt(traceHash.slice(8), 16)) | 0
  }
  return [high, low].map(half => (half >>> 0).toString(16).padStart(8, '0')).join('')
}

function replayLine(chosen: ScenarioOptions, failure: Failure): string {
  const { only = [], calm } = failure.kept
  const words = [`coterie sim ${asArguments(chosen)} --seed ${failure.seed}`]
  if (calm) words.push('--calm')
  words.push(`--only ${only.join(',') || 'none'}`)
  return words.join(' ')
}

interface Summary {
  readonly asked: number
  readonly runs: number
  readonly simulatedMs: number
  readonly wallMs: number
  readonly messages: number
  readonly traceHash: string
  readonly violations: readonly unknown[]
}

export function describeRuns(summary: Summary, chosen: ScenarioOptions, shown: readonly Failure[]): string {
  const seconds = Math.round(summary.simulatedMs / 1000).toLocaleString('en')
  const { asked, runs } = summary
  const lines = [
    ...(runs < asked ? [colour.yellow(`stopped: ${runs} of ${asked} runs were done`)] : []),
    `${summary.runs} runs, ${seconds} simulated seconds and ${summary.messages.toLocaleString('en')} messages in ` +
      `${(summary.wallMs / 1000).toFixed(1)} s; trace hash ${summary.traceHash}`,
  ]
  if (summary.violations.length === 0) return [...lines, colour.green('no promise was broken')].join('\n')
  lines.push(colour.red(`${summary.violations.length} runs broke a promise`))
  for (const failure of shown) {
    lines.push('', `  seed ${failure.seed}: ${failure.violations[0]!.what}`)
    lines.push(`  shrunk from ${failure.items} acts and faults to ${failure.itemsKept}; to see it step by step:`)
    lines.push(`  $ ${replayLine(chosen, failure)}`)
  }
  return lines.join('\n')
}

/** Of what was drawn, the nodes that lie: 'server-3 alwaysYes, server-5 silent'. */
function liarsOf({ liars = '' }: Readonly<Record<string, unknown>>): string[] {
  return String(liars)
    .split(', ')
    .map(one => one.split(' ')[0]!)
}

async function replay(chosen: ScenarioOptions, options: Options, seed: number): Promise<void> {
  const kept: Kept = {
    ...(options.only === undefined ? {} : { only: options.only }),
    ...(options.calm === undefined ? {} : { calm: options.calm }),
  }
  const result = runOnce(scenarioFor(chosen), seed, kept, true)
  if (options.diagram !== undefined) {
    const title = `${asArguments(chosen)}, seed ${seed}: ${result.violations[0]?.what ?? 'no promise was broken'}`
    await writeFile(options.diagram, diagram(result.trace, title, liarsOf(result.drawn))).catch(error => {
      throw cannot('write', options.diagram!, error)
    })
  }
  print(options.json, result, () =>
    [
      ...Object.entries(result.drawn).map(([name, value]) => `${name}: ${value}`),
      ...result.trace.map(traceLine),
      `trace hash ${result.traceHash}`,
      result.violations.length === 0
        ? colour.green('no promise was broken')
        : colour.red(`broken: ${result.violations.map(violation => violation.what).join('; ')}`),
    ].join('\n'),
  )
  if (result.violations.length > 0) process.exitCode = EXIT_FAILED
}
