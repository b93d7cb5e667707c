// npm run lab:results [-- NAME …] [--scale full] [--minutes 60] [--keep] [--table]
//                     -- filters-table-3-4+filters-table-3-5
//
// Runs experiments one after the other and keeps what they measured in docs/papers/results: one JSON file for each, with
// the scale, the seed, the date and the kind of machine, and a table of all in README.md. Without names: every
// experiment. One that takes more than the given minutes of the processor is stopped; its file then holds the small scale,
// and says about how long the full one takes. --keep leaves results alone that are there already;
// --table writes the table anew, and runs nothing. Names joined by + are run in one process, for experiments that judge one
// and the same measurement: each is then said to take what all of them took. Afterwards: npm run format.
//
// Exit codes: 0 every figure is within its tolerance, 1 one is not or an experiment failed, 2 wrong usage.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'docs/papers/results')
/** Rows are enough for a chart; more digits than this no tolerance can judge. */
const DIGITS = 8

const machine = {
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'unknown',
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
}

/** One experiment in a process of its own: how far it is, and what it has cost, line by line; then its report. */
const RUNNER = `
import { findExperiment, runExperiment } from ${JSON.stringify(new URL('../../dist/lab/index.js', import.meta.url).href)}
const [names, scale, minutes] = process.argv.slice(1)
const cost = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6
let told = 0
const progress = fraction => {
  if (cost() < told + 0.5) return
  told = cost()
  process.stdout.write(JSON.stringify({ fraction, cpuSeconds: told }) + '\\n')
  if (told > 60 * minutes) process.exit(0)
}
const reports = []
for (const name of names.split('+')) {
  const { pictures, ...report } = await runExperiment(findExperiment(name), { scale, seed: 1, progress })
  reports.push(report)
}
const wallMs = reports.reduce((sum, report) => sum + report.wallMs, 0)
const end = { fraction: 1, cpuSeconds: cost(), reports: reports.map(report => ({ ...report, wallMs })) }
process.stdout.write(JSON.stringify(end) + '\\n')
process.exit(0)
`

/** On a machine that does other work a minute of the processor may take this many of the clock; then it is stopped, too. */
const CLOCK_MAX = 6

/** The last line that it told: with the report, or without where it took longer. */
function runApart(name, scale, minutes) {
  return new Promise((resolve, reject) => {
    const words = ['--input-type=module', '-e', RUNNER, name, scale, minutes]
    const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    let told = ''
    let late = false
    const timer = setTimeout(
      () => {
        late = true
        child.kill('SIGKILL')
      },
      minutes * CLOCK_MAX * 60_000,
    )
    child.stdout.on('data', data => {
      told += data
    })
    child.on('error', reject)
    child.on('close', code => {
      clearTimeout(timer)
      const lines = told.split('\n').slice(0, -1)
      if (!late && code !== 0) return reject(new Error(`${name} at ${scale} scale ended with ${code}`))
      resolve(lines.length === 0 ? { fraction: 0, cpuSeconds: 0 } : JSON.parse(lines.at(-1)))
    })
  })
}

const shortened = (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value)

async function measure(name, scale, minutes) {
  const ended = await runApart(name, scale, minutes)
  if (ended.reports !== undefined) return ended
  const small = await runApart(name, 'small', 60)
  // From how far it came. Where it had not told yet, only that it takes longer.
  const about = ended.fraction > 0 ? Math.max(1, Math.round(ended.cpuSeconds / ended.fraction / 60)) : null
  return { ...small, fullScale: { stoppedAfterMinutes: minutes, takesAboutMinutes: about } }
}

function written(report, cpuSeconds, fullScale) {
  const { name, title, source, scale, seed, wallMs, within, rows, notes } = report
  const judged = rows.filter(row => row.expected !== null)
  const result = {
    name,
    title,
    source,
    scale,
    ...(fullScale === undefined ? {} : { fullScale }),
    seed,
    date: new Date().toISOString().slice(0, 10),
    seconds: Math.round(wallMs / 100) / 10,
    cpuSeconds: Math.round(10 * cpuSeconds) / 10,
    machine,
    judged: judged.length,
    outside: rows.filter(row => !row.within).length,
    within,
    rows,
    notes,
  }
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, shortened, 2)}\n`)
  return result
}

const timeOf = seconds => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`)

/** At full scale what it took; otherwise about how long it would, by how far it came. */
function fullOf({ scale, seconds, cpuSeconds, fullScale }) {
  if (scale === 'full') return timeOf(cpuSeconds ?? seconds)
  const about = fullScale?.takesAboutMinutes ?? null
  if (about === null) return fullScale === undefined ? 'not tried' : `more than ${fullScale.stoppedAfterMinutes} min`
  return about < 120 ? `about ${about} min` : `about ${Math.round(about / 60)} h`
}

/** The table of all results that are there, in the order of their names. */
function writeTable() {
  const results = readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .sort()
    .map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')))
  const head = ['experiment', 'scale', 'judged', 'outside', 'CPU', 'full scale takes', 'date']
  const cells = results.map(result => [
    `\`${result.name}\``,
    result.scale,
    String(result.judged),
    String(result.outside),
    timeOf(result.cpuSeconds ?? result.seconds),
    fullOf(result),
    result.date,
  ])
  const kinds = new Set(
    results.map(
      ({ machine: { cores, cpu, node, platform } }) => `${cores} cores, ${cpu}, Node.js ${node}, ${platform}`,
    ),
  )
  const line = words => `| ${words.join(' | ')} |`
  const text = [
    '# Results',
    '',
    'What the experiments measured, one JSON file for each, with every row. `npm run lab:results` makes them and this table.',
    'Times are of the processor, or of the clock where a file has no `cpuSeconds`, on a machine that did other work beside. Where',
    'the full scale was stopped, the estimate follows from how far it had come.',
    '',
    `Machine: ${[...kinds].join('; ')}.`,
    '',
    line(head),
    line(head.map(() => '---')),
    ...cells.map(line),
    '',
  ]
  writeFileSync(join(folder, 'README.md'), text.join('\n'))
}

async function main() {
  const { values, positionals } = parseArgs({
    options: {
      scale: { type: 'string', default: 'full' },
      minutes: { type: 'string', default: '60' },
      keep: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const minutes = Number(values.minutes)
  const { experiments } = await import(new URL('../../dist/lab/index.js', import.meta.url).href)
  const listed = experiments.map(({ name }) => name)
  const unknown = positionals.flatMap(names => names.split('+')).filter(name => !listed.includes(name))
  if (unknown.length > 0 || !(minutes > 0) || !['small', 'full'].includes(values.scale)) {
    process.stderr.write('usage: npm run lab:results -- [NAME …] [--scale small|full] [--minutes 60] [--keep]\n')
    process.stderr.write(unknown.length > 0 ? `there is no experiment ${unknown.join(', ')}\n` : '')
    process.exit(2)
  }
  mkdirSync(folder, { recursive: true })
  let wrong = 0
  if (values.table) {
    writeTable()
    process.exit(0)
  }
  const isKept = name => values.keep && existsSync(join(folder, `${name}.json`))
  for (const names of positionals.length === 0 ? listed : positionals) {
    if (names.split('+').every(isKept)) continue
    try {
      const { reports, cpuSeconds, fullScale } = await measure(names, values.scale, minutes)
      for (const report of reports) {
        const { name, scale, judged, outside, seconds, within } = written(report, cpuSeconds, fullScale)
        if (!within) wrong++
        process.stdout.write(`${name}: ${scale}, ${judged} judged, ${outside} outside, ${seconds} s\n`)
      }
    } catch (error) {
      wrong++
      process.stdout.write(`${names}: ${error.message}\n`)
    }
    writeTable()
  }
  process.exit(wrong === 0 ? 0 : 1)
}

await main()
