// npm run bench -- page: how long the laboratory's page takes to draw a frame, and to run and draw a run anew, in Chromium
// without a graphics card. The targets: 50 frames a second at 10,000 events, 30 at 200,000; a changed run within 100 ms.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'

const PROGRAM = '/usr/bin/chromium'
/** From dist/bench, where this is run. */
const ENTRY = fileURLToPath(new URL('../../bench/support/page-entry.ts', import.meta.url))

interface Measured {
  readonly what: string
  /** On a busy machine the others measure its neighbours. */
  readonly best: number
  readonly median: number
  readonly most: number
}

export async function run(print: (line: string) => void): Promise<readonly Measured[]> {
  if (!existsSync(PROGRAM)) {
    print('skipped: there is no chromium (apt-get install chromium)')
    return []
  }
  const bundle = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'measured',
    target: 'es2022',
  })
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    await page.addScriptTag({ content: bundle.outputFiles[0]!.text })
    const rows = await page.evaluate(() =>
      (globalThis as unknown as { measured: { all(): Measured[] } }).measured.all(),
    )
    for (const { what, best, median, most } of rows) {
      const [least, middle, largest] = [best, median, most].map(value => value.toFixed(1).padStart(6))
      print(`${what.padEnd(50)} best ${least} ms, median ${middle} ms, at most ${largest} ms`)
    }
    return rows
  } finally {
    await browser.close()
  }
}
