// In a bundle the thread's program is not beside the file that starts it: it is found in the installed package, or its
// absence is said at once.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterEach, beforeEach, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE = join(ROOT, 'src/client/keeper.ts')
const BUILT = join(ROOT, 'dist/src/client/keeper.js')

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'coterie-bundle-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function bundled(format: 'esm' | 'cjs'): string {
  const file = join(folder, format === 'esm' ? 'program.mjs' : 'program.cjs')
  const contents = `import { findWorkerFile, warnWithoutWorker } from ${JSON.stringify(SOURCE)}
warnWithoutWorker()
console.log(findWorkerFile()?.href ?? 'none')`
  const stdin = { contents, resolveDir: ROOT }
  buildSync({
    stdin,
    bundle: true,
    platform: 'node',
    format,
    outfile: file,
    logLevel: 'error',
    logOverride: { 'empty-import-meta': 'silent' },
  })
  return file
}

for (const format of ['esm', 'cjs'] as const) {
  it(`a bundle (${format}) without the package says that leases are renewed by the main thread`, () => {
    const { stdout, stderr } = spawnSync(process.execPath, [bundled(format)], { encoding: 'utf8', cwd: folder })
    expect(stdout).toBe('none\n')
    expect(stderr).toContain('COTERIE_NO_KEEPER')
    expect(stderr).toContain('Leave coterie out of the bundle')
  })

  it(`a bundle (${format}) beside the installed package finds the thread's program`, () => {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules/coterie'))
    const told = execFileSync(process.execPath, [bundled(format)], { encoding: 'utf8', cwd: folder })
    expect(told).toMatch(/^file:.*\/dist\/src\/runtime\/keeper\/worker\.js\n$/)
  })
}

it('in the package the program lies beside, and nothing is said', () => {
  const script = join(folder, 'plain.mjs')
  writeFileSync(
    script,
    `import { findWorkerFile, warnWithoutWorker } from ${JSON.stringify(BUILT)}
warnWithoutWorker()
console.log(findWorkerFile()?.href ?? 'none')`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  expect(stdout).toMatch(/worker\.js\n$/)
  expect(stderr).toBe('')
})
