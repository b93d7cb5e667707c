// coterie lab list, coterie lab run NAME …: the papers' tables and figures, measured again. lab-page.ts has the page.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import {
  type Experiment,
  experiments,
  findExperiment,
  formatTable,
  nearestNames,
  type Report,
  runExperiment,
  type Scale,
  toCsv,
  toJson,
} from '../../../lab/index.ts'
import { SettingsError } from '../../core/index.ts'
import { cannot, replaceText } from '../../runtime/files.ts'
import { type Count, countOf, jobsDefault, runSeveral, totalOf } from '../lab-runs.ts'
import { action, choiceOption, colour, EXIT_FAILED, newCommand, print, tell, wholeNumber } from '../output.ts'
import { labExportCommand, labServeCommand } from './lab-page.ts'

interface RunCommandOptions {
  readonly scale: Scale
  readonly seed: number
  readonly jobs?: number
  readonly all?: boolean
  readonly json?: boolean
  readonly out?: string
}

const LIST_EXAMPLE = `
Example:
  $ coterie lab list
      every experiment, with the section of the paper that it checks

Exit codes: 0 listed, 2 wrong usage.`

const RUN_EXAMPLE = `
Example:
  $ coterie lab run backoff-response --out results
      measures, prints a table, and writes results/backoff-response.json, .csv and .svg
  $ coterie lab run --all --json
      runs every experiment on all cores, and prints how many figures were judged and how many are outside
  $ coterie lab run errata-bound errata-best --scale full --seed 7
      runs these two with more samples, from another seed

Exit codes: 0 every figure is within its tolerance, 1 one is not, nothing was measured because a program is missing,
or a file could not be written, 2 wrong usage.`

export function labCommand(): Command {
  const list = newCommand('list')
    .description('list the experiments')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', LIST_EXAMPLE)
    .action(action(listAll))
  const run = newCommand('run')
    .description('run an experiment, and compare what it measures with what the paper says')
    .argument('[names...]', "names of experiments, or 'all'")
    .option('--all', 'every experiment')
    .addOption(choiceOption('--scale <scale>', 'seconds, or minutes', SCALES).default('small'))
    .option('--seed <number>', 'what all chance is drawn from', wholeNumber, 1)
    .option('--jobs <number>', 'how many experiments run at the same time (default: one for each core)', wholeNumber)
    .option('--out <dir>', 'folder for the rows (JSON and CSV) and pictures (SVG)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', RUN_EXAMPLE)
    .action(action(runNamed))
  return newCommand('lab')
    .addCommand(list)
    .addCommand(run)
    .addCommand(labServeCommand())
    .addCommand(labExportCommand())
    .addHelpText('after', '\nExample:\n  $ coterie lab run backoff-response')
}

const SCALES: readonly Scale[] = ['small', 'full']

async function listAll(options: { readonly json?: boolean }): Promise<void> {
  const listed = experiments.map(({ name, title, source }) => ({ name, title, source }))
  const widest = Math.max(...listed.map(({ name }) => name.length))
  print(options.json, listed, () =>
    listed
      .map(({ name, title, source }) => `${colour.bold(name.padEnd(widest))}  ${title} ${colour.cyan(`(${source})`)}`)
      .join('\n'),
  )
}

async function runNamed(names: readonly string[], options: RunCommandOptions): Promise<void> {
  const chosen = chosenOf(names, options)
  // Before the minutes of measuring, not after.
  if (options.out !== undefined) await makeOut(options.out)
  const reports = chosen.length === 1 ? [await runOne(chosen[0]!, options)] : await runMany(chosen, options)
  if (options.out !== undefined) for (const report of reports) await writeReport(options.out, report)
  if (chosen.length === 1) print(options.json, forPrograms(reports[0]!), () => describe(reports[0]!))
  else print(options.json, summaryOf(reports, options), () => describeAll(reports))
  if (reports.some(report => !report.within)) process.exitCode = EXIT_FAILED
}

function chosenOf(names: readonly string[], { all }: RunCommandOptions): readonly Experiment[] {
  if (all && names.length > 0) throw new SettingsError('--all means every experiment: leave the names out.')
  if (all || names.includes('all')) return experiments
  if (names.length === 0) throw new SettingsError('name an experiment, or say --all. See them with: coterie lab list')
  return [...new Set(names)].map(named)
}

/** A line for each as it ends: who waits for minutes sees where it is. */
async function runMany(chosen: readonly Experiment[], options: RunCommandOptions): Promise<Report[]> {
  const { scale, seed, jobs = jobsDefault } = options
  if (jobs < 1) throw new SettingsError('--jobs must be at least 1.')
  const widest = Math.max(...chosen.map(({ name }) => name.length))
  const line = progressLine()
  let done = 0
  const ended = (report: Report) => {
    done++
    line.clear()
    if (!options.json) tell(countLine(countOf(report), widest))
    line.show(`${done} of ${chosen.length} experiments`, done / chosen.length, '', true)
  }
  if (!options.json) tell(countHead(widest))
  try {
    return await runSeveral(chosen, { scale, seed, jobs, ended, progress: line.show })
  } finally {
    line.clear()
  }
}

const COUNT_COLUMNS = ['judged', 'outside', 'seconds']

function countHead(widest: number): string {
  return [' '.repeat(widest), ...COUNT_COLUMNS].join('  ')
}

function countLine({ name, judged, outside, seconds, within }: Count, widest: number): string {
  const words = [judged, outside, seconds.toFixed(1)].map((word, at) =>
    String(word).padStart(COUNT_COLUMNS[at]!.length),
  )
  const line = [name.padEnd(widest), ...words].join('  ')
  return within ? line : colour.red(line)
}

function summaryOf(reports: readonly Report[], { scale, seed }: RunCommandOptions) {
  const counts = reports.map(countOf)
  const listed = reports.map((report, at) => ({ ...counts[at], ...forPrograms(report) }))
  return { scale, seed, ...totalOf(counts), experiments: listed }
}

/** Those that are not as expected in full, then the sum. */
function describeAll(reports: readonly Report[]): string {
  const { judged, outside, seconds } = totalOf(reports.map(countOf))
  const wrong = reports.filter(report => !report.within)
  const total = `${reports.length} experiments, ${judged} figures judged, ${outside} outside; ${seconds.toFixed(1)} s in all`
  const verdict =
    wrong.length === 0
      ? colour.green(total)
      : colour.red(`${total}. Not as expected: ${wrong.map(({ name }) => name).join(', ')}`)
  return ['', ...wrong.map(describe), verdict].join('\n')
}

function named(name: string): Experiment {
  const found = findExperiment(name)
  if (found !== undefined) return found
  const near = nearestNames(name, [...experiments.map(experiment => experiment.name), 'all'])
  const advice = near.length === 0 ? 'See them with: coterie lab list' : `Did you mean ${near.join(' or ')}?`
  throw new SettingsError(`there is no experiment '${name}'. ${advice}`)
}

async function runOne(experiment: Experiment, options: RunCommandOptions): Promise<Report> {
  const { scale, seed } = options
  const line = progressLine()
  const progress = (fraction: number, doing: string) => line.show(experiment.name, fraction, doing)
  try {
    return await runExperiment(experiment, { scale, seed, progress })
  } finally {
    line.clear()
  }
}

/** More often than this nobody can read it. */
const PROGRESS_EVERY_MS = 100

/** One line on the terminal that is written over; nothing at all where standard error is a file or a pipe. */
function progressLine() {
  const { stderr } = process
  let shownAt = 0
  return {
    show(name: string, fraction: number, doing: string, now = false): void {
      if (!stderr.isTTY || (!now && performance.now() - shownAt < PROGRESS_EVERY_MS)) return
      shownAt = performance.now()
      stderr.write(`\r\x1b[K${name}  ${String(Math.floor(100 * fraction)).padStart(3)} %  ${doing}`)
    },
    clear(): void {
      if (stderr.isTTY) stderr.write('\r\x1b[K')
    },
  }
}

function describe(report: Report): string {
  const table = formatTable(report.rows).replaceAll('✓', colour.green('✓')).replaceAll('✗', colour.red('✗'))
  const judged = report.rows.filter(row => row.expected !== null)
  const off = judged.filter(row => !row.within).length
  const verdict =
    report.rows.length === 0
      ? colour.red('nothing was measured')
      : off === 0
        ? colour.green(`all ${judged.length} expected figures are within their tolerance`)
        : colour.red(`${off} of ${judged.length} expected figures are off`)
  return [
    `${colour.bold(report.name)}  ${report.title}`,
    colour.cyan(`${report.source}; scale ${report.scale}, seed ${report.seed}, ${(report.wallMs / 1000).toFixed(1)} s`),
    '',
    table,
    '',
    ...report.notes,
    '',
    verdict,
    '',
  ].join('\n')
}

/** Pictures are for --out: in JSON only their names. */
function forPrograms(report: Report) {
  return { ...report, pictures: report.pictures.map(picture => picture.name) }
}

async function makeOut(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true }).catch(error => {
    throw cannot('make', dir, error)
  })
}

async function writeReport(dir: string, report: Report): Promise<void> {
  const files: [string, string][] = [
    [`${report.name}.json`, toJson(report.rows)],
    [`${report.name}.csv`, toCsv(report.rows)],
    ...report.pictures.map(({ name, svg }): [string, string] => [name, svg]),
  ]
  for (const [name, text] of files) {
    const file = join(dir, name)
    await replaceText(file, text).catch(error => {
      throw cannot('write', file, error)
    })
  }
}
