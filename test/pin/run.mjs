// npm run pin [-- PROTOCOL|BUG …] [--max N]
//
// Searches for the first seed that shows each planted bug, and writes it to src/<protocol>/proof/pins.json, where the tests look.
// A proof takes part by exporting `plantedRuns` from its door. Two processes' worth of threads; run it after `npm run build`.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

const root = fileURLToPath(new URL('../..', import.meta.url))
const WORKERS = 2
const SEEDS_MAX = 3_000
const PROGRESS_EVERY = 100

const HELP = `npm run pin [-- PROTOCOL|BUG …]: searches for the first seed that shows each planted bug.

  --max N    look at so many seeds for each (default: ${SEEDS_MAX})
  --list     only says which there are, and where they are pinned

Exit codes: 0 all were found, 1 one was not, 2 wrong usage.
`

if (isMainThread) await main()
else await work()

/** In a thread: one bug after the other, as the main thread names them. */
async function work() {
  const { shows } = await import(`${root}dist/src/simulator/index.js`)
  parentPort.on('message', async ({ protocol, bug }) => {
    const { plantedRuns } = await import(door(protocol))
    for (let seed = 1; seed <= workerData.max; seed++) {
      if (shows(plantedRuns[bug], seed)) return parentPort.postMessage({ seed })
      if (seed % PROGRESS_EVERY === 0) parentPort.postMessage({ looked: seed })
    }
    parentPort.postMessage({ seed: undefined })
  })
}

function door(protocol) {
  return `${root}dist/src/${protocol}/proof/index.js`
}

async function main() {
  const options = readOptions(process.argv.slice(2))
  const waiting = (await allRuns()).filter(
    ({ protocol, bug }) => options.only.length === 0 || options.only.includes(protocol) || options.only.includes(bug),
  )
  if (waiting.length === 0) usage(`there is no protocol or planted bug ${options.only.join(', ')}`)
  if (options.list) {
    for (const { protocol, bug } of waiting) say(`${protocol}\t${bug}\t${readPins(protocol)[bug] ?? 'not pinned'}`)
    return
  }
  const missing = []
  const count = Math.min(WORKERS, waiting.length)
  await Promise.all(Array.from({ length: count }, () => search(waiting, missing, options.max)))
  for (const { protocol, bug } of missing) say(`NOT FOUND ${protocol} ${bug} within ${options.max} seeds`)
  process.exit(missing.length === 0 ? 0 : 1)
}

async function allRuns() {
  const all = []
  for (const protocol of readdirSync(`${root}src`)) {
    if (!existsSync(pinsOf(protocol))) continue
    const { plantedRuns } = await import(door(protocol))
    for (const bug of Object.keys(plantedRuns)) all.push({ protocol, bug })
  }
  return all
}

async function search(waiting, missing, max) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { max } })
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { protocol, bug } = next
    const before = readPins(protocol)[bug]
    const seed = await found(worker, next)
    if (seed === undefined) missing.push(next)
    else {
      writePin(protocol, bug, seed)
      say(`${protocol} ${bug}: ${seed}${before === seed ? '' : ` (moved from ${before ?? 'nowhere'})`}`)
    }
  }
  await worker.terminate()
}

function found(worker, { protocol, bug }) {
  return new Promise((resolve, reject) => {
    const heard = told => {
      if (told.looked !== undefined) return process.stderr.write(`${protocol} ${bug}: ${told.looked} seeds\n`)
      worker.off('message', heard)
      worker.off('error', reject)
      resolve(told.seed)
    }
    worker.on('message', heard)
    worker.on('error', reject)
    worker.postMessage({ protocol, bug })
  })
}

function pinsOf(protocol) {
  return `${root}src/${protocol}/proof/pins.json`
}

function readPins(protocol) {
  return JSON.parse(readFileSync(pinsOf(protocol), 'utf8'))
}

function writePin(protocol, bug, seed) {
  const pins = { ...readPins(protocol), [bug]: seed }
  writeFileSync(pinsOf(protocol), `${JSON.stringify(pins, undefined, 2)}\n`)
}

function readOptions(words) {
  const read = { only: [], max: SEEDS_MAX, list: false }
  while (words.length > 0) {
    const word = words.shift()
    if (word === '--help') {
      process.stdout.write(HELP)
      process.exit(0)
    } else if (word === '--list') read.list = true
    else if (word === '--max' && /^[1-9]\d{0,6}$/.test(words[0] ?? '')) read.max = Number(words.shift())
    else if (word.startsWith('-')) usage(`what is ${JSON.stringify(word)}?`)
    else read.only.push(word)
  }
  return read
}

function say(line) {
  process.stdout.write(`${line}\n`)
}

function usage(why) {
  process.stderr.write(`${why}\n\n${HELP}`)
  process.exit(2)
}
