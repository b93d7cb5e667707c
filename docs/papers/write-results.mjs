// npm run lab:results [-- NAME …] [--scale full] [--minutes 60] [--keep]
//
// Runs experiments one after the other and keeps what they measured in docs/papers/results: one JSON file for each, with
// the scale, the seed, the date and the kind of machine, and a table of all in README.md. Without names: every
// experiment. One that takes longer than the given minutes is stopped; its file then holds the small scale, and says for
// how long the full one was tried. --keep leaves results alone that are there already.
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
const cli = join(root, 'dist/src/cli/main.js')
/** Rows are enough for a chart; more digits than this no tolerance can judge. */
const DIGITS = 8

const machine = {
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'unknown',
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
}

/** Runs the command line and gives what it printed, or undefined where it took longer than `limitMs`. */
function coterie(words, limitMs) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...words], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    let told = ''
    let late = false
    const timer = setTimeout(() => {
      late = true
      child.kill('SIGKILL')
    }, limitMs)
    child.stdout.on('data', data => {
      told += data
    })
    child.on('error', reject)
    child.on('close', code => {
      clearTimeout(timer)
      if (late) return resolve(undefined)
      if (told === '') return reject(new Error(`coterie ${words.join(' ')} ended with ${code} and printed nothing`))
      resolve(JSON.parse(told))
    })
  })
}

const shortened = (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value)

async function measure(name, scale, minutes) {
  const run = (at, limitMs) => coterie(['lab', 'run', name, '--scale', at, '--json'], limitMs)
  const started = performance.now()
  const report = await run(scale, minutes * 60_000)
  if (report !== undefined) return { report }
  const triedMinutes = Math.round((performance.now() - started) / 60_000)
  return { report: await run('small', 60 * 60_000), triedMinutes }
}

function written(name, { report, triedMinutes }) {
  const { title, source, scale, seed, wallMs, within, rows, notes } = report
  const judged = rows.filter(row => row.expected !== null)
  const result = {
    name,
    title,
    source,
    scale,
    ...(triedMinutes === undefined ? {} : { fullScaleTakesMoreThanMinutes: triedMinutes }),
    seed,
    date: new Date().toISOString().slice(0, 10),
    seconds: Math.round(wallMs / 100) / 10,
    machine,
    judged: judged.length,
    outside: rows.filter(row => !row.within).length,
    within,
    rows,
    notes,
  }
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, shortened, 1)}\n`)
  return result
}

/** The table of all results that are there, in the order of their names. */
function writeTable() {
  const results = readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .sort()
    .map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')))
  const head = ['experiment', 'scale', 'judged', 'outside', 'time', 'date']
  const cells = results.map(result => [
    `\`${result.name}\``,
    result.fullScaleTakesMoreThanMinutes === undefined
      ? result.scale
      : `${result.scale}; full takes more than ${result.fullScaleTakesMoreThanMinutes} min`,
    String(result.judged),
    String(result.outside),
    result.seconds < 120 ? `${result.seconds} s` : `${Math.round(result.seconds / 60)} min`,
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
    'Times are of a machine that did other work beside.',
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
    },
    allowPositionals: true,
  })
  const minutes = Number(values.minutes)
  const listed = (await coterie(['lab', 'list', '--json'], 60_000)).map(({ name }) => name)
  const unknown = positionals.filter(name => !listed.includes(name))
  if (unknown.length > 0 || !(minutes > 0) || !['small', 'full'].includes(values.scale)) {
    process.stderr.write('usage: npm run lab:results -- [NAME …] [--scale small|full] [--minutes 60] [--keep]\n')
    process.stderr.write(unknown.length > 0 ? `there is no experiment ${unknown.join(', ')}\n` : '')
    process.exit(2)
  }
  mkdirSync(folder, { recursive: true })
  let wrong = 0
  for (const name of positionals.length === 0 ? listed : positionals) {
    if (values.keep && existsSync(join(folder, `${name}.json`))) continue
    try {
      const result = written(name, await measure(name, values.scale, minutes))
      if (!result.within) wrong++
      process.stdout.write(
        `${name}: ${result.scale}, ${result.judged} judged, ${result.outside} outside, ${result.seconds} s\n`,
      )
    } catch (error) {
      wrong++
      process.stdout.write(`${name}: ${error.message}\n`)
    }
    writeTable()
  }
  process.exit(wrong === 0 ? 0 : 1)
}

await main()
