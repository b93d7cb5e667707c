// npm run mutate [-- --only ID|AREA] [--jobs N] [--list]
//
// Breaks the code on purpose, one line at a time, and says which test notices. The mutations are data: a file for each
// area beside this one, with the old text, the new text, why that is a bug, and the tests that must turn red. A mutation
// that nobody notices is a hole in the tests, and ends this with exit code 1.
//
// Each job has a copy of the tree in a temporary folder; nothing here is changed. The tests are run there once unbroken: what
// is red by itself notices nothing.

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { applied, readMutations } from './mutations.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** A mutation may make a run endless: nobody waits longer for it. It counts as noticed. */
const RUN_MAX_MS = 10 * 60_000

const HELP = `npm run mutate [-- options]: breaks the code on purpose, and says which test notices.

  --only ID|AREA   one mutation, or those of one area (may be given again)
  --jobs N         how many at once (default: 2)
  --list           only says which there are

Exit codes: 0 every mutation was noticed, 1 one was not or does not fit the code any more, 2 wrong usage.
`

const options = readOptions(process.argv.slice(2))
const mutations = readMutations().filter(
  ({ id, area }) => options.only.length === 0 || options.only.includes(id) || options.only.includes(area),
)
if (mutations.length === 0) usage(`there is no mutation or area ${options.only.join(', ')}`)
if (options.list) {
  for (const { area, id, why } of mutations) process.stdout.write(`${area}\t${id}\t${why}\n`)
  process.exit(0)
}

const waiting = [...mutations]
const survived = []
/** By tests: what fails of them in code that is whole, or undefined. */
const controls = new Map()
await Promise.all(Array.from({ length: Math.min(options.jobs, mutations.length) }, work))
process.stdout.write(`${mutations.length - survived.length} of ${mutations.length} mutations were noticed\n`)
for (const { id, why } of survived) process.stdout.write(`NOT NOTICED ${id}: ${why}\n`)
process.exit(survived.length === 0 ? 0 : 1)

async function work() {
  const copy = copyOfTree()
  try {
    for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
      const { id, file, tests } = mutation
      const path = join(copy, file)
      const before = readFileSync(path, 'utf8')
      const started = performance.now()
      let by = 'the text to break is not there exactly once'
      try {
        const red = await control(copy, tests)
        if (red !== undefined) throw new Error(`red without any mutation: ${red}`)
        writeFileSync(path, applied(mutation, before))
        by = await noticedBy(copy, tests)
        if (by === undefined) survived.push(mutation)
      } catch (error) {
        by = error.message
        survived.push(mutation)
      } finally {
        writeFileSync(path, before)
      }
      const seconds = ((performance.now() - started) / 1_000).toFixed(0)
      const verdict = survived.includes(mutation) ? 'SURVIVED' : 'noticed '
      process.stdout.write(`${verdict} ${id} (${seconds} s) ${by ?? mutation.why}\n`)
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function control(copy, tests) {
  const key = tests.join()
  if (!controls.has(key)) controls.set(key, noticedBy(copy, tests))
  return controls.get(key)
}

function copyOfTree() {
  const copy = mkdtempSync(join(tmpdir(), 'coterie-mutate-'))
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  const linked = ['node_modules', 'dist']
  for (const file of listed.split('\n').filter(name => name !== '' && !linked.includes(name))) {
    mkdirSync(join(copy, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  // Some tests start what was built: that is the code as it is.
  for (const name of linked) symlinkSync(join(root, name), join(copy, name))
  return copy
}

/** The first test that fails, or undefined. */
function noticedBy(copy, tests) {
  return new Promise(resolve => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--bail=1', '--maxWorkers=1', '--reporter=json', ...tests]
    const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'ignore'] })
    let printed = ''
    child.stdout.on('data', chunk => {
      printed += chunk
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MAX_MS)
    child.on('close', code => {
      clearTimeout(timer)
      resolve(code === 0 ? undefined : (firstFailure(printed) ?? 'the run did not end well'))
    })
  })
}

function firstFailure(printed) {
  const start = printed.indexOf('{')
  if (start < 0) return undefined
  try {
    const files = JSON.parse(printed.slice(start)).testResults
    return files.flatMap(file => file.assertionResults).find(({ status }) => status === 'failed')?.fullName
  } catch {
    return undefined
  }
}

function readOptions(words) {
  const read = { only: [], jobs: 2, list: false }
  while (words.length > 0) {
    const word = words.shift()
    if (word === '--help') {
      process.stdout.write(HELP)
      process.exit(0)
    } else if (word === '--list') read.list = true
    else if (word === '--only' && words.length > 0) read.only.push(words.shift())
    else if (word === '--jobs' && /^[1-9]\d?$/.test(words[0] ?? '')) read.jobs = Number(words.shift())
    else usage(`what is ${JSON.stringify(word)}?`)
  }
  return read
}

function usage(why) {
  process.stderr.write(`${why}\n\n${HELP}`)
  process.exit(2)
}
