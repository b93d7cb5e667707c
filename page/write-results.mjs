// node page/write-results.mjs [--measure] [--from FILE]: writes what the page shows of every experiment of `coterie lab` into
// page/data/results.json. What docs/papers/results has is taken from there (its scale, its date); what it has not is taken from
// FILE (what `coterie lab run … --json` printed), else kept as it is here, else measured at the small scale. `--measure` measures
// anew whatever docs/papers/results has not. What an experiment draws of its machines is drawn anew each time.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const file = join(here, 'data/results.json')
const { values } = parseArgs({ options: { measure: { type: 'boolean', default: false }, from: { type: 'string' } } })

/** Four digits say all that a tolerance can judge. */
const DIGITS = 4
const short = value =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value

const coterie = (...words) =>
  JSON.parse(
    execFileSync(process.execPath, [join(here, '../bin/coterie'), 'lab', ...words, '--json'], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    }),
  )

function reportOf({ name, title, source, scale, seed, date, within, rows, notes }) {
  return {
    name,
    title,
    source,
    scale,
    seed,
    ...(date !== undefined && { date }),
    within,
    notes,
    rows: rows.map(({ what, expected, measured, tolerance, unit, within: good }) => [
      what,
      short(expected),
      short(measured),
      short(tolerance),
      unit ?? '',
      good ? 1 : 0,
    ]),
  }
}

const known = new Map(JSON.parse(readFileSync(file, 'utf8')).map(report => [report.name, report]))
const given = values.from === undefined ? [] : JSON.parse(readFileSync(values.from, 'utf8')).experiments
const fresh = new Map(given.map(report => [report.name, reportOf(report)]))

function resultOf(name) {
  const kept = join(here, '../docs/papers/results', `${name}.json`)
  if (existsSync(kept)) return reportOf(JSON.parse(readFileSync(kept, 'utf8')))
  if (fresh.has(name)) return fresh.get(name)
  if (known.has(name) && !values.measure) return known.get(name)
  const run = coterie('run', name)
  return reportOf((run.experiments ?? [run]).find(report => report.name === name))
}

const { findExperiment } = await import('../dist/lab/index.js')
/** Of seed 1, as every result is. */
const SEED = 1
function shownOf(name) {
  const { pictures: _, ...report } = resultOf(name)
  const pictures = findExperiment(name).draw?.(SEED)
  return pictures === undefined ? report : { ...report, pictures }
}

const reports = coterie('list').map(({ name }) => shownOf(name))
writeFileSync(file, `${JSON.stringify(reports)}\n`)
process.stdout.write(
  `${reports.length} experiments, ${reports.filter(({ within }) => within).length} within their tolerance\n`,
)
