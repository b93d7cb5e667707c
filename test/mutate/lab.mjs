// npm run lab:mutate [-- NAME …] [--jobs N] [--seconds N]
//
// A figure that cannot fail says nothing. For every experiment of the laboratory there is at least one mutation of the
// code under test that must turn a row of it red, at small scale. The mutations are data: a file for each folder of the
// laboratory in lab/mutations, with the experiment, the file, the old and the new text, and why;
// `stops: true` where the mutated code must fail an assertion instead of measuring something else. One that makes an
// experiment run for longer than --seconds (five minutes) is noticed, too. One whose experiment `needs` a program that is not
// installed is left out, and said to be.
//
// The code is bundled with the one line changed, in memory, and the experiment run from the bundle; nothing is written
// but the bundle. Exit codes: 0 each turned its experiment red, 1 one did not, or an experiment has none, 2 wrong usage.

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { applied } from './mutations.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'dist/lab/mutants')
/** A mutation may make an experiment endless: every one ends within seconds where nothing is broken. */
const RUN_MAX_MS = 5 * 60_000

/** All of them: { area, experiment, file, old, new, why }. */
export function readLabMutations() {
  const here = join(root, 'lab/mutations')
  return readdirSync(here)
    .filter(name => name.endsWith('.json'))
    .sort()
    .flatMap(name =>
      JSON.parse(readFileSync(join(here, name), 'utf8')).map(entry => ({ area: name.slice(0, -5), ...entry })),
    )
}

/** Bundles the laboratory, with the mutation where there is one, and gives the bundle's path. */
async function bundle(name, mutation) {
  const outfile = join(folder, `${name}.mjs`)
  let hit = mutation === undefined
  const plugin = {
    name: 'mutation',
    setup(setup) {
      setup.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (mutation === undefined || path !== join(root, mutation.file)) return undefined
        hit = true
        return { contents: applied({ id: name, ...mutation }, readFileSync(path, 'utf8')), loader: 'ts' }
      })
    },
  }
  await build({
    stdin: { contents: RUNNER, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    packages: 'external',
    outfile,
    plugins: [plugin],
    logLevel: 'error',
  })
  if (!hit) throw new Error(`${mutation.file} is not part of the laboratory`)
  return outfile
}

const RUNNER = `
import { experiments, findExperiment } from './lab/index.ts'
const name = process.argv[2]
if (name === undefined) {
  console.log(JSON.stringify(experiments.map(experiment => experiment.name)))
  process.exit(0)
}
const { rows } = await findExperiment(name)!.run({ scale: 'small', seed: 1, progress: () => {} })
const outside = rows.filter(row => !row.within)
console.log(JSON.stringify({ judged: rows.filter(row => row.expected !== null).length, outside: outside.map(row => row.what) }))
process.exit(0)
`

/** Runs a bundle to its end, or to the end of its time: what it told, what it said of errors, and how it ended. */
export function runBundle(file, words, limitMs) {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [file, ...words], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let told = ''
    let wrong = ''
    let late = false
    child.stdout.on('data', data => {
      told += data
    })
    child.stderr.on('data', data => {
      wrong += data
    })
    const timer = setTimeout(() => {
      late = true
      child.kill('SIGKILL')
    }, limitMs)
    child.on('close', code => {
      clearTimeout(timer)
      resolve({ told, wrong, code, late })
    })
  })
}

/** What an experiment says of mutated code: the rows that turned red, or how it ended. */
export function verdictOf({ told, wrong, code, late }, { stops = false }) {
  if (late) return { outside: ['it did not end in time'] }
  if (code === 0) return { outside: JSON.parse(told.trim().split('\n').at(-1)).outside }
  const lines = wrong.trim().split('\n')
  const failed = lines.find(line => /Error|must/.test(line)) ?? `exit ${code}`
  // Only where the list says that the code must stop: otherwise a slip of ours would count as a red row.
  return { outside: stops ? [`it stopped: ${failed}`] : [], failed }
}

async function outcome(name, mutation, limitMs) {
  const file = await bundle(name, mutation)
  const ended = await runBundle(file, [mutation.experiment], limitMs)
  rmSync(file, { force: true })
  return verdictOf(ended, mutation)
}

/** The names of all experiments, from the code as it is. */
async function experimentNames() {
  const file = await bundle('names')
  const { told, wrong, code } = await runBundle(file, [], RUN_MAX_MS)
  rmSync(file, { force: true })
  if (code !== 0) throw new Error(`the laboratory does not load: ${wrong}`)
  return JSON.parse(told)
}

/** The experiments that no mutation turns red: their figures say nothing. */
export function withoutMutation(names, mutations) {
  const mutated = new Set(mutations.map(({ experiment }) => experiment))
  return names.filter(name => !mutated.has(name))
}

/** Those that can be run here, and a line for each that cannot. */
export function runnable(mutations, isThere) {
  const left = mutations.filter(({ needs }) => needs !== undefined && !isThere(needs))
  return {
    run: mutations.filter(mutation => !left.includes(mutation)),
    leftOut: left.map(({ experiment, why, needs }) => `left out ${experiment}: ${why} (${needs} is not installed)`),
  }
}

const isInstalled = program => spawnSync('which', [program], { stdio: 'ignore' }).status === 0

async function main() {
  const { values, positionals } = parseArgs({
    options: {
      jobs: { type: 'string', default: '2' },
      seconds: { type: 'string', default: String(RUN_MAX_MS / 1000) },
    },
    allowPositionals: true,
  })
  mkdirSync(folder, { recursive: true })
  const all = readLabMutations()
  const asked = all.filter(
    ({ experiment, area }) =>
      positionals.length === 0 || positionals.includes(experiment) || positionals.includes(area),
  )
  const { run: chosen, leftOut } = runnable(asked, isInstalled)
  const names = await experimentNames()
  const areas = new Set(all.map(({ area }) => area))
  const unknown = positionals.filter(name => !names.includes(name) && !areas.has(name))
  if (unknown.length > 0) {
    process.stderr.write(`there is no experiment and no list ${unknown.join(', ')}\n`)
    process.exit(2)
  }
  const without = withoutMutation(
    positionals.length === 0 ? names : names.filter(name => positionals.includes(name)),
    all,
  )
  for (const line of leftOut) process.stdout.write(`${line}\n`)
  for (const name of without) process.stdout.write(`GREEN ${name}: it has no mutation\n`)
  const waiting = chosen.map((mutation, place) => ({ mutation, place }))
  let green = 0
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { mutation, place } = next
      const started = performance.now()
      const limitMs = Number(values.seconds) * 1000
      const { outside, failed = '' } = await outcome(`mutant-${place}`, mutation, limitMs).catch(error => ({
        outside: [],
        failed: error.message,
      }))
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      if (outside.length === 0) green++
      process.stdout.write(
        `${outside.length > 0 ? 'red  ' : 'GREEN'} ${mutation.experiment}: ${mutation.why} (${seconds} s${outside.length > 0 ? `; ${outside.length} rows, first: ${outside[0]}` : ` ${failed}`})\n`,
      )
    }
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, work))
  process.stdout.write(`${chosen.length - green} of ${chosen.length} mutations turned their experiment red\n`)
  process.exit(green === 0 && without.length === 0 ? 0 : 1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
