// What is in the package that users install: what the build made of the library and its laboratory, and nothing that only
// those who work on it need. There are no source maps: the JavaScript is the TypeScript without its types, comments
// included, and a map would point to sources that are not there.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

function packedFiles(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const told = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [pack] = JSON.parse(told) as { files: { path: string }[] }[]
  return pack!.files.map(({ path }) => path)
}

const files = packedFiles()

it('has what the exports map and the command line name', () => {
  const named = [
    ...Object.values<string>(manifest.bin),
    ...Object.values<string | Record<string, string>>(manifest.exports).flatMap(target =>
      typeof target === 'string' ? [target] : Object.values(target),
    ),
    // What is loaded by its address, not by an import.
    'dist/src/cli/main.js',
    'dist/src/cli/sim-worker.js',
    'dist/src/cli/under/watchdog-process.js',
    'dist/src/runtime/keeper/worker.js',
    'dist/src/runtime/slots-worker.js',
  ].map(file => file.replace('./', ''))
  expect(named.filter(file => !files.includes(file))).toEqual([])
})

it('has no tests, no build info, no maps, no benchmarks', () => {
  const allowed =
    /^(bin\/coterie|man\/coterie[a-z-]*\.1|dist\/(src|lab)\/.+(?<!\.test)\.(js|d\.ts)|(README|CHANGELOG|SECURITY)\.md|LICENSE|package\.json)$/
  expect(files.filter(file => !allowed.test(file) || file.includes('.test.'))).toEqual([])
})
