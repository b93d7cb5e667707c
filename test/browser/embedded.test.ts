// A whole group in a tab: bundled by esbuild and by Vite, used in Chromium.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { build as viteBuild } from 'vite'
import { describe, expect, it } from 'vitest'
import { hasBrowser, withPage, withScript } from '../support/browser.ts'
import type { useEverything } from './embedded-entry.ts'

const ENTRY = fileURLToPath(new URL('./embedded-entry.ts', import.meta.url))
const DOOR = fileURLToPath(new URL('../../src/browser/index.ts', import.meta.url))
const USED = { second: true, refused: true, grew: true, told: 'hello', visits: 20 }

const inPage = () =>
  (globalThis as unknown as { module: { useEverything: typeof useEverything } }).module.useEverything()

it('the door for browsers imports no module of Node', async () => {
  const bundled = await build({ entryPoints: [DOOR], bundle: true, write: false, platform: 'browser', metafile: true })
  const imports = Object.values(bundled.metafile.inputs).flatMap(input => input.imports)
  expect(imports.filter(({ path }) => path.startsWith('node:'))).toEqual([])
  expect(bundled.warnings).toEqual([])
})

describe.skipIf(!hasBrowser)('a group in Chromium', () => {
  it('locks, keeps a tree and counts, bundled by esbuild', async () => {
    expect(await withPage(ENTRY, page => page.evaluate(inPage))).toEqual(USED)
  })

  it('does the same bundled by Vite', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coterie-vite-'))
    try {
      const script = await bundleByVite(folder)
      expect(await withScript(script, page => page.evaluate(inPage))).toEqual(USED)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

async function bundleByVite(root: string): Promise<string> {
  const entry = join(root, 'entry.ts')
  await writeFile(entry, `export * from ${JSON.stringify(ENTRY)}\n`)
  const built = await viteBuild({
    root,
    logLevel: 'error',
    configFile: false,
    build: { write: false, lib: { entry, name: 'module', formats: ['iife'] } },
  })
  const [first] = Array.isArray(built) ? built : [built]
  const output = (first as unknown as { output: { code?: string }[] }).output
  // A library's name is a constant of its script; the page wants it where the test finds it.
  return `${output[0]!.code!}\nglobalThis.module = module`
}
