// What is in the package that users install: what the build made of the library and its laboratory, the documents that
// README and errors point to, and nothing that only those who work on it need. There are no source maps: a map would
// point to sources that are not there. The package is packed for real, as `npm publish` packs it, and used.

import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, it } from 'vitest'

/**
 * Half of it is the laboratory with its page, the proofs and the documents: the rest is what programs need. Of the page 270 KB are
 * experiments that it measures in the browser.
 */
const PACKED_BYTES_MAX = 2_300_000

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const doors = Object.keys(manifest.exports).filter(door => door !== './package.json')
const names = doors.map(door => manifest.name + door.slice(1))

let folder: string
let tarball: string
let files: string[] = []

/** A copy of what the package holds, stripped as before packing, packed, and unpacked where a program would find it. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coterie-package-'))
  const stage = join(folder, 'stage')
  const run = (command: string, args: string[], cwd: string) =>
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const listed = JSON.parse(run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], root)) as [
    { files: { path: string }[] },
  ]
  for (const { path } of listed[0].files) {
    mkdirSync(dirname(join(stage, path)), { recursive: true })
    cpSync(join(root, path), join(stage, path))
  }
  run('node', [join(root, 'packaging/strip.mjs'), stage], root)
  tarball = join(folder, run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], stage).trim())
  const installed = join(folder, 'program/node_modules/coterie')
  mkdirSync(installed, { recursive: true })
  run('tar', ['xzf', tarball, '--strip-components=1', '-C', installed], root)
  files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(installed.length + 1))
  // What `npm install` would bring besides, and no more.
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'undici-types']) link(name)
  for (const name of transitive()) link(name)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function link(name: string): void {
  const target = join(folder, 'program/node_modules', name)
  mkdirSync(dirname(target), { recursive: true })
  try {
    symlinkSync(join(root, 'node_modules', name), target)
  } catch {}
}

/** Everything below the runtime dependencies, as the lock file has it. */
function transitive(): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; peer?: boolean }>
  }
  const top = Object.entries(lock.packages).filter(([path, { dev, peer }]) => path !== '' && !dev && !peer)
  return top.map(([path]) => path.slice('node_modules/'.length)).filter(path => !path.includes('node_modules/'))
}

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
    'dist/page/index.html',
    'dist/page/core.js',
  ].map(file => file.replace('./', ''))
  expect(named.filter(file => !files.includes(file))).toEqual([])
})

it('has no tests, no build info, no maps, no benchmarks', () => {
  const allowed =
    /^(bin\/coterie|dist\/(src|lab)\/.+(?<!\.test)\.(js|d\.ts)|dist\/page\/[a-z-]+\.(html|css|js|svg)|docs\/.+\.md|man\/.+\.1|[A-Z]+\.md|LICENSE|package\.json)$/
  expect(files.filter(file => !allowed.test(file) || file.includes('.test.'))).toEqual([])
})

it('has the documents that README and the errors point to', () => {
  const pointed = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\]\((docs\/[^)#]+)/g)].map(
    ([, path]) => path!,
  )
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.ts'),
  )
  for (const file of sources) {
    const text = readFileSync(join(root, 'src', file), 'utf8')
    pointed.push(...(text.match(/docs\/[a-z/-]+\.md/g) ?? []))
  }
  expect(pointed.length).toBeGreaterThan(10)
  expect(pointed.filter(path => !files.some(file => file === path || file.startsWith(`${path}/`)))).toEqual([])
})

it(`packs to at most ${PACKED_BYTES_MAX / 1e6} MB`, () => {
  expect(statSync(tarball).size).toBeLessThanOrEqual(PACKED_BYTES_MAX)
})

it('pleases publint', async () => {
  const { messages } = await publint({
    pkgDir: join(folder, 'program/node_modules/coterie'),
    pack: false,
    strict: true,
  })
  expect(messages.map(message => formatMessage(message, manifest))).toEqual([])
})

it('has types that every resolver of ES modules finds (attw)', { timeout: 120_000 }, () => {
  const attw = join(root, 'node_modules/.bin/attw')
  const { status, stdout } = spawnSync(attw, [tarball, '--profile', 'esm-only', '--format', 'ascii'], {
    encoding: 'utf8',
  })
  expect(status, stdout).toBe(0)
})

it('loads at every door, and starts', { timeout: 60_000 }, () => {
  const program = join(folder, 'program/doors.mjs')
  writeFileSync(
    program,
    `${names.map(name => `console.log(Object.keys(await import('${name}')).length > 0)`).join('\n')}\nprocess.exit(0)\n`,
  )
  const told = execFileSync(process.execPath, [program], { encoding: 'utf8' })
  expect(told.trim().split('\n')).toEqual(names.map(() => 'true'))
  const command = join(folder, 'program/node_modules/coterie/bin/coterie')
  expect(execFileSync(process.execPath, [command, '--version'], { encoding: 'utf8' })).toContain(manifest.version)
})

it.each([
  ['5.6, older than is promised', '@arethetypeswrong/core/node_modules/typescript'],
  ['of today', 'typescript'],
])('has types for TypeScript %s', { timeout: 120_000 }, (_, compiler) => {
  const program = join(folder, 'program/all.ts')
  const lines = names.map((name, place) => `import * as door${place} from '${name}'`)
  writeFileSync(
    program,
    `${lines.join('\n')}
export const all = [${names.map((_, place) => `door${place}`).join(', ')}]
const group = await door0.embedded({ liars: 1 })
await using lease = await group.lock('a')
export const token: bigint = lease.token
`,
  )
  writeFileSync(join(folder, 'program/package.json'), '{ "type": "module" }')
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
    '--lib',
    'es2023,esnext.disposable',
  ]
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules', compiler, 'bin/tsc'), ...options, program],
    {
      cwd: join(folder, 'program'),
      encoding: 'utf8',
    },
  )
  expect(status, stdout).toBe(0)
})
