// coterie lab list, coterie lab run NAME: the papers' tables and figures, measured again. lab-page.ts has the page.

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
import { action, choiceOption, colour, EXIT_FAILED, newCommand, print, wholeNumber } from '../output.ts'
import { labExportCommand, labServeCommand } from './lab-page.ts'

interface RunCommandOptions {
  readonly scale: Scale
  readonly seed: number
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
  $ coterie lab run all --scale full --seed 7
      runs every experiment with more samples, from another seed

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
    .argument('<name>', "name of the experiment, or 'all'")
    .addOption(choiceOption('--scale <scale>', 'seconds, or minutes', SCALES).default('small'))
    .option('--seed <number>', 'what all chance is drawn from', wholeNumber, 1)
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

async function runNamed(name: string, options: RunCommandOptions): Promise<void> {
  const chosen = name === 'all' ? experiments : [named(name)]
  // Before the minutes of measuring, not after.
  if (options.out !== undefined) await makeOut(options.out)
  const reports: Report[] = []
  for (const experiment of chosen) {
    const report = await runOne(experiment, options)
    reports.push(report)
    if (!options.json) print(false, report, () => describe(report))
    if (options.out !== undefined) await writeReport(options.out, report)
  }
  if (options.json) print(true, name === 'all' ? reports.map(forPrograms) : forPrograms(reports[0]!), () => '')
  if (reports.some(report => !report.within)) process.exitCode = EXIT_FAILED
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
  const line = progressLine(experiment.name)
  try {
    return await runExperiment(experiment, { scale, seed, progress: line.show })
  } finally {
    line.clear()
  }
}

/** More often than this nobody can read it. */
const PROGRESS_EVERY_MS = 100

/** One line on the terminal that is written over; nothing at all where standard error is a file or a pipe. */
function progressLine(name: string) {
  const { stderr } = process
  let shownAt = 0
  return {
    show(fraction: number, doing: string): void {
      if (!stderr.isTTY || performance.now() - shownAt < PROGRESS_EVERY_MS) return
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
