// node page/write-results.mjs [--scale full] [--from FILE]: measures every experiment of `coterie lab` and writes what the page
// shows of it into page/data/results.json. `--from` takes what `coterie lab run all --json` printed before.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const { values } = parseArgs({
  options: { scale: { type: 'string', default: 'small' }, from: { type: 'string' } },
})

const text =
  values.from === undefined
    ? execFileSync(
        process.execPath,
        [join(here, '../bin/coterie'), 'lab', 'run', 'all', '--scale', values.scale, '--json'],
        {
          encoding: 'utf8',
          maxBuffer: 1 << 28,
        },
      )
    : readFileSync(values.from, 'utf8')

/** Four digits say all that a tolerance can judge. */
const DIGITS = 4
const short = value =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value

const reports = JSON.parse(text).map(({ name, title, source, scale, seed, within, rows, notes }) => ({
  name,
  title,
  source,
  scale,
  seed,
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
}))
writeFileSync(join(here, 'data/results.json'), `${JSON.stringify(reports)}\n`)
process.stdout.write(
  `${reports.length} experiments, ${reports.filter(({ within }) => within).length} within their tolerance\n`,
)
