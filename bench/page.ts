// npm run bench -- page: how fast the laboratory's page is, in Chromium without a graphics card, beside what it is meant to be. The
// parts that draw and run are measured alone; the first view and level 2 in the built page itself, opened from a disk.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { type Browser, chromium } from 'playwright-core'

const PROGRAM = '/usr/bin/chromium'
/** From dist/bench, where this is run. */
const ENTRY = fileURLToPath(new URL('../../bench/support/page-entry.ts', import.meta.url))
const PAGE = fileURLToPath(new URL('../page/', import.meta.url))
const TRIES = 5
const FIRST_VIEW = ['index.html', 'style.css', 'icon.svg', 'core.js']
const PROTOCOLS = ['core', 'common', 'duels', 'lock', 'redlock', 'ordering', 'members', 'slots', 'mutex']

interface Measured {
  readonly what: string
  readonly unit: 'KB' | 'ms' | 'frames/s'
  readonly target: number
  /** Frames are counted: the more the better. */
  readonly atLeast?: boolean
  readonly best: number
  readonly median: number
  readonly most: number
}

export async function run(print: (line: string) => void): Promise<readonly Measured[]> {
  if (!existsSync(PROGRAM) || !existsSync(`${PAGE}core.js`)) {
    print('skipped: there is no chromium (apt-get install chromium), or the page is not built (npm run build)')
    return []
  }
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const rows = [...weights(), await firstView(browser), ...(await alone(browser)), await duels(browser)]
    print(`${''.padEnd(58)} ${'target'.padStart(12)} ${'best'.padStart(10)} ${'median'.padStart(10)}`)
    for (const { what, unit, target, atLeast, best, median } of rows) {
      const aim = `${atLeast ? '≥' : '≤'} ${Math.round(target)} ${unit}`
      const good = atLeast ? median >= target : median <= target
      print(`${what.padEnd(58)} ${aim.padStart(12)} ${figure(best)} ${figure(median)} ${good ? '' : '  missed'}`)
    }
    return rows
  } finally {
    await browser.close()
  }
}

const figure = (value: number) => value.toFixed(value < 100 ? 1 : 0).padStart(10)

function weights(): Measured[] {
  const weigh = (files: readonly string[], packed: boolean) => {
    const bytes = files.map(file => readFileSync(`${PAGE}${file}`))
    return bytes.reduce((sum, each) => sum + (packed ? gzipSync(each).length : each.length), 0) / 1000
  }
  const scripts = PROTOCOLS.map(name => `${name}.js`)
  const row = (what: string, target: number, value: number): Measured => {
    return { what, unit: 'KB', target, best: value, median: value, most: value }
  }
  return [
    row('first view: all its files, gzip', 60, weigh(FIRST_VIEW, true)),
    row('simulator and all protocols, gzip', 220, weigh(scripts, true)),
    row('simulator and all protocols, unpacked', 1_000, weigh(scripts, false)),
  ]
}

/** From the disk to the first question that a visitor is asked. */
async function firstView(browser: Browser): Promise<Measured> {
  const times: number[] = []
  for (let at = 0; at < TRIES; at++) {
    const page = await browser.newPage()
    await page.goto('about:blank')
    const start = performance.now()
    await page.goto(`${pathToFileURL(PAGE)}index.html`)
    await page.waitForSelector('[data-verdict="asks"]')
    times.push(performance.now() - start)
    await page.close()
  }
  return { what: 'first view: from the disk to the first question', unit: 'ms', target: 1_000, ...spread(times) }
}

async function duels(browser: Browser): Promise<Measured> {
  const times: number[] = []
  for (let at = 0; at < TRIES; at++) {
    const page = await browser.newPage()
    const start = performance.now()
    await page.goto(`${pathToFileURL(PAGE)}index.html#level=2`)
    await page.waitForSelector('[data-exhausted="yes"]')
    times.push(performance.now() - start)
    await page.close()
  }
  return { what: 'duel n = 6 exhausted, page and worker started', unit: 'ms', target: 2_000, ...spread(times) }
}

function spread(times: readonly number[]) {
  const sorted = [...times].sort((a, b) => a - b)
  return { best: sorted[0]!, median: sorted[sorted.length >> 1]!, most: sorted.at(-1)! }
}

async function alone(browser: Browser): Promise<Measured[]> {
  const bundle = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'measured',
    target: 'es2022',
  })
  const page = await browser.newPage()
  await page.addScriptTag({ content: bundle.outputFiles[0]!.text })
  const rows = await page.evaluate(() =>
    (globalThis as unknown as { measured: { all(): Promise<Measured[]> } }).measured.all(),
  )
  await page.close()
  return rows
}
