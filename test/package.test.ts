// What is in the packages that users install: what their doors and commands reach, the documents that README and errors
// point to, and nothing that only those who work on it need. There are no source maps: a map would point to sources that
// are not there. test/package-use.test.ts uses them.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import type ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @ts-expect-error a script of the documentation, without types
import * as writer from '../docs/reference/write-api.mjs'
import { installPackages, type Packed, type Program } from './support/packed.ts'

/** Of coterie: docs/decisions/package-size.md has what each part weighs. */
const PACKED_BYTES_MAX = 1_000_000
/** The laboratory is larger than what it proves: it carries the machines, the page and every experiment. */
const LAB_BYTES_MAX = 1_900_000

const root = join(import.meta.dirname, '..')
const repository = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

let program: Program

beforeAll(() => {
  program = installPackages()
})

afterAll(() => program?.remove())

/** Loaded by their address, not by an import. */
const PROGRAMS = {
  coterie: ['cli/main.js', 'cli/under/watchdog-process.js', 'runtime/keeper/worker.js', 'runtime/slots-worker.js'],
  lab: ['cli/sim-worker.js', 'cli/lab-worker.js', 'runtime/keeper/worker.js', 'runtime/slots-worker.js'],
}

describe.each(['coterie', 'lab'] as const)('%s', which => {
  const packed = (): Packed => program[which]

  it('has what its exports map, its commands and its manual name', () => {
    const { manifest, files } = packed()
    const targets = Object.values(manifest.exports).flatMap(target =>
      typeof target === 'string' ? [target] : Object.values(target),
    )
    const named = [...Object.values(manifest.bin ?? {}), ...manifest.man, ...targets]
    const programs = PROGRAMS[which].map(file => `dist/src/${file}`)
    const all = [...named.map(file => file.replace('./', '')), ...programs]
    expect(all.filter(file => !files.includes(file))).toEqual([])
  })

  it('has no tests, no build info, no maps, no benchmarks, no scripts', () => {
    const allowed =
      /^(bin\/coterie|dist\/(src|lab|shared)\/.+(?<!\.test)\.(js|d\.ts)|dist\/page\/[a-z-]+\.(html|css|js|svg)|docs\/.+\.md|man\/.+\.1|[A-Z]+\.md|LICENSE|package\.json)$/
    expect(packed().files.filter(file => !allowed.test(file) || file.includes('.test.'))).toEqual([])
    expect(packed().manifest.scripts).toBeUndefined()
  })

  it('has documents whose links lead to pages that it has', () => {
    const { folder, files } = packed()
    const dead: string[] = []
    for (const page of files.filter(file => file.endsWith('.md'))) {
      const prose = readFileSync(join(folder, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
      for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^([a-z]+:|#)/.test(target!)) continue
        if (!existsSync(join(folder, dirname(page), target!.split('#')[0]!))) dead.push(`${page} → ${target}`)
      }
    }
    expect(dead).toEqual([])
  })

  it('pleases publint', async () => {
    const { messages } = await publint({ pkgDir: packed().folder, pack: false, strict: true })
    expect(messages.map(message => formatMessage(message, packed().manifest as never))).toEqual([])
  })

  it('has types that every resolver of ES modules finds (attw)', { timeout: 120_000 }, () => {
    const attw = join(root, 'node_modules/.bin/attw')
    const options = [packed().tarball, '--profile', 'esm-only', '--format', 'ascii']
    const { status, stdout } = spawnSync(attw, options, { encoding: 'utf8' })
    expect(status, stdout).toBe(0)
  })

  it('declares at every door what the repository declares', { timeout: 120_000 }, () => {
    const doors: { name: string; entry: string }[] = writer.doors.filter((door: { name: string }) =>
      packed().doors.includes(door.name),
    )
    const entryOf = (name: string) => {
      const { manifest, folder } = packed()
      const target = manifest.exports[`.${name.slice(manifest.name.length)}`] as Record<string, string>
      return join(folder, target.types!)
    }
    const namesOf = (of: ts.Program, entry: string) =>
      writer.exportsOf(of, entry).map(({ name, symbol }: { name: string; symbol: ts.Symbol }) => [name, symbol.flags])
    const ours = writer.openDoors(doors.map(({ entry }) => entry))
    const theirs = writer.openDoors(doors.map(({ name }) => entryOf(name)))
    expect(doors.length).toBe(packed().doors.length)
    for (const { name, entry } of doors) expect(namesOf(theirs, entryOf(name)), name).toEqual(namesOf(ours, entry))
  })

  it('npm publish would take it, without a word of warning', { timeout: 60_000 }, () => {
    const args = ['publish', '--dry-run', join(program.made, packed().manifest.name)]
    const { status, stderr } = spawnSync('npm', args, { cwd: program.folder, encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const warnings = stderr.split('\n').filter(line => /npm (warn|error)/i.test(line))
    // What this machine's own settings of npm are warned about is not the package's.
    expect(warnings.filter(line => !/(user|env) config|requires you to be logged in/.test(line))).toEqual([])
  })
})

it(`coterie packs to at most ${PACKED_BYTES_MAX / 1e6} MB, the laboratory to ${LAB_BYTES_MAX / 1e6}`, () => {
  expect(statSync(program.coterie.tarball).size).toBeLessThanOrEqual(PACKED_BYTES_MAX)
  expect(statSync(program.lab.tarball).size).toBeLessThanOrEqual(LAB_BYTES_MAX)
})

it('coterie has nothing of the laboratory', () => {
  const text = program.coterie.files
    .filter(file => file.endsWith('.js'))
    .map(file => readFileSync(join(program.coterie.folder, file), 'utf8'))
    .join('\n')
  expect(text).toContain('coterie-lab/commands')
  for (const word of ['plantedBugs', 'newWorld', 'backoff-response']) expect(text.includes(word), word).toBe(false)
})

it('depends on what package.json names, in its versions', () => {
  expect(program.coterie.manifest.dependencies).toEqual(repository.dependencies)
  for (const [name, version] of Object.entries(program.lab.manifest.dependencies)) {
    expect(repository.dependencies[name], name).toBe(version)
  }
})

it('has the documents that README and the errors point to, here or with the laboratory', () => {
  const pointed = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\]\((docs\/[^)#]+)/g)].map(
    ([, path]) => path!,
  )
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  for (const file of sources.filter(each => each.endsWith('.ts'))) {
    pointed.push(...(readFileSync(join(root, 'src', file), 'utf8').match(/docs\/[a-z/-]+\.md/g) ?? []))
  }
  expect(pointed.length).toBeGreaterThan(10)
  const files = [...program.coterie.files, ...program.lab.files]
  expect(pointed.filter(path => !files.some(file => file === path || file.startsWith(`${path}/`)))).toEqual([])
})

it('the repository itself is not packed', () => {
  const { status, stderr } = spawnSync('npm', ['pack', '--dry-run'], { cwd: root, encoding: 'utf8' })
  expect(status).not.toBe(0)
  expect(stderr).toContain('npm run package')
})

it('loads at every door', { timeout: 60_000 }, () => {
  const names = [...program.coterie.doors, ...program.lab.doors]
  const file = join(program.folder, 'doors.mjs')
  const lines = names.map(name => `console.log(Object.keys(await import('${name}')).length > 0)`)
  writeFileSync(file, `${lines.join('\n')}\nprocess.exit(0)\n`)
  const told = execFileSync(process.execPath, [file], { encoding: 'utf8' })
  expect(told.trim().split('\n')).toEqual(names.map(() => 'true'))
})

it.each([
  ['5.6, older than is promised', '@arethetypeswrong/core/node_modules/typescript'],
  ['of today', 'typescript'],
])('has types for TypeScript %s', { timeout: 120_000 }, (_, compiler) => {
  const names = [...program.coterie.doors, ...program.lab.doors]
  const file = join(program.folder, 'all.ts')
  writeFileSync(
    file,
    `${names.map((name, place) => `import * as door${place} from '${name}'`).join('\n')}
export const all = [${names.map((_, place) => `door${place}`).join(', ')}]
const group = await door0.embedded({ liars: 1 })
await using lease = await group.lock('a')
export const token: bigint = lease.token
`,
  )
  const how = '--noEmit --strict --module nodenext --target es2022 --types node --lib es2023,esnext.disposable'
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules', compiler, 'bin/tsc'), ...how.split(' '), file],
    { cwd: program.folder, encoding: 'utf8' },
  )
  expect(status, stdout).toBe(0)
})
